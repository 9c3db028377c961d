"""The containers: what the definitions may say and, with Apptainer and a built image, what the image does."""

import hashlib
import json
import os
import py_compile
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.programs import ran, write_program
from tests.stacks.conftest import ROOT

DEFINITIONS = sorted((ROOT / "containers").glob("*.def"))
BUILD = ROOT / "containers" / "build.sh"
EXEC = ROOT / "containers" / "exec.sh"
FINISH = ROOT / "containers" / "finish.sh"
TEST = ROOT / "containers" / "test-measure.sh"
RANKS = ("mpirun", "--oversubscribe", "--bind-to", "none", "-np", "2")


def call(
    *arguments: str | Path, code: int | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return ran(arguments, env={**os.environ, **root, **variables}, timeout=600, code=code)


def lists_hash(commit: str) -> str:
    """The SHA-256 of what an image installs from, as that commit has it."""
    listed = call("git", "-C", ROOT, "ls-tree", "--name-only", commit, "envs/apt/").stdout.split()
    files = [*sorted(name for name in listed if name.endswith(".txt")), "envs/pip/requirements.txt"]
    shown = [call("git", "-C", ROOT, "show", f"{commit}:{name}", code=0) for name in files]
    return hashlib.sha256("".join(one.stdout for one in shown).encode()).hexdigest()


@pytest.fixture
def image(apptainer: str) -> Path:
    file = ROOT / "build" / "containers" / "measure.sif"
    if not file.exists():
        pytest.skip("build/containers/measure.sif is not built: containers/build.sh measure")
    if shutil.which("mpirun") is None:
        pytest.skip("no mpirun on the host to start ranks from outside")
    return file


@pytest.fixture
def variables(apptainer: str, tmp_path: Path) -> Mapping[str, str]:
    return {"APPTAINER": apptainer, "TMPDIR": str(tmp_path), "WEIR_BIND": str(tmp_path)}


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda file: file.stem)
def test_a_definition_names_no_packages_of_its_own(definition: Path) -> None:
    text = definition.read_text()
    installed = re.findall(r"apt-get .*?install (.*)", text)
    names = {word for line in installed for word in line.split() if not word.startswith("-")}
    assert names <= {"python3", "make", "{{", "packages", "}}"}, "packages belong into envs/apt"
    assert "pip install" not in text


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda file: file.stem)
def test_a_definition_labels_what_it_was_made_from_and_tests_itself(definition: Path) -> None:
    text = definition.read_text()
    labels = (
        "org.opencontainers.image.revision {{ commit }}",
        "org.label-schema.build-date {{ date }}",
        "weir.lock {{ lock }}",
        "weir.base {{ base }}",
    )
    for part in (*labels, "  /opt/weir/containers/finish.sh\n", "%test"):
        assert part in text


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda file: file.stem)
def test_a_build_without_the_script_stops_with_a_reason(definition: Path) -> None:
    """Before any file is copied: by `apptainer build x.sif measure.def` nobody names the commit."""
    setup = re.search(r"^%setup\n(.*?)^%", definition.read_text(), re.MULTILINE | re.DOTALL)
    assert setup is not None
    assert definition.read_text().index("%setup") < definition.read_text().index("%files")
    direct = call("sh", "-c", setup[1].replace("{{ commit }}", "unknown"), code=1)
    assert f"containers/build.sh {definition.stem}" in direct.stderr
    call("sh", "-c", setup[1].replace("{{ commit }}", "0" * 40), code=0)


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda file: file.stem)
def test_a_build_by_apptainer_itself_stops_with_that_reason(
    definition: Path, apptainer: str, tmp_path: Path
) -> None:
    """Without a registry, too: the base is fetched before anything of a definition runs."""
    direct = call(apptainer, "build", tmp_path / "direct.sif", definition)
    assert direct.returncode != 0
    assert f"build it by containers/build.sh {definition.stem}" in direct.stderr


OF_THE_IMAGE = """Types: deb
# http://archive.example/debian/20260918T000000Z
URIs: http://newest.example/debian
Suites: bookworm bookworm-updates

Types: deb
# http://archive.example/debian-security/20260918T000000Z
URIs: http://newest.example/debian-security
Suites: bookworm-security
"""


def sources_of(root: Path, pins: Path, of_the_image: str = OF_THE_IMAGE) -> tuple[int, str]:
    """What apt-sources.sh does to an image, and how it ends."""
    file = root / "etc/apt/sources.list.d/debian.sources"
    file.parent.mkdir(parents=True)
    file.write_text(of_the_image)
    done = call(ROOT / "containers/apt-sources.sh", pins, root)
    return done.returncode, file.read_text() if file.exists() else (root / "etc/apt/sources.list").read_text()


def test_packages_are_of_the_day_of_the_base(tmp_path: Path) -> None:
    status, found = sources_of(tmp_path / "day", ROOT / "containers/debian.list")
    uris = re.findall(r"^URIs: (.*)\nCheck-Valid-Until: no$", found, re.MULTILINE)
    assert (status, len(uris)) == (0, 2)
    assert all("archive.example" in uri and "20260918" in uri for uri in uris)
    assert sources_of(tmp_path / "without", ROOT / "containers/debian.list", "URIs: http://a\n")[0] == 1
    own = tmp_path / "own.list"
    own.write_text("deb file:/srv/debian bookworm main\n")
    assert sources_of(tmp_path / "own", own) == (0, own.read_text())
    assert sources_of(tmp_path / "newest", Path("/dev/null")) == (0, OF_THE_IMAGE)


def finished(folder: Path, packages: str) -> Mapping[str, str]:
    """The labels that finish.sh writes for a small tree with some files of a build."""
    root, programs = folder / "root", folder / "programs"
    for name in (
        "var/lib/apt/lists/a",
        "var/log/dpkg.log",
        "root/.cache/b",
        "opt/weir/build/setup.log",
        "proc/1",
        "var/tmp/1",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(str(folder))  # other bytes in each build
    (root / "opt/weir/program").write_text("the same")
    (root / "opt/weir-sources.list").touch()
    (root / "opt/weir/.venv/bin").mkdir(parents=True)
    (root / "opt/weir/.venv/bin/python").symlink_to(sys.executable)
    module = root / "opt/weir/module.py"
    module.write_text("VALUE = 1\n")
    os.utime(module, (0, len(packages) + len(folder.name)))
    py_compile.compile(str(module), dfile="/opt/weir/module.py")  # with the date of the module
    for name, line in (("dpkg-query", f"printf '{packages}'"), ("apt-get", "true")):
        write_program(programs / name, f"#!/bin/sh\n{line}\n")
    path = f"{programs}:{os.environ['PATH']}"
    call(FINISH, root, PATH=path, APPTAINER_LABELS=str(folder / "labels"), code=0)
    assert not (root / "var/log/dpkg.log").exists()
    assert "./opt/weir/program" in (root / "opt/weir/files.txt").read_text()
    return dict(line.split(" ") for line in (folder / "labels").read_text().splitlines())


def test_labels_are_checksums_of_packages_sources_and_files(tmp_path: Path) -> None:
    for name in ("first", "second", "other"):
        (tmp_path / name).mkdir()
    first = finished(tmp_path / "first", "a\\t1\\nb\\t2\\n")
    assert first["weir.packages"] == hashlib.sha256(b"a\t1\nb\t2\n").hexdigest()
    assert first["weir.apt"] == hashlib.sha256(b"").hexdigest()
    assert finished(tmp_path / "second", "a\\t1\\nb\\t2\\n") == first
    assert finished(tmp_path / "other", "a\\t1\\nb\\t3\\n")["weir.files"] != first["weir.files"]


def test_a_missing_image_and_an_unknown_container_are_named(tmp_path: Path) -> None:
    absent = call(EXEC, tmp_path / "no.sif", "weir-io", code=2)
    assert "containers/build.sh makes it" in absent.stderr
    unknown = call(BUILD, "mesure", code=2)
    assert "no container 'mesure'; known: analyse.def measure" in unknown.stderr


def test_a_build_labels_the_commit_and_its_lists_and_a_failed_one_says_what_to_do(tmp_path: Path) -> None:
    text = '#!/bin/sh\nprintf "%s\\n" "$@" "of $SOURCE_DATE_EPOCH"\nexit 3\n'
    stand_in = write_program(tmp_path / "apptainer", text)
    commit = call("git", "-C", ROOT, "rev-parse", "HEAD").stdout.strip()
    choice = {
        "APPTAINER": str(stand_in),
        "WEIR_OUT": str(tmp_path),
        "WEIR_BUILD_OPTIONS": "--sandbox --fix-perms",
    }
    done = call(BUILD, "measure", **choice, code=3)
    arguments = done.stdout.split("\n")
    assert arguments[:4] == ["build", "--force", "--sandbox", "--fix-perms"]
    assert [word for word in arguments if "," in word] == [], "Apptainer splits a --build-arg at commas"
    assert {f"commit={commit}", f"lock={lists_hash(commit)}", "bootstrap=docker"} <= set(arguments)
    assert "WEIR_BASE=localimage:" in done.stderr
    # The image keeps them and the dates: the next build has the same.
    made = int(call("git", "-C", ROOT, "log", "-1", "--format=%ct").stdout)
    assert {f"of {made}", f"date={datetime.fromtimestamp(made, UTC):%Y-%m-%dT%H:%M:%SZ}"} <= set(arguments)
    assert call(BUILD, "measure", **choice).stdout == done.stdout
    # By default the same base and packages as yesterday.
    assert "pinned=base+apt" in arguments
    assert "warning" not in done.stderr
    (base,) = [line.removeprefix("base=") for line in arguments if line.startswith("base=")]
    assert re.fullmatch(r"docker:debian@sha256:[0-9a-f]{64}", base)
    assert f"from={base.removeprefix('docker:')}" in arguments
    # Of one's own base neither is fixed: the label and two warnings tell.
    newest = call(BUILD, "measure", WEIR_BASE="docker:debian:12", **choice)
    assert {"pinned=nothing", "base=docker:debian:12"} <= set(newest.stdout.split("\n"))
    assert "debian:12 may be another one tomorrow" in newest.stderr
    assert "packages are the newest" in newest.stderr
    missing = call(BUILD, "measure", WEIR_APT_SOURCES=str(tmp_path / "none.list"), **choice, code=2)
    assert "none.list cannot be read" in missing.stderr
    (tmp_path / "snapshot.list").write_text("deb [check-valid-until=no] file:/srv/debian bookworm main\n")
    fixed = {
        "WEIR_BASE": f"docker:debian@sha256:{'0' * 64}",
        "WEIR_APT_SOURCES": str(tmp_path / "snapshot.list"),
    }
    again = call(BUILD, "measure", **fixed, **choice)
    assert "pinned=base+apt" in again.stdout.split("\n")
    assert "warning" not in again.stderr
    local = call(BUILD, "measure", WEIR_BASE="localimage:/srv/base.sif", **choice)
    assert {"bootstrap=localimage", "from=/srv/base.sif"} <= set(local.stdout.split("\n"))
    here = call(BUILD, "measure", WEIR_BASE="localimage:base.sif", **choice)
    assert f"from={Path.cwd()}/base.sif" in here.stdout.split("\n")
    assert local.returncode == 3
    assert "WEIR_BASE" not in local.stderr
    assert "pinned=base" in local.stdout.split("\n")


def test_several_containers_are_built_one_after_the_other(tmp_path: Path) -> None:
    """A second name was dropped, and its image missing."""
    text = '#!/bin/sh\nshift $(($# - 2))\nprintf "%s of %s\\n" "$1" "${2##*/}"\n'
    stand_in = write_program(tmp_path / "apptainer", text)
    choice = {"APPTAINER": str(stand_in), "WEIR_OUT": str(tmp_path), "WEIR_BUILD_OPTIONS": "--sandbox"}
    done = call(BUILD, "measure", "analyse", **choice, code=0)
    built = [line for line in done.stdout.splitlines() if " of " in line]
    assert built == [f"{tmp_path}/{name}.sif of {name}.def" for name in ("measure", "analyse")]
    unknown = call(BUILD, "mesure", "analyse", **choice)
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert "no container 'mesure'" in unknown.stderr


@pytest.mark.weekly
@pytest.mark.parametrize("name", ["measure", "analyse"])
def test_a_container_is_really_built(apptainer: str, tmp_path: Path, name: str) -> None:
    """Its %test, which measures or draws in it, is part of the build."""
    environment = {**os.environ, "APPTAINER": apptainer, "WEIR_OUT": str(tmp_path)}
    done = ran(("timeout", "3000", BUILD, name), env=environment)
    if done.returncode and re.search(r"dial tcp|no such host|i/o timeout", done.stderr):
        pytest.skip("the registry of the base cannot be reached")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    labels = call(apptainer, "inspect", "--labels", tmp_path / f"{name}.sif").stdout
    assert f"org.opencontainers.image.title: weir-{name}" in labels
    assert re.search(r"^org.opencontainers.image.revision: [0-9a-f]{40}$", labels, re.MULTILINE)


def test_who_has_no_range_of_ids_is_told_how_to_get_one(tmp_path: Path) -> None:
    for name, does in (("id", '[ "$1" = -un ] && echo stranger || echo 4242'), ("getsubids", "exit 1")):
        write_program(tmp_path / name, f"#!/bin/sh\n{does}\n")
    refused = call(
        BUILD, "measure", APPTAINER="true", PATH=f"{tmp_path}:/usr/bin:/bin", WEIR_BUILD_OPTIONS="", code=2
    )
    assert "stranger has no range of ids" in refused.stderr
    assert "usermod --add-subuids 300000-365535 --add-subgids 300000-365535 stranger" in refused.stderr


@pytest.mark.slow
def test_an_image_says_which_commit_and_lists_it_was_made_from(image: Path, apptainer: str) -> None:
    shown = json.loads(call(apptainer, "inspect", "--json", "--labels", image).stdout)
    labels = shown["data"]["attributes"]["labels"]
    assert labels["org.opencontainers.image.title"] == "weir-measure"
    commit = labels["org.opencontainers.image.revision"]
    if call("git", "-C", ROOT, "cat-file", "-e", f"{commit}^{{commit}}").returncode:
        pytest.skip(f"{image} is of commit {commit}, which this checkout does not have")
    assert labels["weir.lock"] == lists_hash(commit)


@pytest.mark.slow
def test_ranks_inside_the_container_move_bytes(image: Path, variables: Mapping[str, str]) -> None:
    done = call(EXEC, image, "/opt/weir/containers/test-measure.sh", **variables, code=0)
    assert "MPIIO: 2 ranks wrote and verified 4194304 bytes" in done.stdout


@pytest.mark.slow
def test_ranks_started_from_outside_find_each_other(image: Path, variables: Mapping[str, str]) -> None:
    done = call(TEST, "weir-io", *RANKS, EXEC, image, **variables, code=0)
    assert "MPIIO: 2 ranks wrote and verified 4194304 bytes" in done.stdout


@pytest.mark.slow
def test_the_hosts_mpi_can_take_the_place_of_the_containers(
    image: Path, variables: Mapping[str, str], tmp_path: Path
) -> None:
    host = tmp_path / "host-mpi"
    host.mkdir()
    listed = call("ldd", shutil.which("mpirun") or "", **variables).stdout
    folder = Path(next(iter(re.findall(r"=> (\S+libopen-rte\S+)", listed)), "/nowhere/none")).parent
    if not (folder / "libmpi.so.40").exists():
        pytest.skip("the host's mpirun is not of an Open MPI 4 with shared libraries")
    for name in ("libmpi.so.40", "libopen-rte.so.40", "libopen-pal.so.40"):
        shutil.copy(folder / name, host)
    bound = {**variables, "APPTAINERENV_LD_LIBRARY_PATH": str(host)}
    listed = call(EXEC, image, "ldd", "/opt/weir/build/weir-io", **bound).stdout
    assert f"libmpi.so.40 => {host}/libmpi.so.40" in listed
    call(TEST, "weir-io", *RANKS, EXEC, image, **bound, code=0)


@pytest.mark.slow
def test_a_batch_runs_in_the_container_as_a_stack(
    image: Path, variables: Mapping[str, str], tmp_path: Path
) -> None:
    weir = ROOT / ".venv" / "bin" / "weir"
    plan = tmp_path / "plan.json"
    choice = ("--site", "stacks", "--suite", "stack-cost", "--stack", "container")
    call(weir, "plan", *choice, "--out", plan, **variables, code=0)
    results = tmp_path / "results"
    batch = ("--plan", plan, "--batch", "memory-container-1x2", "--results", results)
    call(weir, "run", *batch, **variables, code=0)
    runs = [json.loads(file.read_text()) for file in results.glob("runs/*/*/run.json")]
    assert runs
    assert {run["status"] for run in runs} == {"done"}
    assert all(str(image) in run["command"] for run in runs)
