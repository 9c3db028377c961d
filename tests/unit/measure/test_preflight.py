from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.checkout import shipped
from weir.measure.preflight import check_inodes, inodes_of
from weir.plan import make_plan
from weir.plan.cost import LAUNCH_EXECUTIONS
from weir.terms.model import Stack, Target
from weir.tools import tools

TARGET = Target(name="disk", kind="disk", path="/target")
CONFIG = shipped("local", ["quick"], targets=["disk"])
CELLS = make_plan(CONFIG).cells


@pytest.mark.parametrize(
    ("rounds", "program", "directories"),
    [
        (10, "weir-io ior", 20),
        (10 * LAUNCH_EXECUTIONS, "weir-io ior", LAUNCH_EXECUTIONS),
        (10, "ior", 1),
    ],
)
def test_the_inodes_of_all_directories_of_a_launch_count(rounds: int, program: str, directories: int) -> None:
    """A launch makes them all at its start; besides there are the workspace, its marker and the lock."""
    stack = Stack("mine", {"ior": tuple(program.split())})
    cells = [replace(cell, rounds=rounds) for cell in CELLS[:2]]
    files = max(tools()["ior"].footprint(cell).inodes for cell in cells)
    assert inodes_of(cells, stack) == files + directories + 3


@pytest.mark.parametrize("limit", [100, 204, 205])
def test_what_the_plan_lets_through_is_not_too_much_for_the_preflight(limit: int) -> None:
    """Both count alike, though the plan does not know yet which executions share a launch."""
    site = replace(CONFIG.site, targets={"disk": replace(CONFIG.site.targets["disk"], inodes=limit)})
    plan = make_plan(replace(CONFIG, site=site, targets=("disk",)))
    stack = CONFIG.site.stacks["debian"]
    needs = [inodes_of(batch.cells, stack) for batch in plan.batches]
    assert all(need <= limit for need in needs)
    assert bool(needs) == (limit > LAUNCH_EXECUTIONS)


def test_more_inodes_than_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    for free, fits in ((30, True), (29, False)):
        facts = SimpleNamespace(f_files=10**6, f_favail=free)
        monkeypatch.setattr(os, "statvfs", lambda _, facts=facts: facts)
        check = check_inodes(Path("/target"), TARGET, 30)
        assert (check.problem is None) == fits
        assert check.found == f"30 of {free}"


@pytest.mark.parametrize(
    ("files", "free"),
    [(0, 0), (113, -1), (113, 2**64 - 1)],
    ids=["none at all", "files but no limit (CephFS)", "the same without a sign"],
)
def test_a_file_system_that_does_not_limit_inodes_has_enough(
    monkeypatch: pytest.MonkeyPatch, files: int, free: int
) -> None:
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_files=files, f_favail=free))
    check = check_inodes(Path("/target"), TARGET, 30)
    assert check.problem is None
    assert check.found == "the file system does not count them"
