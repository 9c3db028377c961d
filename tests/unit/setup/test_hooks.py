"""The hooks of pre-commit work in a checkout that knows no more than `make setup`."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.checkout import ROOT

HOOKS = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
# What `make setup-develop` does, for a tool that only prints its arguments.
MAKE = '#!/bin/sh\necho "make $*" >&2\nmkdir -p .venv/bin\ncp ../ruff .venv/bin\n'


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for file, text in (("bin/make", MAKE), ("ruff", '#!/bin/sh\necho "ruff $*"\n')):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text)
        (tmp_path / file).chmod(0o755)
    (tmp_path / "checkout/.ci").mkdir(parents=True)
    shutil.copy(ROOT / ".ci/hook", tmp_path / "checkout/.ci")
    return tmp_path / "checkout"


def hook(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": f"{checkout.parent}/bin:/usr/bin:/bin"}
    command = [checkout / ".ci/hook", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


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
