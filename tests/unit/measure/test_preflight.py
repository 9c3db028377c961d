from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from weir.measure.preflight import check_inodes
from weir.model import Footprint, Target
from weir.plan.cost import LAUNCH_EXECUTIONS

TARGET = Target(name="disk", kind="disk", path="/target")


@pytest.mark.parametrize(
    ("executions", "directories"), [(20, 20), (10 * LAUNCH_EXECUTIONS, LAUNCH_EXECUTIONS)]
)
def test_the_inodes_of_all_directories_of_a_launch_count(
    monkeypatch: pytest.MonkeyPatch, executions: int, directories: int
) -> None:
    """A launch makes them all at its start; besides there are the workspace, its marker and the lock."""
    peak = [Footprint(1, 1, 1, inodes=inodes, operations=1) for inodes in (7, 2)]
    needed = 7 + directories + 3
    for free, fits in ((needed, True), (needed - 1, False)):
        facts = SimpleNamespace(f_files=10**6, f_favail=free)
        monkeypatch.setattr(os, "statvfs", lambda _, facts=facts: facts)
        check = check_inodes(Path("/target"), TARGET, peak, executions)
        assert (check.problem is None) == fits
        assert check.found == f"{needed} of {free}"


def test_a_file_system_that_counts_no_inodes_has_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_files=0, f_favail=0))
    assert check_inodes(Path("/target"), TARGET, [], 1).problem is None
