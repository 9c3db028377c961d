"""weir accept holds records against the outputs and the names of their runs, whatever was judged before."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.golden.audit.cases import CASES
from weir.base.files import file_sha256
from weir.collect import rounds
from weir.collect.judged import code_state, collect_cell, judged, rows_of_run
from weir.collect.parsed_runs import Run, read_run, sum_of_facts
from weir.collect.table import lines_of
from weir.decide.accept.contract import Contract, Line, Promise
from weir.decide.accept.evidence import Measured
from weir.decide.accept.judge import NOT_PROVEN, PASS, judge
from weir.plan.files import read_plan
from weir.records.model import Row
from weir.runs.files import ROWS_FILE, run_folder


def faster(row: Row) -> Row:
    return row | {"bw_mib_s": 2 * row["bw_mib_s"]}


def better(row: Row) -> Row:
    return row | {"verdict": "VALID", "reasons": ""}


def written_by_another_weir(results: Path, change: Callable[[Row], Row]) -> tuple[Run, list[Row]]:
    """A real run, which was judged otherwise when it ended, with the state of this code and all sums."""
    case = CASES / "throttled"
    (batch,) = read_plan(case / "plan.json").batches
    folder = run_folder(results, batch.cells[0].cell, 0)
    shutil.copytree(case / "run", folder)
    run = read_run(folder)
    rows = [change(row) for row in collect_cell(batch.cells[0], [run], folder.parent)]
    document: dict[str, Any] = dict(run.facts)
    about = {"weir": "0", "code": code_state(), "run": sum_of_facts(document)}
    held = vars(judged(batch.cells[0], run, folder.parent))
    (folder / ROWS_FILE).write_text(json.dumps(about | held | {"tables": (lines_of(rows), "", "")}))
    document["sha256"] |= {ROWS_FILE: file_sha256(folder / ROWS_FILE)}
    (folder / "run.json").write_text(json.dumps(document))
    return Run(folder, document), rows


@pytest.mark.row("measure by a weir that was changed to judge better than the outputs tell")
@pytest.mark.parametrize(
    ("change", "named"),
    [(faster, "bw_mib_s is"), (better, "it is VALID in the records, its run gives DEGRADED")],
)
def test_what_a_changed_weir_judged_is_held_against_the_outputs(
    change: Callable[[Row], Row], named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "rows_of_run", rows_of_run)
    run, rows = written_by_another_weir(tmp_path, change)
    (finding,) = rounds.not_as_measured(tmp_path, rows, {(rows[0]["cell"], run.number): run.facts})
    assert named in finding.text


@pytest.mark.row("name another experiment in the plan and the records")
def test_where_a_line_selects_by_the_experiment_both_names_count() -> None:
    """A slow cell leaves the line by its name in the plan, or a fast one comes in."""
    promise = Promise("bandwidth", "mean", True, 1000.0, "1000 MiB/s")
    line = Line("line", "", "ior", ("write",), {"experiment": "easy"}, {"fixed": {}}, promise, True)
    names = {"fast": ("easy", "other"), "slow": ("other", "easy"), "alike": ("easy", "easy")}
    for cell, (in_records, measured_as) in names.items():
        rows = [
            {"tool": "ior", "access": "write", "cell": cell, "run": run, "experiment": in_records}
            | {"verdict": "VALID", "bw_mib_s": 2000.0 + run}
            for run in range(6)
        ]
        runs = {
            (cell, run): {"cell": {"experiment": measured_as, "params": {}}, "command": []}
            for run in range(6)
        }
        (one,) = judge(
            Contract("made", "made", "", (), None, None, (line,)), Measured(Path("made"), tuple(rows), runs)
        )
        renamed = [item.text for item in one.findings if item.condition == "renamed"]
        assert bool(renamed) == (in_records != measured_as)
        assert one.verdict == (PASS if cell == "alike" else NOT_PROVEN)
