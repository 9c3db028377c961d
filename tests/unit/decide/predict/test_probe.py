"""weir predict --probe: the prediction is scaled by what cells behind it give now."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import exp
from pathlib import Path
from typing import Any

import pytest

from tests.unit.conftest import RunWeir
from tests.unit.decide.compare.test_confirmation import DISK, PLAN
from tests.unit.decide.predict.test_predict import APPLICATION, row
from weir.cli import main
from weir.decide.predict.probe import FEWEST_ROUNDS, MOST_ROUNDS, Circumstances
from weir.measure.preflight import Check
from weir.measure.session import PlannedBatch
from weir.plan import write_plan
from weir.records.table import write_records
from weir.terms.model import Row

WAVE = (0.02, -0.02, 0.01, -0.01, 0.0, 0.03, -0.03, 0.0)


def rows(cell: str, rate: float, count: int, seconds: float = 0.2, **more: Any) -> list[Row]:
    return [
        row(cell=cell, access=access, run=run, bw_mib_s=rate * exp(WAVE[run]), total_s=seconds, **more)
        for run in range(count)
        for access in ("write", "read")
    ]


@pytest.fixture
def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A study of a busy hour, whose cell gives half of its rate now."""
    file = tmp_path / "results/local/quick/records.csv"
    write_records(file, rows(DISK.cell, 128.0, 6))
    write_plan(PLAN, file.with_name("plan.json"))
    (tmp_path / "toy.yaml").write_text(APPLICATION)

    def measured(jobs: Sequence[PlannedBatch]) -> dict[str, list[Row]]:
        (job,) = jobs
        (cell,) = job.cells
        assert FEWEST_ROUNDS <= cell.rounds <= MOST_ROUNDS
        assert job.results.name.startswith("probe-")
        return {cell.cell: rows(cell.cell, 64.0, cell.rounds)}

    monkeypatch.setattr("weir.decide.predict.probe.measure_in_turns", measured)
    monkeypatch.setattr("weir.decide.compare.confirmation.preflight", lambda job: [Check("target", "there")])
    monkeypatch.setattr(
        "weir.commands.predict.circumstances_of",
        lambda *_: Circumstances("2026-11-01", "2026-11-01", 0.0, 0.5, 9.0),
    )
    return file


def predict(records: Path, *more: str) -> int:
    return main(["predict", str(records.parents[3] / "toy.yaml"), "--records", str(records), "--json", *more])


def test_the_prediction_is_scaled_and_widened(records: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert predict(records) == 3
    captured = capsys.readouterr()
    before = json.loads(captured.out)["disk"][0]["predicted"]
    assert "--probe" in captured.err
    assert predict(records, "--probe") == 0
    after = json.loads(capsys.readouterr().out)["disk"][0]["predicted"]
    assert after["median_s"] == pytest.approx(2 * before["median_s"], rel=0.02)
    assert after["high_s"] / after["low_s"] > before["high_s"] / before["low_s"]
    assert after["low_s"] < after["median_s"] < after["high_s"]


def test_a_cell_that_was_not_measured_again_is_scaled_as_the_others(
    records: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A cell of minutes is not part of a probe of seconds."""
    slow = rows("slow", 32.0, 6, seconds=300.0, xfer_bytes=4096)
    write_records(records, [*rows(DISK.cell, 128.0, 6), *slow])
    toy = records.parents[3] / "toy.yaml"
    toy.write_text(
        toy.read_text() + "- {phase: log, access: write, xfer: 4 KiB, bytes: 1 MiB, measured_as: log}\n"
    )
    assert predict(records, "--as-measured") == 0
    before = json.loads(capsys.readouterr().out)["disk"]
    assert predict(records, "--probe") == 0
    after = json.loads(capsys.readouterr().out)["disk"]
    assert [one["cell"] for one in after] == [DISK.cell, DISK.cell, "slow"]
    for one, other in zip(before, after, strict=True):
        scaled = other["predicted"]["median_s"] / one["predicted"]["median_s"]
        assert scaled == pytest.approx(2.0, rel=0.02)


def test_a_probe_of_emulated_storage_is_told_as_that(records: Path, run_weir: RunWeir) -> None:
    write_records(records, rows(DISK.cell, 128.0, 6, emulated=True))
    toy = str(records.parents[3] / "toy.yaml")
    *_, last = run_weir("predict", toy, "--records", records, "--probe").out.splitlines()
    assert "read disk (E) x0.5" in last
    assert "write disk (E) x0.5" in last


def test_without_the_plan_of_the_study_nothing_is_measured(
    records: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records.with_name("plan.json").unlink()
    assert predict(records, "--probe") == 3
    assert "has no plan.json" in capsys.readouterr().err
