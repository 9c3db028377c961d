"""A machine for set-up."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tests.programs import write_file, write_program
from tests.unit.setup.machine import STAND_INS, Machine


@pytest.fixture
def machine() -> Iterator[Machine]:
    """Debian 12 with nothing installed, and a checkout of the lists."""
    # Not tmp_path, which other users may not enter: one test is another user.
    folder = Path(tempfile.mkdtemp(prefix="weir-setup-"))
    folder.chmod(0o755)
    machine = Machine(folder / "checkout", folder / "notes")
    shutil.copytree(ROOT / "envs" / "apt", machine.checkout / "envs" / "apt")
    shutil.copytree(ROOT / "envs" / "pip", machine.checkout / "envs" / "pip")
    shutil.copy(ROOT / "envs" / "setup.sh", machine.checkout / "envs")
    shutil.copy(ROOT / "pyproject.toml", machine.checkout)
    write_file(machine.notes / "installed", "")
    for name, text in STAND_INS.items():
        noting = f'note() {{ echo "{name} $*" >>"$notes/calls"; }}'
        write_program(machine.notes / "bin" / name, f"#!/bin/bash\n{noting}\n{text}")
    machine.is_release("ID=debian", "VERSION_ID=12")
    for path in folder.rglob("*"):  # whatever the mask of the checkout's user
        path.chmod(path.stat().st_mode | (0o055 if path.is_dir() else 0o044))
    yield machine
    shutil.rmtree(folder)
