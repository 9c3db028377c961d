"""The environment and our recipes, judged by Spack itself; skipped where there is none."""

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.programs import ran, write_file
from tests.stacks.conftest import ROOT, Run
from tests.stacks.test_locks import LOCK, LOCKS

pytestmark = pytest.mark.slow
IME = "romio-filesystem=ime"
RECIPES = ROOT.glob("envs/spack_repo/*/packages/*/package.py")
NAMES = sorted(file.parent.name.replace("_", "-") for file in RECIPES)
OWN = ROOT / "envs/spack_repo/weir"


@pytest.fixture
def environment(tmp_path: Path) -> str:
    """The committed environment in a folder of its own, so that no lock is left in the checkout."""
    shutil.copy(ROOT / "spack.yaml", tmp_path)
    for name in ("envs", "config"):
        (tmp_path / name).symlink_to(ROOT / name)
    return str(tmp_path)


def git(folder: Path, *arguments: str) -> str:
    return ran(["git", "-C", folder, *arguments], check=True).stdout.strip()


def spec(
    spack: Run, environment: str, arguments: str, variables: Mapping[str, str] | None = None
) -> dict[str, dict[str, Any]]:
    """Packages of a spec by name, concretized without what happens to be installed."""
    done = spack("-e", environment, "spec", "--fresh", "--json", arguments, environment=variables, code=0)
    (document,) = json.loads(done.stdout) if done.stdout.startswith("[") else [json.loads(done.stdout)]
    return {node["name"]: node for node in document["spec"]["nodes"]}


def site_packages(folder: Path, text: str) -> dict[str, str]:
    """The variables by which a site has these packages."""
    write_file(folder / "packages.yaml", text)
    return {"WEIR_SITE_PACKAGES": str(folder)}


def test_the_recipes_pass_the_audit(spack: Run, environment: str) -> None:
    for kind in ("packages", "packages-https"):
        done = spack("-e", environment, "audit", kind, *NAMES, code=0)
        assert "issue" not in done.stdout


def test_the_recipes_are_clean_by_spacks_style_and_for_its_oldest_python(spack: Run, tmp_path: Path) -> None:
    """In a clone of Spack, because it checks what lies in a Spack; vermin as in the CI of its packages."""
    missing = [tool for tool in ("black", "flake8", "isort", "vermin") if not shutil.which(tool)]
    if missing:
        pytest.skip(f"not on the PATH: {', '.join(missing)} (pinned in .github of Spack's packages)")
    clone, folder = tmp_path / "spack", "var/spack/repos/spack_repo"
    root = spack("location", "--spack-root").stdout.strip()
    try:
        git(tmp_path, "clone", "--quiet", "--shared", root, str(clone))
    except subprocess.CalledProcessError as error:
        pytest.skip(f"Spack is no git checkout: {error.stderr.strip()}")
    shutil.copytree(ROOT / "envs/spack_repo", clone / folder, ignore=shutil.ignore_patterns("__pycache__"))
    git(clone, "add", "--force", folder)
    files = [str(file) for file in (clone / folder).rglob("*.py")]
    done = spack("style", "--root", str(clone), "--skip", "mypy", *files, code=0)
    assert "spack style checks were clean" in done.stdout
    backports = [word for name in ("argparse", "importlib", "typing") for word in ("--backport", name)]
    vermin = ["vermin", *backports, "--violations", "-t=3.6-", *files]
    ran(vermin, cwd=clone, code=0)


def test_the_environment_reads_with_all_its_parts(spack: Run, environment: str) -> None:
    done = spack("-e", environment, "repo", "list", code=0)
    assert "weir" in done.stdout
    assert "ime-emulator" in spack("-e", environment, "providers", "ime").stdout


@pytest.mark.parametrize("committed", LOCKS.values(), ids=LOCKS)
def test_a_committed_lock_is_complete(spack: Run, environment: str, committed: Path) -> None:
    """Spack finds every root of spack.yaml in it, and keeps it."""
    lock = Path(environment) / "spack.lock"
    shutil.copy(committed, lock)
    done = spack("-e", environment, "concretize", code=0)
    assert "No new specs to concretize" in done.stdout + done.stderr
    specs = json.loads(committed.read_text())["concrete_specs"]
    assert json.loads(lock.read_text())["concrete_specs"] == specs


def test_a_centres_jobs_are_made_from_the_lock(spack: Run, environment: str, tmp_path: Path) -> None:
    shutil.copy(LOCK, Path(environment) / "spack.lock")
    variables = {"WEIR_SITE_PACKAGES": str(ROOT / "envs/spack/centre")}
    jobs_file = tmp_path / "jobs.yaml"
    files = ("--output-file", str(jobs_file), "--artifacts-root", str(tmp_path / "artifacts"))
    spack("-e", environment, "ci", "generate", *files, environment=variables, code=0)
    jobs = yaml.safe_load(jobs_file.read_text())
    tags = {name.split("@")[0]: job["tags"] for name, job in jobs.items() if "@" in name}
    nodes = json.loads(LOCK.read_text())["concrete_specs"].values()
    assert set(tags) == {node["name"] for node in nodes if not node.get("external")}
    assert {name for name, found in tags.items() if "large" in found} == {"mpich", "openmpi", "hdf5"}


def test_mpich_with_ime_takes_the_emulator_at_a_commit_of_this_checkout(spack: Run, environment: str) -> None:
    nodes = spec(spack, environment, f"weir-io +ime ^mpich {IME}")
    assert nodes["mpich"]["namespace"] == "weir_stacks"
    assert nodes["mpich"]["parameters"]["romio-filesystem"] == ["ime"]
    # What is checked out, also on a detached HEAD: the last commit that changed what is built.
    for name, paths in {"weir-io": ("CMakeLists.txt", "src"), "ime-emulator": ("src/ime",)}.items():
        assert nodes[name]["parameters"]["commit"] == git(ROOT, "log", "-1", "--format=%H", "--", *paths)


def test_a_release_is_built_from_its_tag_and_main_from_a_detached_head(spack: Run, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    try:
        git(ROOT, "clone", "--quiet", str(ROOT), str(clone))
        git(clone, "checkout", "--quiet", "--detach", "HEAD")
        git(clone, "branch", "--force", "main", "HEAD~1")  # what Spack itself would take
        git(clone, "tag", "v9.8.7", "HEAD~1")
    except subprocess.CalledProcessError as error:
        pytest.skip(f"no git checkout with a history: {error.stderr.strip()}")
    folder = tmp_path / "environment"
    folder.mkdir()
    (folder / "spack.yaml").write_text(
        f"spack: {{repos: {{weir: {clone}/envs/spack_repo/weir}}, view: false}}\n"
    )
    main = git(clone, "log", "-1", "--format=%H", "--", "src/ime")
    for version, commit in (("main", main), ("9.8.7", git(clone, "rev-parse", "v9.8.7"))):
        nodes = spec(spack, str(folder), f"ime-emulator@{version}")
        assert nodes["ime-emulator"]["parameters"]["commit"] == commit
    whole = spec(spack, str(folder), "weir@9.8.7 ~steer ~analyse ^weir-io ~hdf5 ~netcdf4 ~pnetcdf ~uring")
    assert whole["weir-io"]["parameters"]["commit"] == git(clone, "rev-parse", "v9.8.7")


def test_without_a_choice_the_interface_of_ime_is_the_emulator(spack: Run, tmp_path: Path) -> None:
    """As `spack install weir +ime` asks, without spack.yaml and its preferences."""
    (tmp_path / "spack.yaml").write_text(f"spack: {{repos: {{weir: {OWN}}}, view: false}}\n")
    nodes = spec(spack, str(tmp_path), "weir-io +ime ~hdf5 ~netcdf4 ~pnetcdf ~uring")
    assert "ime-emulator" in nodes
    assert "ddn-ime" not in nodes
    refused = spack("-e", str(tmp_path), "spec", "weir-io +ime ^ddn-ime")
    assert refused.returncode != 0
    assert "declare where it is installed" in " ".join((refused.stdout + refused.stderr).split())


def test_the_vendors_client_is_found_and_the_emulator_is_not_taken_for_it(spack: Run, tmp_path: Path) -> None:
    for name in ("ime", "emulator"):
        for folder in ("lib", "include", "bin"):
            (tmp_path / name / folder).mkdir(parents=True)
        library = tmp_path / name / "lib" / "libim_client.so"
        subprocess.run(["gcc", "-shared", "-o", library, "-x", "c", "/dev/null"], check=True)
        shutil.copy(ROOT / "src/ime/include/ime_native.h", tmp_path / name / "include")
    (tmp_path / "emulator/bin/imectl").touch()
    (tmp_path / "spack.yaml").write_text(f"spack: {{repos: {{weir: {OWN}}}, view: false}}\n")
    hints = [word for name in ("ime", "emulator") for word in ("--path", str(tmp_path / name))]
    spack("-e", str(tmp_path), "external", "find", *hints, "ddn-ime", code=0)
    packages = yaml.safe_load((tmp_path / "spack.yaml").read_text())["spack"]["packages"]
    assert packages["ddn-ime"]["externals"] == [{"spec": "ddn-ime@1.3", "prefix": str(tmp_path / "ime")}]


def test_what_spack_finds_does_not_change_the_checkout(spack: Run, tmp_path: Path) -> None:
    """A fresh Spack knows no compiler and writes down what it finds: not into spack.yaml, which git keeps."""
    shutil.copy(ROOT / "spack.yaml", tmp_path)
    shutil.copytree(ROOT / "envs/spack/machine", tmp_path / "envs/spack/machine")
    (tmp_path / "envs/spack_repo").symlink_to(ROOT / "envs/spack_repo")
    builtin = spack("location", "--repo", "builtin").stdout.strip()
    (tmp_path / "user").mkdir()
    (tmp_path / "user/repos.yaml").write_text(f"repos: {{builtin: {builtin}}}\n")
    fresh = {
        "SPACK_USER_CONFIG_PATH": str(tmp_path / "user"),
        "SPACK_SYSTEM_CONFIG_PATH": str(tmp_path / "none"),
    }
    spack("-e", str(tmp_path), "compiler", "find", environment=fresh, code=0)
    assert (tmp_path / "spack.yaml").read_text() == (ROOT / "spack.yaml").read_text()
    assert "gcc" in (tmp_path / "envs/spack/machine/packages.yaml").read_text()


def test_mpich_has_drivers_for_ime_and_lustre_at_once(spack: Run, environment: str, tmp_path: Path) -> None:
    external = "{buildable: false, externals: [{spec: lustre@2.15, prefix: /opt/lustre}]}"
    variables = site_packages(tmp_path / "site", f"packages: {{lustre: {external}}}\n")
    nodes = spec(spack, environment, "mpich romio-filesystem=ime,lustre", variables)
    assert sorted(nodes["mpich"]["parameters"]["romio-filesystem"]) == ["ime", "lustre"]
    assert {"ime-emulator", "lustre"} <= set(nodes)


@pytest.mark.parametrize("site", ["centre-template", "lustre-template", "ime-template"])
def test_a_clusters_mpi_is_started_by_slurm_and_talks_over_its_network(
    spack: Run, environment: str, site: str
) -> None:
    """Spack's own Open MPI has neither: srun starts ranks that each are alone, and they talk over TCP."""
    nodes = spec(spack, environment, "weir-io ^openmpi", {"WEIR_SITE": site})
    assert nodes["openmpi"]["parameters"]["schedulers"] == ["slurm"]
    assert nodes["openmpi"]["parameters"]["fabrics"] == ["ucx"]
    assert nodes["ucx"]["parameters"]["verbs"] is True
    assert nodes["slurm"]["external"]["path"] == "/usr"
    nodes = spec(spack, environment, f"weir-io +ime ^mpich {IME}", {"WEIR_SITE": site})
    assert (nodes["mpich"]["parameters"]["slurm"], nodes["mpich"]["parameters"]["netmod"]) == (True, "ucx")
    assert ("ddn-ime" in nodes) == (site == "ime-template")


def test_without_ime_no_burst_buffer_is_below_mpi(spack: Run, environment: str) -> None:
    assert "ime-emulator" not in spec(spack, environment, "mpich")


def test_open_mpi_with_ime_takes_the_emulator_too(spack: Run, environment: str) -> None:
    nodes = spec(spack, environment, f"weir-io +ime ^openmpi +romio {IME}")
    assert nodes["openmpi"]["namespace"] == "weir_stacks"
    assert "ime-emulator" in nodes


def test_without_a_commit_nothing_is_concretized(spack: Run, environment: str, tmp_path: Path) -> None:
    """A copy of the recipes outside of git: nobody could tell what would be built."""
    copy = tmp_path / "copy" / "envs"
    shutil.copytree(ROOT / "envs" / "spack_repo", copy / "spack_repo")
    (tmp_path / "envs").unlink()
    (tmp_path / "envs").symlink_to(copy)
    # What happens to be installed has a commit.
    done = spack("-e", environment, "spec", "--fresh", "ime-emulator")
    assert done.returncode != 0
    assert "no commit resolves in" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (f"mpich {IME} ~romio", "the driver ime is a part of ROMIO: ask for +romio"),
        (f"mpich@3.2 {IME}", "ROMIO has the ime file system since MPICH 3.3"),
        (f"openmpi@4 +romio {IME}", "Open MPI's ROMIO has the driver ime since 5.0"),
        ("ior@3.0.1 +ime", "IOR has the interface IME since 3.2"),
    ],
)
def test_a_conflict_says_what_to_ask_for(spack: Run, environment: str, arguments: str, message: str) -> None:
    done = spack("-e", environment, "spec", arguments)
    assert done.returncode != 0
    assert message in " ".join((done.stdout + done.stderr).split())


def test_the_vendors_client_is_taken_where_the_site_declares_it(
    spack: Run, environment: str, tmp_path: Path
) -> None:
    variables = site_packages(
        tmp_path / "site",
        "packages:\n"
        "  ime: {require: [ddn-ime]}\n"
        "  ddn-ime: {buildable: false, externals: [{spec: ddn-ime@1.5, prefix: /opt/ddn/ime}]}\n",
    )
    done = spack("-e", environment, "spec", "--fresh", f"mpich {IME}", environment=variables, code=0)
    assert "ddn-ime@1.5" in done.stdout
    assert "ime-emulator" not in done.stdout


def test_debians_open_mpi_stack_is_taken_as_it_is(spack: Run, environment: str, tmp_path: Path) -> None:
    made = ran([ROOT / "envs" / "spack" / "debian-externals.sh", tmp_path / "debian"])
    if made.returncode != 0:
        pytest.skip(f"no Open MPI stack of Debian: {made.stderr.strip()}")
    site = {"WEIR_SITE_PACKAGES": made.stdout.strip()}
    nodes = spec(spack, environment, "netcdf-c +mpi +parallel-netcdf ^openmpi", site)
    for name in ("openmpi", "hdf5", "netcdf-c", "parallel-netcdf"):
        assert nodes[name].get("external"), f"{name} would be built"
