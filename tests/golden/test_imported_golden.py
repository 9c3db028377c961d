"""Outputs of programs that weir reads and does not start: what is parsed and judged is written down.

Captures of programs that were built beside the project; names with `documented` are examples of manuals.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.golden.captures import GOLDEN, captures, described, name_of, text_of
from tests.unit.imported import rows_of
from tests.unit.tools.cells import cell_of
from weir.collect.importing import runs_in
from weir.records.model import Target
from weir.tools import tools
from weir.tools.base import LogTool

NAMES = [name for name, tool in tools().items() if isinstance(tool, LogTool)]


@pytest.mark.parametrize("file", captures(LogTool), ids=name_of)
def test_capture(file: Path, golden: Callable[[Path, str], None]) -> None:
    runs = list(runs_in(text_of(file)))
    assert {name for name, _ in runs} == {file.parent.name}
    golden(Path(f"{file}.golden"), described([parsed for _, parsed in runs]))


@pytest.mark.parametrize("name", NAMES)
def test_a_suite_is_told_that_it_cannot_start_it(name: str) -> None:
    (problem,) = tools()[name].problems(cell_of(tools()[name]), Target("disk", "disk", "/data"))
    assert "weir import" in problem


def test_targets_that_failed_or_were_too_quick_are_told() -> None:
    text = text_of(GOLDEN / "obdfilter-survey/documented.txt").replace(
        "[ 64.00, 82.00]", "            SHORT rewrite  10.00             ERROR read 5.00 [1.0,2.0]"
    )
    ((_, parsed),) = runs_in(text)
    assert [(row["access"], row["bw_mib_s"]) for row in parsed.rows] == [
        ("write", 613.54),
        ("write", 10.0),
        ("read", 5.0),
    ]
    assert [(message.level, message.row) for message in parsed.messages] == [("error", 1)]


def test_a_page_that_quotes_lines_of_a_log() -> None:
    """Without the first line of a survey; indented."""
    text = text_of(GOLDEN / "obdfilter-survey/documented.txt")
    lines = [line for line in text.splitlines(keepends=True) if line.startswith("ost")]
    ((tool, parsed),) = runs_in("As an example:\n" + "".join(lines))
    assert (tool, parsed.rows[0]["bw_mib_s"]) == ("obdfilter-survey", 613.54)
    log = text_of(GOLDEN / "md-workbench/reports.txt")
    quoted = "".join(f"    {line}" for line in log.splitlines(keepends=True))
    ends_early = quoted[: quoted.index("Total runtime")]
    rows = [row for _, one in runs_in(ends_early) for row in one.rows]
    assert {row["observed"]["all_results"] for row in rows} == {True}  # a note, and no run that failed
    whole, indented = ([len(one.rows) for _, one in runs_in(one)] for one in (log, f"So:\n{quoted}"))
    assert whole == indented != []


EARLY_H5BENCH = """\
Total particles in the file: 1048576
Number of particles available per rank: 262144
Reading Timestep_0 ...

 =================  Performance results  =================
Total emulated compute time = 4 sec
Total read size = 10 GB
Raw read time = 28.490 sec
Metadata time = 0.105 sec
Observed read completion time = 36.974 sec
Sync Raw read rate = 0.351 GB/sec
Sync Observed read rate = 0.303272 GB/sec
"""


def test_an_early_h5bench_that_reads() -> None:
    """Its line of = is indented, and its time contains the computing, which its rate does not."""
    ((_, run),) = runs_in(EARLY_H5BENCH)
    (row,) = run.rows
    assert (row["access"], row["moved_bytes"], row["observed"]["tasks"]) == ("read", 10 * 2**30, 4)
    assert (row["io_s"], row["total_s"]) == (28.49, None)
    assert row["bw_mib_s"] == pytest.approx(0.303272 * 1024)


def test_an_epoch_that_fits_into_memory_is_doubtful_and_no_epoch_is_proven(tmp_path: Path) -> None:
    """What MLPerf Storage's own check of caching cannot see: the summary has no counters."""
    text = (GOLDEN / "dlio/training.json").read_text()
    for memory, doubted in (("23.54016876220703", 2), ("0.001", 0)):
        *epochs, checkpoints = rows_of(tmp_path, text.replace("23.54016876220703", memory))
        assert [row["reasons"] for row in epochs].count("epoch-from-memory") == doubted
        assert [row["verdict"] for row in (epochs[0], checkpoints)] == ["UNPROVEN", "UNPROVEN"]
        assert "fetched" in epochs[0]["missing"].split(";")
