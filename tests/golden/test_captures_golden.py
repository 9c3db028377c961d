"""Captured outputs of originals and of weir-io, whole, failed and cut: what is parsed is written down."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.golden.captures import GOLDEN, captures, described, name_of, runs_of, text_of
from weir.records.model import Row
from weir.tools import io_model, ior, madbench, mdtest, netcdf_bench
from weir.tools.base import LogTool
from weir.tools.engine import EngineTool

CAPTURES = captures(EngineTool)
NETCDF_BENCH = GOLDEN / "netcdf-bench"


@pytest.mark.parametrize("file", CAPTURES, ids=name_of)
def test_capture(file: Path, golden: Callable[[Path, str], None]) -> None:
    golden(Path(f"{file}.golden"), described(runs_of(file)))


def rows_of(file: Path, length: int | None = None) -> list[Row]:
    return [row for run in runs_of(file, length) for row in run.rows]


@pytest.mark.parametrize("file", [*CAPTURES, *captures(LogTool)], ids=name_of)
def test_a_cut_capture_gives_what_is_there(file: Path) -> None:
    """Cut anywhere, the parser must not fail or invent rows."""
    names = ("access", "iteration", "bw_mib_s", "ops_s")
    whole = [[row.get(name) for name in names] for row in rows_of(file)]
    characters = len(text_of(file))
    for length in range(0, characters - 2, max(1, characters // 40)):
        cut = [[row.get(name) for name in names] for row in rows_of(file, length)]
        assert cut == whole[: len(cut)]


@pytest.mark.parametrize("file", captures(type(mdtest.TOOL)), ids=name_of)
def test_a_cut_capture_of_mdtest_is_not_whole(file: Path) -> None:
    characters = len(text_of(file))
    for length in range(0, characters - 2, max(1, characters // 40)):
        assert not any(run.complete for run in runs_of(file, length))


def test_every_golden_has_its_capture() -> None:
    alone = [golden for golden in GOLDEN.glob("*/*.golden") if not golden.with_suffix("").exists()]
    assert alone == [GOLDEN / "ior/ior-summaryfile.golden"]


def test_summary_of_ior_on_a_file_of_its_own(tmp_path: Path, golden: Callable[[Path, str], None]) -> None:
    outputs = {}
    for role, name in (("summary", "ior-summaryfile.json"), ("stdout", "ior-summaryfile-stdout.txt")):
        outputs[role] = tmp_path / role
        outputs[role].write_text(text_of(GOLDEN / "ior" / name))
    golden(GOLDEN / "ior/ior-summaryfile.golden", described([ior.TOOL.parse(outputs)]))


def test_times_of_single_operations(tmp_path: Path, golden: Callable[[Path, str], None]) -> None:
    """The original keeps them in CSV files beside what it prints; a line that was cut does not count."""
    times, cut = GOLDEN / "io-model/iomodel-write-seq-out-0.csv", tmp_path / "cut.csv"
    cut.write_text(times.read_text()[:-20])
    outputs = {"stdout": times.with_name("iomodel-write-seq.txt"), "operations-0": cut}
    golden(Path(f"{times}.golden"), described([io_model.TOOL.parse(outputs)]))


@pytest.mark.parametrize(
    "name",
    [
        "iomodel-bad-locality.txt",
        "iomodel-missing-dir.txt",
        "iomodel-missing-file.txt",
        "weir-io-missing.json",
    ],
)
def test_what_failed_gives_no_number(name: str) -> None:
    """The original prints 1,200 MiB/s for a file that it could not open, and ends with 0."""
    (run,) = runs_of(GOLDEN / f"io-model/fail-{name}")
    assert (run.rows, run.complete) == ((), False)
    assert any(one.level == "error" for one in run.messages)


def test_a_cut_document_gives_nothing(tmp_path: Path) -> None:
    (tmp_path / "summary.json").write_text(text_of(GOLDEN / "madbench/weir-io-gangs.json")[:-100])
    (tmp_path / "stderr").write_text("weir-io: rank 0: pwrite failed\nmpirun noticed\n")
    parsed = madbench.TOOL.parse({"summary": tmp_path / "summary.json", "stderr": tmp_path / "stderr"})
    assert (parsed.rows, parsed.complete) == ((), False)
    assert [one.text for one in parsed.messages] == ["weir-io: rank 0: pwrite failed"]


def test_of_more_than_three_iterations_of_mdtest_only_the_mean_is_known() -> None:
    text = text_of(GOLDEN / "mdtest/mdtest-files-easy.txt")
    (three,) = mdtest.TOOL.parse_log(text)
    stat = [row["ops_s"] for row in three.rows if row["access"] == "stat"]
    assert stat == [1521880.987, 160002.441, pytest.approx(1369792.292, abs=0.002)]
    four = text.replace("of 3 iterations", "of 4 iterations").replace("'-i' '3'", "'-i' '4'")
    (run,) = mdtest.TOOL.parse_log(four)
    (row,) = [row for row in run.rows if row["access"] == "stat"]
    assert (row["ops_s"], row["observed"]["mean_of"]) == (1017225.240, 4)


def test_half_a_table_is_not_whole() -> None:
    file = NETCDF_BENCH / "ncb-parser-format.txt"
    (run,) = runs_of(file, text_of(file).index("benchmark:read       Close time"))
    assert [row["access"] for row in run.rows] == ["write"]
    assert not run.complete


def test_a_log_of_two_runs() -> None:
    files = [NETCDF_BENCH / "ncb-coll-chunked-auto.txt", NETCDF_BENCH / "ncb-file-per-process.txt"]
    first, second = netcdf_bench.TOOL.parse_log("".join(map(text_of, files)))
    assert [row["layout"] for row in (*first.rows, *second.rows)] == ["shared"] * 2 + ["file-per-process"] * 2
    assert [[*run.rows] for run in (first, second)] == [*map(rows_of, files)]


def test_a_block_smaller_than_the_share_is_not_a_bandwidth() -> None:
    """benchtool moves 160 kB of 16 MB here and divides 16 MB by the time."""
    rows = rows_of(NETCDF_BENCH / "ncb-block-geometry-small.txt")
    assert [(row["requested_bytes"], row["moved_bytes"]) for row in rows] == [(16000000, 160000)] * 2


def test_differences_are_errors() -> None:
    text = text_of(NETCDF_BENCH / "ncb-verify-write.txt")
    spoilt = text.replace("TEST PASSED [0]", "ERROR 7.000 (read) != 1.000 (expected)\nTEST FAILED [0]")
    (run,) = netcdf_bench.TOOL.parse_log(spoilt)
    assert [one.text for one in run.messages] == ["Incorrect data on read (1 values differ)"]
    assert not run.complete
