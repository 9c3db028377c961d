"""The hooks of pre-commit work in a checkout that knows no more than `make setup`."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.checkout import ROOT
from tests.programs import ran, write_program

HOOKS = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
# One of each kind that a hook reads.
FILES = (
    *("weir/base/errors.py", "src/engine/main.c", ".ci/hook", "config/config.yaml"),
    *("Snakefile", "analysis/R/parts.R"),
)
# What `make setup-develop` does, for a tool that only prints its arguments.
MAKE = '#!/bin/sh\necho "make $*" >&2\nmkdir -p .venv/bin\ncp ../ruff .venv/bin\n'


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for file, text in (("bin/make", MAKE), ("ruff", '#!/bin/sh\necho "ruff $*"\n')):
        write_program(tmp_path / file, text)
    (tmp_path / "checkout/.ci").mkdir(parents=True)
    shutil.copy(ROOT / ".ci/hook", tmp_path / "checkout/.ci")
    return tmp_path / "checkout"


def hook(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": f"{checkout.parent}/bin:/usr/bin:/bin"}
    command = [checkout / ".ci/hook", *arguments]
    return ran(command, env=environment)


def test_a_missing_linter_is_installed_once(checkout: Path) -> None:
    first = hook(checkout, "ruff", "check", "a b.py")
    assert (first.returncode, first.stdout) == (0, "ruff check a b.py\n"), first.stderr
    assert "setup-develop" in first.stderr
    again = hook(checkout, "ruff", "check")
    assert (again.stdout, again.stderr) == ("ruff check\n", "")


def test_one_that_cannot_be_installed_fails_the_commit(checkout: Path) -> None:
    assert hook(checkout, "no-such-linter").returncode == 1


def test_no_hook_needs_more_than_the_checkout_and_make() -> None:
    assert {entry["entry"].split()[0] for entry in HOOKS} == {".ci/hook", "make"}
    assert {entry["language"] for entry in HOOKS} == {"system"}


@pytest.mark.parametrize("target", [entry["entry"] for entry in HOOKS if entry["entry"].startswith("make")])
def test_a_hook_that_is_a_target_of_make_installs_what_it_needs_first(target: str) -> None:
    """After `make setup`, R has no lintr."""
    command = [target.split()[0], "--dry-run", *target.split()[1:]]
    done = ran(command, cwd=ROOT, code=0)
    first, *others = done.stdout.splitlines()
    assert first == "envs/setup.sh measure analyse report develop"
    assert others, "something is linted"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone whose .venv is that of this checkout, complete."""
    folder = tmp_path / "clone"
    done = subprocess.run(["git", "clone", "--quiet", ROOT, folder], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("this tree is not a git checkout")
    shutil.copy(ROOT / ".pre-commit-config.yaml", folder)
    (folder / ".venv").mkdir()
    (folder / ".venv/bin").symlink_to(ROOT / ".venv/bin")
    lock = folder / "envs/pip/requirements-develop.txt"
    python = (folder / ".venv/bin/python").resolve()
    made_of = lock.read_bytes() + (folder / "pyproject.toml").read_bytes() + f"{folder}\n{python}\n".encode()
    stamp = hashlib.sha256(made_of).hexdigest()  # as envs/setup.sh writes it
    (folder / ".venv/weir-requirements-develop").write_text(stamp)
    return folder


@pytest.mark.slow
def test_the_real_pre_commit_passes_in_a_clone(clone: Path) -> None:
    programs = ("Rscript", "clang-format", "shellcheck")
    lintr = ("Rscript", "-e", "library(lintr)")
    if (
        not all(map(shutil.which, programs))
        or subprocess.run(lintr, capture_output=True, check=False).returncode
    ):
        pytest.skip("lintr, clang-format or shellcheck is not installed")
    if (ROOT / "build/lintr").is_dir():  # what lintr knows of unchanged files
        shutil.copytree(ROOT / "build/lintr", clone / "build/lintr")
    command = [ROOT / ".venv/bin/pre-commit", "run", "--files", *FILES]
    # types-python reads the whole tree, as `make check` does.
    chosen = {"SKIP": "types-python", "PRE_COMMIT_HOME": str(clone.parent / "home"), "WEIR_APT": "no"}
    done = ran(command, cwd=clone, env={**os.environ, **chosen}, code=0)
    assert done.stdout.count("Passed") == len(HOOKS) - 1, done.stdout
