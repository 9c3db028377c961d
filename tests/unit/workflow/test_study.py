"""The reasons of a study's batches that could not be measured: each batch hands over its own."""

import json
import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.checkout import ROOT, shipped
from tests.programs import write_file
from weir.base.errors import WeirError, error_data
from weir.measure.handover import Handover
from weir.plan import make_plan
from weir.runs.files import note_unavailable, note_unavailable_some
from weir.workflow.study import measured_study, reasons_together, waiting_beside, why_not_measured

PLAN: Any = SimpleNamespace(batches=[SimpleNamespace(batch=name) for name in ("disk-a-1x1", "disk-a-3x1")])
ERROR = json.dumps(error_data(WeirError("target disk: nothing is mounted on /lustre", hint="mount it")))


def tried(folder: Path, batch: str, errors: str | None) -> Handover:
    handover = Handover.of(folder, batch)
    write_file(handover.log, "all output of ReFrame\n")
    if errors is not None:
        handover.errors.write_text(errors)
    return handover


@pytest.mark.parametrize(
    ("errors", "reason"),
    [
        (ERROR, "target disk: nothing is mounted on /lustre\n    mount it"),
        (None, "it was ended without an error message"),
        ('{"errors": [', "the reason is not readable"),
        ("{}", "the reason is not readable: 'errors'"),
    ],
)
@pytest.mark.row("a damaged receipt")
def test_a_batch_without_receipt_reports_its_reason(tmp_path: Path, errors: str | None, reason: str) -> None:
    tried(tmp_path, "disk-a-1x1", ERROR).receipt.write_text("{}")  # the second attempt succeeded
    failed = tried(tmp_path, "disk-a-3x1", errors)
    first, log = why_not_measured(PLAN, tmp_path)
    assert first.startswith(f"weir: disk-a-3x1 was not measured: {reason}")
    assert log.endswith(str(failed.log))


def test_without_a_file_of_errors_those_of_reframe_are_the_reason(tmp_path: Path) -> None:
    failed = tried(tmp_path, "disk-a-3x1", None)
    failed.log.write_text("ERROR: first\nno ERROR: here\n\nERROR: the\x1b[31m disk\nERROR: first\nLog file\n")
    lines = why_not_measured(PLAN, tmp_path)
    assert [line.split(": ", 2)[2] for line in lines if "ReFrame" in line] == [
        "ReFrame: first",
        "ReFrame: the\\u001b[31m disk",
    ]


def test_two_failed_batches_keep_their_own_reasons(tmp_path: Path) -> None:
    for batch in ("disk-a-1x1", "disk-a-3x1"):
        tried(tmp_path, batch, json.dumps(error_data(WeirError(f"the reason of {batch}"))))
    lines = why_not_measured(PLAN, tmp_path)
    for batch in ("disk-a-1x1", "disk-a-3x1"):
        assert f"weir: {batch} was not measured: the reason of {batch}" in lines


def test_a_batch_that_was_not_tried_and_one_that_was_skipped(tmp_path: Path) -> None:
    study = tmp_path / "study"
    study.mkdir()
    tried(study, "disk-a-1x1", None).receipt.write_text("{}")
    write_file(tmp_path / "unavailable" / "disk-a-1x1", "no such device\n")
    assert why_not_measured(PLAN, study) == ["weir: disk-a-1x1 was skipped: no such device"]


def test_a_campaign_has_runs_of_its_own() -> None:
    plan = make_plan(shipped("local", ["quick"]))
    again = measured_study(plan, ROOT, "2026-12")
    assert (again.folder, again.site_folder) == ("results/local@2026-12/quick", "results/local@2026-12")
    assert measured_study(plan, ROOT).folder == "results/local/quick"
    with pytest.raises(WeirError, match="not a name of a campaign"):
        measured_study(plan, ROOT, "../elsewhere")


def test_batches_of_a_machine_take_turns_as_far_as_they_wait(tmp_path: Path) -> None:
    plan = make_plan(shipped("local", ["quick"]))
    names = {batch.batch.removesuffix("-debian-1x2"): batch for batch in plan.batches}
    assert {name for name in names if names[name] in plan.in_turns(names["backing"])} == {
        "ime-fuse",
        "ime-native",
        "memory-pool",
    }, "emulated storage is measured after real storage"

    def waiting() -> list[str]:
        return [batch.batch for batch in waiting_beside(plan, names["disk"], tmp_path / "quick", started=1e9)]

    memory = names["memory"].batch
    assert waiting() == [memory]
    failed = tried(tmp_path / "quick", memory, ERROR)
    assert waiting() == []
    os.utime(failed.errors, (1e8, 1e8))
    assert waiting() == [memory], "an earlier workflow failed"
    failed.receipt.write_text("{}")
    assert waiting() == [memory], "the plan has grown"
    note_unavailable(tmp_path, memory, "not mounted")
    assert waiting() == [], "it was skipped"
    note_unavailable(tmp_path, memory, None)
    cells = [cell.cell for cell in names["memory"].cells]
    for missing, waits in ((cells[1:], [memory]), (cells, [])):
        note_unavailable_some(tmp_path, cells, dict.fromkeys(missing, "built without HDF5"))
        assert waiting() == waits, "a cell that IOR cannot measure waits for nothing"
    failed.receipt.unlink()
    assert waiting() == [memory], "it is tried again"
    slow = replace(plan.site.partitions["node"], time_limit_s=3600.0)
    limited = replace(plan, site=replace(plan.site, partitions={"node": slow}))
    assert limited.in_turns(names["disk"]) == []


def test_a_reason_that_several_batches_have_is_told_once() -> None:
    problems = {
        "disk-a-1x1": "nothing is mounted",
        "disk-a-1x2": "nothing is mounted",
        "tape-a-1x1": "is full",
    }
    assert reasons_together(problems) == ["disk-a-1x1 and 1 more: nothing is mounted", "tape-a-1x1: is full"]
