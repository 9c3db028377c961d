"""weir/plan/config/sites.py: sites and targets, and the messages for wrong ones."""

import getpass
import os
from pathlib import Path

import pytest

from tests.checkout import SITE, TARGET, load, make_checkout
from weir.base.errors import ConfigError


def problems_of(folder: Path, site: str = SITE, target: str = TARGET) -> str:
    with pytest.raises(ConfigError) as caught:
        load(make_checkout(folder, site=site, targets={"disk": target}))
    return str(caught.value)


def test_a_site_with_its_words_put_in(tmp_path: Path) -> None:
    config = load(make_checkout(tmp_path))
    site = config.site
    assert site.stacks["plain"].programs["fake"] == (f"{tmp_path}/bin/fake",)
    target = site.targets["disk"]
    assert target.path == f"/scratch/weir-{getpass.getuser()}"
    assert (target.space_bytes, target.write_mib_s, target.read_mib_s) == (2**30, 100, 200)
    partition = site.partitions["node"]
    assert (partition.nodes, partition.max_ppn, partition.launch_s) == (2, 4, 1.0)
    assert site.hosts == (".*",)


def test_identities_do_not_depend_on_where_the_checkout_lies(tmp_path: Path) -> None:
    first = load(make_checkout(tmp_path / "a")).identities
    assert first == load(make_checkout(tmp_path / "b")).identities
    assert first.stacks["plain"]["programs"] == {"fake": ["{root}/bin/fake"]}


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/", "'/' is the root of the machine"),
        ("//", "is the root of the machine"),
        ("/scratch/..", "is the root of the machine"),
        ("/scratch", "is a top-level directory of the machine"),
        ("/tmp/", "is a top-level directory of the machine"),
        ("/home/me", "is the home directory"),
        ("/home/me/.", "is the home directory"),
        ("/home/me/data", "is inside the home directory"),
        ("/scratch/../home/me/data", "is inside the home directory"),
        ("scratch/x", "is not an absolute path"),
        ("/scratch/$USER/x", "has a dollar sign, after which"),
        ("/scratch/" + 172 * "x", "has more than 180 bytes: MPI-IO overruns its buffer"),
        ("~/x", "is not an absolute path"),
        ("/scratch/{usr}", "uses {usr}, which stands for nothing"),
    ],
)
def test_places_that_are_not_weirs_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, message: str
) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    printed = problems_of(tmp_path, target=TARGET.replace("/scratch/weir-{user}", f'"{path}"'))
    assert printed.startswith("config/sites/here/targets/disk.yaml:4: path: ")
    assert message in printed


def test_a_home_can_be_measured_if_the_target_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    inside = TARGET.replace("/scratch/weir-{user}", "/home/me/data") + "allow_home: true\n"
    site = load(make_checkout(tmp_path / "a", targets={"disk": inside})).site
    assert site.targets["disk"].path == "/home/me/data"
    assert "is the home directory" in problems_of(tmp_path / "b", target=inside.replace("/me/data", "/me"))


def test_another_name_space_needs_no_directory(tmp_path: Path) -> None:
    pool = TARGET.replace("/scratch/weir-{user}", "weir-{user}") + "prefix: 'xpd:'\n"
    assert load(make_checkout(tmp_path, targets={"disk": pool})).site.targets["disk"].prefix == "xpd:"


@pytest.mark.parametrize(
    ("old", "new", "place", "message", "hint"),
    [
        ("site: here", "site: there", "site.yaml:1: site", "'there' differs", "write site: here"),
        ("nodes: 2,", "nodes: 0,", "partitions.node.nodes", "0 is too small", "at least 1"),
        ("cores_per_node: 4,", "", "partitions.node", "'cores_per_node' is missing", "Cores per node"),
        ("launcher: mpirun", "launcher: mpiexec", "node.launcher", "no launcher 'mpiexec'", "mpirun, srun"),
        ("scheduler: local", "scheduler: slrum", "node.scheduler", "no scheduler 'slrum'", "'slurm'?"),
        ("launch: 1 s", "launch: 1", "node.launch", "1 has no unit", "'1 s'"),
        ("launch: 1 s", "lunch: 1 s", "node.lunch", "unknown key 'lunch'", "'launch'?"),
        ("[plain]", "[plane]", "node.stacks[0]", "has no stack 'plane'", "'plain'?"),
        ("[plain]", "[plane]", "stacks.plain", "no partition runs the stack 'plain'", "delete it"),
        ("fake: [", "fkae: [", "stacks.plain.programs.fkae", "there is no tool 'fkae'", "'fake'?"),
        ("{root}", "{rot}", "programs.fake[0]", "{rot}, which stands for nothing", "'root'?"),
        ("target: disk", "target: disc", "1: target", "'disc' differs", "write target: disk"),
        ("kind: disk", "kind: lustre", "2: kind", "'lustre' is not one", "disk, memory"),
        ("[POSIX, MPIIO]", "[POSX]", "5: apis[0]", "no tool knows the interface 'POSX'", "'POSIX'?"),
        ("space:", "stacks: [plane]\nspace:", "6: stacks[0]", "the site has no stack 'plane'", "'plain'?"),
        ("1 GiB", "1 GB/s", "6: space", "'1 GB/s' is not a size", "a number and a unit"),
        ("1 GiB", "1024", "6: space", "1024 has no unit", "'1 KiB'"),
        ("100 MiB/s", "100", "7: expect.write", "100 has no unit", "100 MiB/s"),
        ("read:", "reed:", "7: expect.reed", "unknown key 'reed'", "'read'?"),
    ],
)
def test_mistakes_of_a_site_or_a_target(
    tmp_path: Path, old: str, new: str, place: str, message: str, hint: str
) -> None:
    printed = problems_of(tmp_path, SITE.replace(old, new), TARGET.replace(old, new))
    file = "site.yaml" if old in SITE else "targets/disk.yaml"
    assert printed.startswith(f"config/sites/here/{file}:")
    assert place in printed
    assert message in printed
    assert hint in printed


def test_environment_is_text(tmp_path: Path) -> None:
    printed = problems_of(tmp_path, target=TARGET + "environment: {A: 1, B: true}\n")
    assert 'environment.A: 1 is not text\n    put it in quotes: "1"' in printed
    assert 'environment.B: true is not text\n    put it in quotes: "true"' in printed


def test_all_files_are_checked_at_once(tmp_path: Path) -> None:
    printed = problems_of(tmp_path, SITE.replace("nodes: 2,", "nodes: 0,"), TARGET.replace("1 GiB", "1"))
    assert "site.yaml:4:" in printed
    assert "disk.yaml:6:" in printed


def test_a_site_without_targets_and_one_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="the site has no target"):
        load(make_checkout(tmp_path, targets={}))
    with pytest.raises(ConfigError, match="there is no site 'hree'") as caught:
        load(tmp_path, site="hree")
    assert "did you mean 'here'?" in str(caught.value)


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("config/sites/here/targets/disk", "targets/disk.yml: is not read"),
        ("config/sites/here/site", "there is no site 'here'"),
        ("config/suites/mine", "there is no suite 'mine'"),
    ],
)
def test_a_file_that_ends_with_yml_is_named(tmp_path: Path, file: str, message: str) -> None:
    """The others would be measured without this target."""
    written = make_checkout(tmp_path) / f"{file}.yaml"
    written.rename(written.with_suffix(".yml"))
    with pytest.raises(ConfigError, match=message) as caught:
        load(tmp_path)
    assert f"rename {file}.yml to end with .yaml" in str(caught.value)


def test_a_user_without_home_and_name_may_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nameless() -> str:
        raise KeyError("getpwuid(): uid not found")

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr("getpass.getuser", nameless)
    monkeypatch.setattr(Path, "home", homeless)
    site = load(make_checkout(tmp_path)).site
    assert site.targets["disk"].path == f"/scratch/weir-{os.geteuid()}"


@pytest.mark.row("a target path that is a link")
def test_a_link_is_judged_by_what_it_points_to(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(Path.home())
    target = TARGET.replace("/scratch/weir-{user}", str(tmp_path / "link"))
    problems = problems_of(tmp_path / "checkout", target=target)
    assert "is the home directory" in problems
