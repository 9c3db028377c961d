"""The Makefile, with what it calls emulated."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tests.programs import write_program

# Tells when it begins and ends; the second comes while the first is there, if make starts both at once.
SETUP = "#!/bin/sh\necho begin >>calls\nsleep 0.5\necho end >>calls\n"


@pytest.mark.parametrize("options", [["-j", "2"], ["--jobs"]])
def test_goals_run_one_after_the_other(tmp_path: Path, options: list[str]) -> None:
    """As in `make -j report test`, where the tests would be other work on the machine that is measured."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "envs").mkdir()
    write_program(tmp_path / "envs/setup.sh", SETUP)
    command = ["make", *options, "setup-develop", "setup-lab"]
    # As a user calls it: make test, which calls this, has a level and flags of its own.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "calls").read_text().split() == ["begin", "end", "begin", "end"]
