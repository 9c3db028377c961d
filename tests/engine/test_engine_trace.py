"""The trace of single operations: complete, bounded, and readable as CSV."""

import csv
from pathlib import Path

import pytest

from tests.engine.runs import Engine
from weir.base.errors import WeirError
from weir.cli import main
from weir.commands.trace import read_trace

SHAPE = ["-w", "-r", "-t", "4k", "-b", "64k"]


@pytest.mark.parametrize("api", ["POSIX", "URING"])
def test_every_transfer_has_a_record(engine: Engine, tmp_path: Path, api: str) -> None:
    trace = tmp_path / "trace"
    done = engine.good("-a", api, *SHAPE, "-i", "2", "-o", tmp_path / "data", "--trace", trace, ranks=2)
    for rank in range(2):
        phases = read_trace(Path(f"{trace}.{rank}"))
        assert [(p.name, p.iteration) for p in phases] == [
            ("write", 0),
            ("read", 0),
            ("write", 1),
            ("read", 1),
        ]
        for phase in phases:
            assert phase.rank == rank
            assert sorted(r.offset for r in phase.records) == [65536 * rank + 4096 * i for i in range(16)]
            assert {(r.operation, r.bytes) for r in phase.records} == {(phase.name, 4096)}
            latency = done.result(phase.name, phase.iteration)["latency"]
            assert max(r.duration_ns for r in phase.records) <= 1000 * latency["max_us"] + 1
            starts = [r.start_ns for r in phase.records]
            assert starts == sorted(starts) or api == "URING"
    assert done.result("read")["observed"]["trace"] == {"records": 32, "dropped": 0}


def test_what_does_not_fit_is_counted(engine: Engine, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    arguments = [*SHAPE, "-o", tmp_path / "data", f"--trace={trace}", "--trace-records=5"]
    done = engine.good(*arguments)
    assert done.result("write")["observed"]["trace"] == {"records": 5, "dropped": 11}
    assert [(len(phase.records), phase.dropped) for phase in read_trace(Path(f"{trace}.0"))] == [(5, 11)] * 2


def test_mdtest_and_the_conversion_to_csv(
    engine: Engine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = tmp_path / "trace"
    arguments = ["mdtest", "-F", "-n", "10", "-w", "100", "-d", tmp_path / "md", f"--trace={trace}"]
    done = engine.call(arguments, ranks=2)
    assert done.code == 0, done.err
    assert main(["trace", f"{trace}.0", f"{trace}.1"]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert len(rows) == 2 * 4 * 10
    assert {row["operation"] for row in rows} == {"create", "stat", "read", "remove"}
    creates = [row for row in rows if row["operation"] == "create"]
    assert {row["bytes"] for row in creates} == {"100"}
    assert {row["item"] for row in creates} == {"file"}
    assert all(float(row["duration_us"]) > 0 and float(row["start_s"]) >= 0 for row in rows)
    assert min(float(row["start_s"]) for row in rows) == 0


@pytest.mark.parametrize("keep", [0, 12, 16, 60, 90])
def test_a_file_that_is_cut_is_an_error(engine: Engine, tmp_path: Path, keep: int) -> None:
    trace = tmp_path / "trace"
    engine.good(*SHAPE, "-a", "NULL", "-o", "none", f"--trace={trace}")
    cut = tmp_path / "cut"
    cut.write_bytes(Path(f"{trace}.0").read_bytes()[:keep])
    if keep == 16:
        assert read_trace(cut) == []
        return
    with pytest.raises(WeirError, match=r"is (not a trace|truncated)"):
        read_trace(cut)
