"""Cells of the tool madbench: command line, cost, label, and invalid combinations."""

from functools import partial
from typing import Any

import pytest

from tests.unit.tools.cells import DISK, assert_problem, cell_of, command_of
from weir.records.model import Cell
from weir.tools.madbench import TOOL

WEIR_IO = ("build/weir-io", "madbench")
cell = partial(cell_of, TOOL, ppn=2)


def command(one: Cell) -> str:
    return command_of(TOOL, one, *WEIR_IO)


def test_command_of_the_defaults() -> None:
    assert command(cell(iterations=3)) == (
        "build/weir-io madbench -a POSIX -p 1000 -b 8 -g 1 --phases SWC -i 3 --block 1 --rmod 1 --wmod 1 -e"
        " --json /results/000/summary.json -o /data/run/data"
    )


def test_command_says_what_the_cell_asks() -> None:
    one = cell(
        api="MPIIO",
        layout="file-per-process",
        access=["write", "read"],
        call_bytes=2**20,
        busy="1.5",
        sync=False,
        verify=True,
    )
    assert not TOOL.problems(one, DISK)
    assert " --phases SC " in command(one)
    assert " -t 1048576 -F --busy 1.5 --verify --json " in command(one)
    assert TOOL.label(one.params) == (
        "MPIIO file-per-process 1000 pixels x 8 bins SC 1 MiB busy-1.5 verify no-sync"
    )


def test_cost() -> None:
    """8 matrices of 8 MB, written and read twice in each of 3 iterations; a part takes 4 MiB of the file."""
    cost = TOOL.footprint(cell(iterations=3, align_bytes=2**22, call_bytes=2**20))
    assert (cost.written_bytes, cost.read_bytes) == (6 * 64000000, 6 * 64000000)
    assert (cost.peak_bytes, cost.inodes) == (16 * 2**22, 1)
    assert cost.operations == 12 * 8 * 2 * 4


def test_only_weir_io_runs_it() -> None:
    assert "use [weir-io, madbench]" in str(TOOL.unsupported(cell(), ["MADbench2.x"]))


@pytest.mark.parametrize(
    ("params", "phrase"),
    [
        ({"pixels": 15}, "15 x 15 elements for 2 ranks: try pixels: 16"),
        ({"gangs": 3}, "must be multiples of the 3 gangs"),
        ({"align_bytes": 100}, "align 100 B is not a multiple of 8 bytes"),
        ({"access": ["read"]}, "access needs write"),
        ({"access": ["write", "update-read"]}, "are one phase"),
        ({"access": ["write", "read"], "gangs": 2}, "gangs begin with the update"),
        ({"access": ["write"], "verify": True}, "verify needs an access that reads"),
        ({"busy": "much"}, "is not a number"),
        ({"busy": "3"}, "busy is 0 to 2, not 3"),
        ({"api": "NULL", "verify": True}, "could be compared"),
        ({"api": "IME"}, "needs a target with the prefix"),
        ({"stripe_count": 2}, "have no stripes"),
    ],
)
def test_what_cannot_mean_anything(params: dict[str, Any], phrase: str) -> None:
    assert_problem(TOOL, cell(**params), phrase)
