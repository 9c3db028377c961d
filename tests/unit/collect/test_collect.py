"""From run folders to records: every run counts, failed ones too, and nothing is counted twice."""

import csv
import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from tests.checkout import SITE, make_checkout
from tests.unit.conftest import RunWeir
from weir.base.errors import WeirError
from weir.collect.judged import collect_cell
from weir.collect.parsed_runs import finished_runs, site_folder
from weir.collect.table import read_records
from weir.plan import make_plan
from weir.plan.config import load_config
from weir.plan.files import write_plan
from weir.plan.model import Plan
from weir.records.model import Cell, Row, Until
from weir.tools import tools
from weir.tools.engine import latency_buckets

MIB = 2**20
SEEN = {
    "sync_calls": 2,
    "file_system": "ext4",
    "dirtied_bytes": 32 * MIB,
    "fetched_bytes": 32 * MIB,
    "device_read_bytes": 32 * MIB,
    "device_written_bytes": 32 * MIB,
    "device": {"name": "vda", "reason": None, "disk_read_bytes": 0, "disk_written_bytes": 0},
}
SUITE = """\
suite: mine
question: How fast is it?
experiments:
  sizes:
    tool: ior
    nodes: [1]
    ppn: [2]
    space:
      xfer: [16 KiB, 1 MiB]
    repetitions: {rounds: 2, iterations: 2}
"""


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    root = make_checkout(tmp_path / "checkout", {"mine": SUITE}, SITE.replace("fake", "ior"))
    return make_plan(load_config(root=root, environment={}))


@pytest.fixture
def cell(plan: Plan) -> Cell:
    return plan.cells[0]


def document(cell: Cell, **changes: Any) -> dict[str, Any]:
    """What weir-io would write for the cell: 32 MiB in 0.05 s each time."""
    params = cell.params
    requested = {
        name: params[name] for name in ("layout", "order", "xfer_bytes", "block_bytes", "segments", "sync")
    }
    latency = {"count": 32, "buckets": [[12.5, 30], [400.0, 2]]}
    times = {"open_s": 0.001, "io_s": 0.048, "close_s": 0.001, "total_s": 0.05}
    sizes = dict.fromkeys(("requested_bytes", "moved_bytes", "file_bytes"), 32 * MIB)
    result = {"bw_mib_s": 640.0, "latency": latency, "observed": SEEN} | times | sizes
    results = [
        result | {"access": access, "iteration": iteration}
        for iteration in range(cell.iterations)
        for access in params["access"]
    ]
    return {
        "schema": 1,
        "program": "weir-io",
        "version": "0.1.0",
        "personality": "ior",
        "status": "done",
        "requested": requested | {"api": "POSIX", "stonewall_s": 0, "collective": False, "direct": False},
        "job": {"tasks": 2, "nodes": 1, "tasks_per_node": 2},
        "results": results,
        "errors": [],
    } | changes


def leave_run(results: Path, cell: Cell, name: str, summary: dict[str, Any] | None, **changes: Any) -> None:
    """A run folder as weir run leaves it."""
    folder = results / "runs" / cell.cell / name
    folder.mkdir(parents=True)
    if summary is not None:
        (folder / "summary.json").write_text(json.dumps(summary))
    facts = {
        "schema": 1,
        "cell": dataclasses.asdict(cell),
        "run": int(name[:3]),
        "status": "done",
        "exit_code": 0,
        "timed_out": False,
        "began": "2026-11-20T21:00:00+00:00",
        "ended": "2026-11-20T21:00:01+00:00",
        "seed": 1,
        "error": None,
        "host": {"node": "n1"},
        "target_facts": {"emulated": True, "kind": "disk"},
        "outputs": {"summary": "summary.json"} if summary is not None else {},
    }
    (folder / "run.json").write_text(json.dumps(facts | changes))


def collected(results: Path, cell: Cell) -> list[Row]:
    return list(collect_cell(cell, finished_runs(results / "runs" / cell.cell), results))


def test_iterations_are_counted_over_runs(tmp_path: Path, cell: Cell) -> None:
    for name in ("000", "001"):
        leave_run(tmp_path, cell, name, document(cell))
    rows = collected(tmp_path, cell)
    reads = [(row["run"], row["iteration"]) for row in rows if row["access"] == "read"]
    assert reads == [(0, 0), (0, 1), (1, 2), (1, 3)]
    assert {row["verdict"] for row in rows} == {"VALID"}
    assert {row["missing"] for row in rows} == {""}
    assert {"exit-code", "bytes-moved", "other-target"} <= set(rows[0]["checked"].split(";"))
    assert rows[0]["source"] == f"runs/{cell.cell}/000/summary.json"
    assert all(row["emulated"] for row in rows)


def test_a_record_tells_whether_rounds_are_added_to_its_cell(tmp_path: Path, cell: Cell) -> None:
    leave_run(tmp_path, cell, "000", document(cell))
    added = dataclasses.replace(cell, until=Until(0.05, at_most=20))
    assert [{row["until"] for row in collected(tmp_path, one)} for one in (cell, added)] == [{None}, {0.05}]


def test_without_evidence_a_record_is_unproven(tmp_path: Path, cell: Cell) -> None:
    bare = document(cell)
    for result in bare["results"]:
        result["observed"] = {}
    leave_run(tmp_path, cell, "000", bare)
    found = {(row["access"], row["verdict"], row["missing"]) for row in collected(tmp_path, cell)}
    assert found == {
        ("write", "UNPROVEN", "file-system;sync;stored"),
        ("read", "DEGRADED", "file-system;fetched"),  # by read-after-write
    }


def test_a_record_has_a_time_also_where_its_program_prints_none(tmp_path: Path, cell: Cell) -> None:
    """As benchtool: when the run began is known to weir."""
    leave_run(tmp_path, cell, "000", document(cell))
    assert {row["began"] for row in collected(tmp_path, cell)} == {"2026-11-20T21:00:00+00:00"}


def test_a_missing_run_keeps_its_iterations(tmp_path: Path, cell: Cell) -> None:
    leave_run(tmp_path, cell, "001", document(cell))
    assert {row["iteration"] for row in collected(tmp_path, cell)} == {2, 3}


def test_a_failed_run_gives_rows_without_numbers(tmp_path: Path, cell: Cell) -> None:
    errors = [{"text": "rank 0: pwrite failed: No space left on device"}]
    half = document(cell, status="failed", errors=errors)
    half["results"] = half["results"][:1]
    leave_run(tmp_path, cell, "000", half, exit_code=1, status="failed", error="exit code 1: no space")
    rows = collected(tmp_path, cell)
    assert len(rows) == 4
    assert {row["verdict"] for row in rows} == {"INVALID"}
    assert [row.get("bw_mib_s") for row in rows] == [640.0, None, None, None]
    assert "result-missing" in rows[1]["reasons"]
    assert "No space left on device" in rows[1]["evidence"]
    assert {(row["access"], row["iteration"]) for row in rows} == {
        (a, i) for a in ("write", "read") for i in (0, 1)
    }


def test_a_run_that_could_not_start(tmp_path: Path, cell: Cell) -> None:
    leave_run(tmp_path, cell, "000", None, exit_code=None, status="failed", error="mpiexec: No such file")
    rows = collected(tmp_path, cell)
    assert {row["reasons"] for row in rows} == {"exit-code;result-missing"}
    assert "could not be started: mpiexec: No such file" in rows[0]["evidence"]


def test_attempts_set_aside_and_litter_are_not_runs(tmp_path: Path, cell: Cell) -> None:
    leave_run(tmp_path, cell, "000", document(cell))
    leave_run(tmp_path, cell, "000.failed-1", None, exit_code=1)
    (tmp_path / "runs" / cell.cell / "001").mkdir()
    assert [run.number for run in finished_runs(tmp_path / "runs" / cell.cell)] == [0]


def test_what_ran_is_not_what_was_requested(tmp_path: Path, plan: Plan) -> None:
    small, large = sorted(plan.cells, key=lambda cell: int(cell.params["xfer_bytes"]))
    leave_run(tmp_path, small, "000", document(large))
    assert {row["reasons"] for row in collected(tmp_path, small)} == {"other-than-requested"}


def test_what_the_output_does_not_repeat_is_known_from_the_cell(tmp_path: Path, cell: Cell) -> None:
    """benchtool prints neither nodes nor processes per node; that they were requested proves nothing."""
    silent = document(cell)
    del silent["job"], silent["requested"]["segments"]
    leave_run(tmp_path, cell, "000", silent)
    for row in collected(tmp_path, cell):
        assert (row["nn"], row["ppn"], row["segments"]) == (1, 2, 1)
        assert "other-ranks" not in row["checked"].split(";")


def test_a_broken_run_file_is_named(tmp_path: Path, cell: Cell) -> None:
    leave_run(tmp_path, cell, "000", document(cell))
    (tmp_path / "runs" / cell.cell / "000" / "run.json").write_text("{")
    with pytest.raises(WeirError, match=r"000/run\.json: is not readable JSON"):
        finished_runs(tmp_path / "runs" / cell.cell)


def test_a_tool_that_is_not_there(tmp_path: Path, plan: Plan) -> None:
    with pytest.raises(WeirError, match="did you mean 'ior'"):
        list(collect_cell(dataclasses.replace(plan.cells[0], tool="oir"), [], tmp_path))


def test_folder_of_all_sites_or_of_one(tmp_path: Path) -> None:
    assert site_folder(tmp_path, "here") == tmp_path
    (tmp_path / "here" / "runs").mkdir(parents=True)
    assert site_folder(tmp_path, "here") == tmp_path / "here"


def test_command(tmp_path: Path, plan: Plan, run_weir: RunWeir) -> None:
    write_plan(plan, tmp_path / "plan.json")
    leave_run(tmp_path / "here", plan.cells[0], "000", document(plan.cells[0]))
    out = tmp_path / "study" / "records.csv"
    arguments = ("--plan", tmp_path / "plan.json", "--results", tmp_path, "--out", out)
    assert "1 of 2 planned cells have no finished run yet" in run_weir("collect", *arguments).out
    facts = json.loads(run_weir("collect", *arguments, "--json").out)
    assert facts["verdicts"] == {"VALID": 4, "UNPROVEN": 0, "DEGRADED": 0, "INVALID": 0}
    assert (facts["records"], facts["cells_planned"], facts["cells_without_run"]) == (4, 2, 1)
    assert len(read_records(out)) == 4
    excluded = (out.parent / "excluded.csv").read_text().splitlines()
    assert excluded == ["suite,experiment,reason,cells", 'mine,sizes,"planned, but no run of it has ended",1']
    assert json.loads((out.parent / "facts.json").read_text())["excluded_points"] == 1
    # The question of ior is bandwidth: its records have the quantiles.
    assert (out.parent / "latencies.csv").read_text() == "cell,run,access,iteration,upper_us,count\n"


def test_buckets_of_a_tool_whose_question_is_single_operations(
    tmp_path: Path, plan: Plan, cell: Cell, monkeypatch: pytest.MonkeyPatch, run_weir: RunWeir
) -> None:
    monkeypatch.setattr(tools()["ior"], "latencies", latency_buckets)
    write_plan(plan, tmp_path / "plan.json")
    leave_run(tmp_path, cell, "000", None, exit_code=1, status="failed", error="exit code 1")
    leave_run(tmp_path, cell, "001", document(cell))
    out = tmp_path / "records.csv"
    run_weir("collect", "--plan", tmp_path / "plan.json", "--results", tmp_path, "--out", out)
    with (tmp_path / "latencies.csv").open() as stream:
        lines = [tuple(line.values()) for line in csv.DictReader(stream)]
    buckets = [("12.5", "30"), ("400", "2")]
    assert lines == [
        (cell.cell, "1", access, iteration, *bucket)
        for iteration in ("2", "3")
        for access in ("write", "read")
        for bucket in buckets
    ]
    joined = {(row["cell"], row["run"], row["access"], row["iteration"]) for row in read_records(out)}
    assert {(line[0], int(line[1]), line[2], int(line[3])) for line in lines} < joined


@pytest.mark.slow
@pytest.mark.parametrize(
    "odd",
    [
        {"results": [3], "errors": [{"text": '"lustre" "mount"'}]},
        {"results": [{"access": "read", "iteration": 0, "observed": {"lustre": {"mount": "files"}}}]},
        {"results": [{"access": "read", "iteration": 0, "latency": {"buckets": [3]}}]},
        {"results": [{"access": "read"}]},
        {"results": [{"iteration": 0}]},
    ],
)
def test_an_odd_summary_does_not_end_the_collect(
    tmp_path: Path,
    plan: Plan,
    cell: Cell,
    monkeypatch: pytest.MonkeyPatch,
    run_weir: RunWeir,
    odd: dict[str, Any],
) -> None:
    monkeypatch.setattr(tools()["ior"], "latencies", latency_buckets)
    write_plan(plan, tmp_path / "plan.json")
    leave_run(tmp_path, cell, "000", document(cell, **odd))
    leave_run(tmp_path, cell, "001", {})
    nested = '{"lustre": {"mount": ' + "[" * 100_000
    (tmp_path / f"runs/{cell.cell}/001/summary.json").write_text(nested)
    leave_run(tmp_path, cell, "002", document(cell))
    out = tmp_path / "records.csv"
    run_weir("collect", "--plan", tmp_path / "plan.json", "--results", tmp_path, "--out", out)
    verdicts = [(row["run"], row["verdict"]) for row in read_records(out) if row["access"] == "read"]
    assert verdicts == [(run, "VALID" if run == 2 else "INVALID") for run in (0, 0, 1, 1, 2, 2)]


def test_nothing_measured_is_a_failure_and_overwrites_nothing(
    tmp_path: Path, plan: Plan, run_weir: RunWeir
) -> None:
    write_plan(plan, tmp_path / "plan.json")
    out = tmp_path / "records.csv"
    out.write_text("measured before")
    arguments = ("--plan", tmp_path / "plan.json", "--results", tmp_path / "nowhere", "--out", out)
    assert "none of the 2 planned cells has a finished run" in run_weir("collect", *arguments, code=1).err
    assert out.read_text() == "measured before"
