"""An import of twice as many files, or of twice as many results in a file, executes twice as many lines."""

import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.unit.decide.io500.results import IOR_LOG, ini, new_summary, write
from weir.collect.imported_files import Facts, files_below
from weir.decide.io500.imported import import_all
from weir.tools import tools

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
MOST = 2.05


def lines_of(function: Callable[[], object]) -> int:
    """Lines that the interpreter executes, each turn of a loop counted."""
    count = 0

    def seen(_frame: object, event: str, _argument: object) -> Any:
        nonlocal count
        count += event == "line" or event == "call"
        return seen

    before = sys.gettrace()
    sys.settrace(seen)
    try:
        function()
    finally:
        sys.settrace(before)
    return count


def result_sets(folder: Path, count: int) -> None:
    for number in range(count):
        run = folder / f"run{number}"
        run.mkdir(parents=True)
        write(run, result_summary=new_summary(), result=ini())
        log = IOR_LOG.format(stonewall=300)
        (run / "ior-easy-write.txt").write_text(re.sub(r"(\d\.\d+)", rf"\g<1>{number:03d}", log))


@pytest.mark.slow
def test_sets_of_io500(tmp_path: Path) -> None:
    costs = []
    for count in (100, 200):
        result_sets(tmp_path / str(count), count)
        found = files_below([tmp_path / str(count)]).files
        costs.append(lines_of(partial(import_all, found, Facts())))
    assert costs[1] < MOST * costs[0]


@pytest.mark.parametrize(
    "name", ["fio/groups.txt", "h5bench/write.txt", "elbencho/shared.txt", "dd/three.txt"]
)
def test_results_in_a_file(name: str) -> None:
    text, tool = (GOLDEN / name).read_text(), tools()[name.partition("/")[0]]
    tool.parse_log(text)
    costs = [lines_of(partial(tool.parse_log, "\n".join([text] * count))) for count in (100, 200)]
    assert costs[1] < MOST * costs[0]
