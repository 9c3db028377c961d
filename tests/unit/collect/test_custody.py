"""Collecting runs whose files were edited, and runs that are copies of other runs."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.collect.test_collect import document, leave_run, plan
from tests.unit.conftest import RunWeir
from weir.base.files import file_sha256, read_object
from weir.cli import main
from weir.collect.judged import rows_text
from weir.collect.table import read_records
from weir.plan.files import write_plan
from weir.plan.model import Plan
from weir.records.model import Cell, Row
from weir.runs.files import RUN_FILE
from weir.runs.ledger import end_run, write_run_file

__all__ = ["plan"]
BEGAN = ("2026-11-20T21:00:00.123456+00:00", "2026-11-20T21:00:09.654321+00:00")
Attack = Callable[[Path], Any]


def leave(results: Path, cell: Cell, run: int) -> Path:
    """A run with sums, as weir run leaves it."""
    summary = document(cell)
    for result in summary["results"]:
        result["began"] = f"2026-11-20T21:00:0{run}.{int(cell.cell[:4], 16):05d}{result['iteration']}Z"
    leave_run(results, cell, f"{run:03d}", summary, began=BEGAN[run])
    folder = results / "runs" / cell.cell / f"{run:03d}"
    write_run_file(folder, read_object(folder / RUN_FILE, ""))
    return folder


def collected(tmp_path: Path, plan: Plan) -> list[Row]:
    write_plan(plan, tmp_path / "study/plan.json")
    out = tmp_path / "study/records.csv"
    arguments = ["--plan", str(tmp_path / "study/plan.json"), "--results", str(tmp_path)]
    assert main(["collect", *arguments, "--out", str(out)]) == 0
    return read_records(out)


def rewrite(folder: Path, **changes: Any) -> None:
    """run.json again, with sums that fit."""
    write_run_file(folder, read_object(folder / RUN_FILE, "") | changes)


def replayed(folder: Path) -> None:
    """The first run under the number of the second one."""
    shutil.rmtree(folder)
    shutil.copytree(folder.with_name("000"), folder)


def as_another(folder: Path) -> None:
    """The same with another time of its start."""
    replayed(folder)
    rewrite(folder, run=1, began=BEGAN[1])


def printed_otherwise(folder: Path) -> None:
    """The same with its output formatted anew, which has other sums."""
    as_another(folder)
    summary = folder / "summary.json"
    summary.write_text(json.dumps(json.loads(summary.read_text()), indent=1))
    rewrite(folder)


def started_at_once(folder: Path) -> None:
    rewrite(folder, began=BEGAN[0])


def of_another_cell(folder: Path) -> None:
    """The output of a run of the other cell."""
    (other,) = (one for one in folder.parents[1].iterdir() if one != folder.parent)
    shutil.copy(other / "000/summary.json", folder / "summary.json")
    rewrite(folder)


COPIES: dict[Attack, str] = {
    as_another: "the same output as",
    printed_otherwise: "the same start of each access as",
    started_at_once: "the same start as",
    of_another_cell: "the same output as",
}


def reasons_of(rows: list[Row]) -> dict[tuple[str, int], set[str]]:
    found: dict[tuple[str, int], set[str]] = {}
    for row in rows:
        found.setdefault((row["cell"], row["run"]), set()).update(filter(None, row["reasons"].split(";")))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("attack", COPIES, ids=lambda attack: attack.__name__)
def test_a_copied_run_is_invalid(attack: Attack, tmp_path: Path, plan: Plan) -> None:
    folders = [leave(tmp_path, cell, run) for cell in plan.cells for run in range(2)]
    honest = collected(tmp_path, plan)
    assert {row["verdict"] for row in honest} == {"VALID"}
    attack(folders[1])
    for _ in range(2):  # again from what is known
        rows = collected(tmp_path, plan)
        found = [row for row in rows if "run-replayed" in row["reasons"]]
        copied = {(row["cell"], row["run"]) for row in found}
        assert (plan.cells[0].cell, 1) in copied
        assert len(copied) == 2
        assert {row["verdict"] for row in found} == {"INVALID"}
        assert all(COPIES[attack] in row["evidence"] for row in found)
        assert len(rows) == len(honest)


def test_a_copy_under_the_number_of_the_first_is_counted_once(tmp_path: Path, plan: Plan) -> None:
    folders = [leave(tmp_path, plan.cells[0], run) for run in range(2)]
    replayed(folders[1])
    assert {row["verdict"] for row in collected(tmp_path, plan)} == {"INVALID"}


@pytest.mark.parametrize("how", ["edited", "deleted"])
def test_an_edited_output_is_invalid_and_named(how: str, tmp_path: Path, plan: Plan) -> None:
    folder = leave(tmp_path, plan.cells[0], 0)
    summary = folder / "summary.json"
    if how == "edited":
        summary.write_text(summary.read_text().replace("640.0", "6400.0"))
        assert file_sha256(summary) not in (folder / RUN_FILE).read_text()
    else:
        summary.unlink()
    rows = collected(tmp_path, plan)
    assert {row["verdict"] for row in rows} == {"INVALID"}
    assert all("not as when the run ended: summary.json" in row["evidence"] for row in rows)


def test_edited_facts_of_a_run_are_invalid(tmp_path: Path, plan: Plan) -> None:
    """Such as the load of the machine: no output has another sum."""
    folder = leave(tmp_path, plan.cells[0], 0)
    facts = read_object(folder / RUN_FILE, "")
    (tmp_path / "ledger.jsonl").unlink(missing_ok=True)
    end_run(folder, {name: value for name, value in facts.items() if name != "sha256"}, rows_text)
    assert {row["verdict"] for row in collected(tmp_path, plan)} == {"VALID"}
    written = read_object(folder / RUN_FILE, "")
    (folder / RUN_FILE).write_text(json.dumps(written | {"host": {**written["host"], "load_1min": 0.0}}))
    rows = collected(tmp_path, plan)
    assert {(row["verdict"], row["reasons"]) for row in rows} == {("INVALID", "output-edited")}
    assert all("not as when the run ended: run.json" in row["evidence"] for row in rows)


def test_failed_runs_may_print_the_same(tmp_path: Path, plan: Plan) -> None:
    for run in range(2):
        leave_run(tmp_path, plan.cells[0], f"{run:03d}", None, exit_code=1, error="no", began=BEGAN[0])
    assert all("run-replayed" not in found for found in reasons_of(collected(tmp_path, plan)).values())


def test_an_imported_verdict_is_that_of_the_tables_author(tmp_path: Path, run_weir: RunWeir) -> None:
    table, out = tmp_path / "table.csv", tmp_path / "out/records.csv"
    table.write_text(
        "api,access,verdict,nn,ppn,block_bytes,segments,bw_mib_s\nPOSIX,write,VALID,1,1,1048576,1,900000\n"
    )
    for source in (table, out):  # again from its own output: the note is there once
        again = tmp_path / f"again-{source.name}"
        again.write_text(source.read_text())
        printed = run_weir("import", again, "--out", out).out
        assert "1 with the verdict of the table's author, not of this audit" in printed
        (row,) = read_records(out)
        assert row["verdict"] == "VALID"
        assert row["notes"] == "authors-verdict: the verdict is that of the table's author"
    shown = run_weir("audit", out).out
    assert "1 with the verdict of the table's author" in shown
    assert "proven" not in shown


def test_the_audit_of_an_edited_table_says_so(tmp_path: Path, plan: Plan, run_weir: RunWeir) -> None:
    leave(tmp_path, plan.cells[0], 0)
    collected(tmp_path, plan)
    table = tmp_path / "study/records.csv"
    for is_edited in (False, True):
        note = f"{table}: edited after it was collected"
        assert (note in run_weir("audit", table).out) == is_edited
        assert json.loads(run_weir("audit", table, "--json").out)["edited"] == is_edited
        note = f"note: A was edited after it was collected: {table.parent}"
        assert (note in run_weir("compare", table.parent, table).out) == is_edited
        edited = [[str(table.parent)], [str(table)]] if is_edited else [[], []]
        assert json.loads(run_weir("compare", table.parent, table, "--json").out)["edited"] == edited
        table.write_text(table.read_text().replace(",640", ",6400"))
