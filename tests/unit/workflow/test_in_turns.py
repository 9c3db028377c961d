"""Batches that the job of another one measures in turns with its own start no ReFrame in their own jobs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.programs import ran, write_program
from tests.unit.measure.test_rounds import job, run_round
from weir.measure.handover import Handover
from weir.measure.receipt import Receipt
from weir.measure.session import Session

STARTED = "1795809321.25"
RECEIPT = {"seed": 7, "batches": [{"batch": "other", "kept": 2, "failed": [], "executions": 2}]}
# Acts as ReFrame that did not pass: it has measured the batch all the same.
REFRAME = """#!/bin/sh
echo '{}' >"${WEIR_PLAN%/*}/one.json"
exit 1
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of the receipts; the job of batch "one" has measured batch "other"."""
    monkeypatch.setenv("WEIR_STARTED", STARTED)
    Handover(tmp_path / "other.json").note_in_turns(RECEIPT, by="one")
    return tmp_path


def run_batch(
    batch: str, folder: Path, started: str = STARTED, code: int = 0
) -> subprocess.CompletedProcess[str]:
    """Its exit code is 1 if it starts a ReFrame, which is not there."""
    command = [sys.executable, str(ROOT / "reframe_checks/run_batch.py"), "site:node", batch]
    return ran(
        [*command, str(folder / "plan.json"), str(folder / f"{batch}.json")],
        env={"PATH": f"{folder}:/usr/bin:/bin", "PYTHONPATH": str(ROOT), "WEIR_STARTED": started},
        code=code,
    )


@pytest.mark.slow
def test_the_job_of_a_measured_batch_takes_its_receipt(folder: Path) -> None:
    done = run_batch("other", folder)
    assert (done.stdout, done.stderr) == ("", "")
    assert json.loads((folder / "other.json").read_text()) == RECEIPT
    assert (folder / "other.log").read_text() == f"measured in turns with one: {folder}/one.log\n"
    assert not Handover(folder / "other.json").in_turns.exists()


@pytest.mark.slow
def test_the_job_of_another_workflow_starts_reframe(folder: Path) -> None:
    done = run_batch("other", folder, started="1795809322.25", code=1)
    assert "reframe is not on the PATH" in done.stderr
    assert not (folder / "other.json").exists()


@pytest.mark.slow
def test_where_reframe_did_not_pass_each_batch_starts_its_own(folder: Path) -> None:
    """It has logged no values then."""
    write_program(folder / "reframe", REFRAME)
    done = run_batch("one", folder)
    assert "some executions failed or have no valid record" in done.stderr
    assert not Handover(folder / "other.json").in_turns.exists()


@pytest.mark.parametrize("damaged", ["", "{}", json.dumps({"started": 1.5, "with": 3, "receipt": {}})])
def test_a_damaged_note_is_none(folder: Path, damaged: str) -> None:
    handover = Handover(folder / "other.json")
    handover.in_turns.write_text(damaged)
    assert not handover.take_in_turns()
    assert not handover.in_turns.exists()


def test_without_a_workflow_nothing_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WEIR_STARTED", raising=False)
    Handover(tmp_path / "other.json").note_in_turns(RECEIPT, by="one")
    assert list(tmp_path.iterdir()) == []


def test_a_session_has_receipts_of_the_batches_that_are_through_beside_the_chosen_one(tmp_path: Path) -> None:
    jobs = [job(name, (2,), tmp_path) for name in ("chosen", "through", "failed", "begun", "gone")]
    session = Session(jobs, seed=1, retry_failed=True)
    chosen, through, failed, begun, gone = session.batches
    for round in range(2):
        run_round(chosen, round)
        run_round(through, round)
        run_round(failed, round, "failed" if round else "done")
    run_round(begun, 0)
    gone.unavailable = "not mounted"
    receipt = Receipt.of(session, 1)
    assert [one.batch for one in receipt.batches] == ["chosen"]
    (found,) = receipt.in_turns
    assert (found.batch, found.kept, found.measured, found.executions) == ("through", 2, 0, 2)
