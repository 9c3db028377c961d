"""The wheel of this checkout in a bare environment: only what it declares, another folder, another user."""

import contextlib
import ctypes
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from tests.programs import ran, write_file
from tests.unit.decide.io500.results import old_summary, write
from weir.data import STUDY_PARTS
from weir.witness.document import LIBRARY_NAME

ROOT = Path(__file__).resolve().parents[3]
NOBODY = 65534
LOG = ROOT / "tests/golden/ior/ior-posix-shared.txt"
USER_SUITE = """\
suite: mine
question: How fast is it?
experiments:
  one: {tool: ior, nodes: [1], ppn: [1], space: {xfer: [1 MiB]}, fixed: {block: 16 MiB}}
"""
USER_TARGET = """\
target: scratch
kind: disk
description: A directory of mine
path: /var/tmp/weir-scratch
"""


def built_wheel(folder: Path) -> Path:
    """Built from a copy, so that nothing of an earlier build can enter."""
    tree = folder / "tree"
    ignored = shutil.ignore_patterns("__pycache__")
    for name in ("weir", "src", "envs/wheel", *STUDY_PARTS, "pyproject.toml", "MANIFEST.in", "README.md"):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tree / name, symlinks=True, ignore=ignored)
        else:
            shutil.copy(ROOT / name, tree)
    arguments = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-index"]
    arguments += ["--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(tree)]
    subprocess.run(arguments, check=True, capture_output=True)
    return next(folder.glob("weir_storage-*.whl"))


def declared(wheel: Path) -> set[str]:
    """What the wheel requires without extras, and what that requires in turn."""
    with zipfile.ZipFile(wheel) as file:
        (metadata,) = (name for name in file.namelist() if name.endswith(".dist-info/METADATA"))
        lines = file.read(metadata).decode().splitlines()
    wanted = [line.removeprefix("Requires-Dist: ") for line in lines if line.startswith("Requires-Dist: ")]
    found: set[str] = set()
    while wanted:
        requirement = Requirement(wanted.pop())
        applies = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if applies and requirement.name not in found:
            found.add(requirement.name)
            wanted += distribution(requirement.name).requires or []
    return found


def put_in(site_packages: Path, name: str) -> None:
    """Copy an installed distribution: the package index stays out of the test."""
    for file in distribution(name).files or ():
        source = Path(str(file.locate()))
        if ".." not in file.parts and source.is_file():
            copy = site_packages / file
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)  # others may read it, whatever the mode of the source is


def other_user() -> dict[str, Any]:
    """How to start a process as somebody without rights; whoever is not root is that already."""
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}


def interpreter() -> str:
    """A Python of this version that the other user can start: that of root's home is out of reach."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for name in (sys.executable, f"/usr/bin/{version}", f"/usr/local/bin/{version}"):
        with contextlib.suppress(OSError):
            real = str(Path(name).resolve())
            if subprocess.run([real, "-c", ""], check=False, cwd="/", **other_user()).returncode == 0:
                return real
    pytest.skip(f"no {version} that another user than root can start")


@dataclass(frozen=True)
class Installed:
    """A bare environment with the wheel, and an empty folder to work in."""

    wheel: Path
    program: Path
    folder: Path

    def weir(
        self, *arguments: str, code: int | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        return ran(
            [self.program, *arguments],
            cwd=self.folder,
            env={"PATH": "/usr/bin:/bin", "HOME": str(self.folder), **environment},
            code=code,
            **other_user(),
        )

    def good(self, *arguments: str, **environment: str) -> str:
        return self.weir(*arguments, code=0, **environment).stdout


@pytest.fixture(scope="module")
def installed(readable_files: None) -> Iterator[Installed]:
    # Not a folder of pytest's, which other users may not enter.
    folder = Path(tempfile.mkdtemp(prefix="weir-wheel-"))
    folder.chmod(0o755)
    wheel = built_wheel(folder)
    subprocess.run([interpreter(), "-m", "venv", "--without-pip", str(folder / "venv")], check=True)
    (site_packages,) = (folder / "venv").glob("lib/python*/site-packages")
    for name in declared(wheel):
        put_in(site_packages, name)
    arguments = ["--python", str(folder / "venv/bin/python"), "install", "--quiet", "--no-index", "--no-deps"]
    subprocess.run([sys.executable, "-m", "pip", *arguments, str(wheel)], check=True)
    (folder / "study").mkdir()
    if os.getuid() == 0:
        os.chown(folder / "study", NOBODY, NOBODY)
    yield Installed(wheel, folder / "venv/bin/weir", folder / "study")
    shutil.rmtree(folder)


pytestmark = pytest.mark.slow


def test_the_wheel_needs_two_packages_and_holds_what_a_study_consists_of(installed: Installed) -> None:
    assert declared(installed.wheel) >= {"jsonschema", "PyYAML"}
    with zipfile.ZipFile(installed.wheel) as file:
        names = set(file.namelist())
    files = {file for part in STUDY_PARTS for file in (ROOT / part, *(ROOT / part).rglob("*"))}
    shipped = {str(file.relative_to(ROOT)) for file in files if file.is_file() and file.suffix != ".pyc"}
    shipped = {name for name in shipped if not name.startswith(("analysis/tests/", "analysis/."))}
    assert {f"weir/data/{name}" for name in shipped} <= names
    assert not [name for name in names if name.startswith("weir/data/analysis/tests/")]
    packages = {str(file.relative_to(ROOT)) for file in (ROOT / "weir").rglob("*.py")}
    assert packages <= names


def test_a_program_is_proven_by_the_library_in_the_wheel(installed: Installed) -> None:
    if not any(map(shutil.which, ("cc", "gcc", "clang"))):
        pytest.skip("no C compiler: cc, gcc, clang")
    assert not installed.wheel.name.endswith("-any.whl")
    dd = ("dd", "if=/dev/zero", "of=f", "bs=1M", "count=16", "conv=fsync")
    done = installed.weir("prove", "--on", ".", "--", *dd)
    assert "write 16 MiB in 16 calls" in done.stderr
    assert "not seen: calls" not in done.stderr


@pytest.mark.weekly
def test_ziglang_compiles_it_where_no_compiler_is(tmp_path: Path) -> None:
    """80 MB from the index of this machine."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    pinned = project["tool"]["weir"]["compiler"]
    fetch = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    fetch += ["--target", str(tmp_path / "zig"), pinned]
    if subprocess.run(fetch, check=False, capture_output=True).returncode:
        pytest.skip(f"pip cannot get {pinned}")
    library = tmp_path / LIBRARY_NAME
    command = [sys.executable, str(ROOT / "envs/wheel/witness_build.py"), str(library)]
    environment = {"PATH": str(tmp_path / "nothing"), "PYTHONPATH": str(tmp_path / "zig")}
    subprocess.run(command, check=True, env=environment, capture_output=True)
    assert ctypes.CDLL(str(library)).fsync(-1) == -1
    assert max(int(minor) for minor in re.findall(rb"\0GLIBC_2\.(\d+)", library.read_bytes())) <= 28


def test_a_source_distribution_compiles_the_same(installed: Installed) -> None:
    tree = installed.wheel.parent / "tree"
    script = (
        "import sys; sys.path.insert(0, 'envs/wheel'); import weir_wheel; weir_wheel.build_sdist('sdist')"
    )
    subprocess.run([sys.executable, "-c", script], cwd=tree, check=True, capture_output=True)
    (archive,) = (tree / "sdist").glob("*.tar.gz")
    with tarfile.open(archive) as file:
        names = {name.partition("/")[2] for name in file.getnames()}
    wanted = {f"src/{part}/*.[ch]" for part in ("witness", "engine/core", "engine/observers")}
    files = {str(file.relative_to(ROOT)) for pattern in wanted for file in ROOT.glob(pattern)}
    assert files | {"src/witness/library.txt", "envs/wheel/weir_wheel.py", "weir/data/Snakefile"} <= names


def test_import_and_audit_in_any_folder(installed: Installed) -> None:
    (installed.folder / "a.log").write_bytes(LOG.read_bytes())
    assert "records" in installed.good("import", "a.log")
    assert (installed.folder / "imported/records.csv").is_file()
    assert "records" in installed.good("audit", "imported/records.csv")


def test_plan_in_any_folder(installed: Installed) -> None:
    card = installed.good("plan", "--suite", "quick", "--target", "memory", "--out", "plan.json")
    assert "cells" in card
    assert f'"{installed.folder}/build/weir-io"' in (installed.folder / "plan.json").read_text()


def test_io500_compares_with_the_shipped_submissions(installed: Installed) -> None:
    run = installed.folder / "run"
    run.mkdir()
    write(run, result_summary=old_summary(total=36.0))
    assert "(343 in all)" in installed.good("io500", "run")


def test_stacks_says_that_the_engine_is_missing(installed: Installed) -> None:
    done = installed.weir("stacks", "--site", "local", code=1)
    assert "debian" in done.stdout, done.stderr
    assert "PROBLEM" in done.stdout


def test_a_users_suite_and_target_beside_the_shipped_ones(installed: Installed) -> None:
    own = installed.folder / "own"
    write_file(own / "suites/mine.yaml", USER_SUITE)
    write_file(own / "sites/local/targets/scratch.yaml", USER_TARGET)
    arguments = ("plan", "--suite", "mine", "--target", "scratch")
    assert "scratch" in installed.good(*arguments, "--config-dir", "own")
    assert "scratch" in installed.good(*arguments, WEIR_CONFIG=str(own))
    installed.weir(*arguments, code=2)


def test_a_study_of_its_own_outside_of_a_checkout(installed: Installed) -> None:
    engine = installed.folder / "weir-io"
    engine.write_text("#!/bin/sh\n")
    installed.weir("init", "mine", "--engine", "weir-io", code=2)  # not a program yet
    engine.chmod(0o755)
    printed = installed.good("init", "mine", "--engine", "weir-io")
    assert "not on the PATH: snakemake" in printed
    study = installed.folder / "mine"
    assert (study / "build/weir-io").resolve() == engine.resolve()
    arguments = ("plan", "--suite", "quick", "--target", "memory", "--out", "plan.json")
    done = ran([installed.program, *arguments], cwd=study, check=True)
    assert "cells" in done.stdout
    assert f'"{study}/build/weir-io"' in (study / "plan.json").read_text()
    assert "mine: is not an empty directory" in installed.weir("init", "mine", code=2).stderr


def test_help_and_every_command_start(installed: Installed) -> None:
    listed = installed.good("--help")
    for name in ("plan", "run", "collect", "import", "audit", "stacks"):
        assert re.search(rf"^  {name} ", listed, re.MULTILINE)
        assert "example: weir" in installed.good(name, "--help")
