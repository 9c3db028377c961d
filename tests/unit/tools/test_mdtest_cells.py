"""Cells of the tool mdtest: command line, cost, label, and invalid combinations."""

from functools import partial
from typing import Any

import pytest

from tests.unit.tools.cells import DISK, PATHS, assert_problem, cell_of
from weir.records.model import Target
from weir.tools.mdtest import TOOL

BUFFER = Target("ime", "ime", "/data", prefix="ime://")
cell = partial(cell_of, TOOL, ppn=4)
HARD: dict[str, Any] = {"xfer_bytes": 3901, "shift": 1, "verify_read": True, "items_per_rank": 50}


def test_one_command_line_for_both_programs() -> None:
    line = "-a POSIX -i 2 -F -C -T -E -r -n 50 -N 1 -w 3901 -e 3901 -X -d /data/run/data"
    assert TOOL.command(cell(iterations=2, **HARD), DISK, ["mdtest"], PATHS) == ["mdtest", *line.split()]
    ours = TOOL.command(cell(iterations=2, **HARD), DISK, ["weir-io", "mdtest"], PATHS)
    assert ours == ["weir-io", "mdtest", *line.split(), "--json=/results/000/summary.json"]


@pytest.mark.parametrize(
    ("params", "options"),
    [
        ({"item": "directory", "access": ["create", "rename"]}, "-D -C -U -n 1000"),
        ({"directories": "own", "leaf_only": True}, "-F -C -T -E -r -u -n 1000 -L"),
        ({"branches": 9, "depth": 1, "order": "random"}, "-F -C -T -E -r -n 1000 -b 9 -z 1 -R"),
        ({"stonewall": 2.0, "sync": True}, "-F -C -T -E -r -n 1000 -Y -W 2"),
        ({"xfer_bytes": 8, "access": ["create"], "sync_files": True}, "-F -C -n 1000 -w 8 -y"),
    ],
)
def test_command_says_what_the_cell_asks(params: dict[str, Any], options: str) -> None:
    one = cell(**params)
    assert not TOOL.problems(one, DISK)
    arguments = TOOL.command(one, DISK, ["mdtest"], PATHS)
    assert arguments == ["mdtest", "-a", "POSIX", "-i", "1", *options.split(), "-d", "/data/run/data"]


def test_cost_counts_names_and_what_stays() -> None:
    """Four ranks of 50 files, one tree, two directories above it; all of it goes with each iteration."""
    cost = TOOL.footprint(cell(iterations=3, **HARD))
    assert (cost.inodes, cost.peak_bytes, cost.written_bytes) == (203, 200 * 3901, 3 * 200 * 3901)
    assert cost.operations == 3 * 4 * 200
    kept = TOOL.footprint(
        cell(iterations=3, directories="own", access=["create"], items_per_rank=30, branches=2, depth=2)
    )
    assert (kept.inodes, kept.peak_bytes, kept.read_bytes) == (3 * (120 + 4 * 7 + 2), 0, 0)


def test_labels_tell_cells_apart() -> None:
    assert TOOL.label(cell().params) == "POSIX 1000 files shared"
    assert TOOL.label(cell(**HARD).params) == "POSIX 50 files 3901B shared shift-1 verify-read"
    assert TOOL.label(cell(item="directory", directories="own", branches=3, depth=2).params) == (
        "POSIX 1000 directories own tree-3^2"
    )


@pytest.mark.parametrize(
    ("params", "printed"),
    [
        ({"access": ["stat"]}, "starts with an empty directory"),
        ({"item": "directory"}, "does not read directories"),
        ({"access": ["create", "rename"]}, "renames directories only"),
        ({"depth": 2, "branches": 2}, "over 7 directories"),
        ({"item": "directory", "access": ["create"], "xfer_bytes": 8}, "has no bytes"),
        ({"verify_read": True}, "verify_read needs"),
        ({"sync_files": True}, "xfer is 0 B"),
        ({"shift": 4}, "its own items back"),
        ({"stonewall": 1.5}, "whole seconds"),
        ({"stonewall": 1.0, "depth": 1, "items_per_rank": 2}, "one directory"),
        ({"api": "IME"}, "needs a target with the prefix"),
        ({"api": "NULL", **HARD}, "stores nothing"),
    ],
)
def test_what_cannot_mean_anything_is_said(params: dict[str, Any], printed: str) -> None:
    assert_problem(TOOL, cell(**params), printed)


def test_a_burst_buffer_has_no_rename_and_no_other_door() -> None:
    one = cell(api="IME", item="directory", access=["create", "rename"], sync=True)
    assert len(TOOL.problems(one, BUFFER)) == 2
    assert len(TOOL.problems(cell(), BUFFER)) == 1


def test_mdtest_has_no_single_rates_of_many_iterations() -> None:
    """It prints greatest, least and mean: a cell of more than three is for weir-io."""
    reason = "mdtest prints the mean of 4 iterations, not each"
    assert TOOL.unsupported(cell(iterations=4), ["/opt/mdtest"]) == reason
    assert TOOL.unsupported(cell(iterations=3), ["/opt/mdtest"]) is None
    assert TOOL.unsupported(cell(iterations=4), ["/opt/weir-io", "mdtest"]) is None
