"""weir predict --probe: the prediction is scaled by what cells behind it give now."""

import json
from collections.abc import Sequence
from math import exp
from pathlib import Path
from typing import Any

import pytest

from tests.unit.conftest import RunWeir
from tests.unit.decide.compare.test_confirmation import DISK, PLAN
from tests.unit.decide.predict.test_predict import row
from weir.collect.table import write_records
from weir.decide.predict.probe import FEWEST_ROUNDS, MOST_ROUNDS, Circumstances
from weir.measure.preflight import Check
from weir.measure.session import PlannedBatch
from weir.plan import write_plan
from weir.records.model import Row

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


def test_the_prediction_is_scaled_and_widened(toy: Path, records: Path, run_weir: RunWeir) -> None:
    printed = run_weir("predict", toy, "--records", records, "--json", code=3)
    before = json.loads(printed.out)["disk"][0]["predicted"]
    assert "--probe" in printed.err
    printed = run_weir("predict", toy, "--records", records, "--json", "--probe")
    after = json.loads(printed.out)["disk"][0]["predicted"]
    assert after["median_s"] == pytest.approx(2 * before["median_s"], rel=0.02)
    assert after["high_s"] / after["low_s"] > before["high_s"] / before["low_s"]
    assert after["low_s"] < after["median_s"] < after["high_s"]


def test_a_cell_that_was_not_measured_again_is_scaled_as_the_others(
    toy: Path, records: Path, run_weir: RunWeir
) -> None:
    """A cell of minutes is not part of a probe of seconds."""
    slow = rows("slow", 32.0, 6, seconds=300.0, xfer_bytes=4096)
    write_records(records, [*rows(DISK.cell, 128.0, 6), *slow])
    with toy.open("a") as text:
        text.write("- {phase: log, access: write, xfer: 4 KiB, bytes: 1 MiB, measured_as: log}\n")
    before, after = (
        json.loads(run_weir("predict", toy, "--records", records, "--json", option).out)["disk"]
        for option in ("--as-measured", "--probe")
    )
    assert [one["cell"] for one in after] == [DISK.cell, DISK.cell, "slow"]
    for one, other in zip(before, after, strict=True):
        scaled = other["predicted"]["median_s"] / one["predicted"]["median_s"]
        assert scaled == pytest.approx(2.0, rel=0.02)


def test_a_probe_of_emulated_storage_is_told_as_that(toy: Path, records: Path, run_weir: RunWeir) -> None:
    write_records(records, rows(DISK.cell, 128.0, 6, emulated=True))
    *_, last = run_weir("predict", toy, "--records", records, "--probe").out.splitlines()
    assert "read disk (E) x0.5" in last
    assert "write disk (E) x0.5" in last


def test_without_the_plan_of_the_study_nothing_is_measured(
    toy: Path, records: Path, run_weir: RunWeir
) -> None:
    records.with_name("plan.json").unlink()
    assert "has no plan.json" in run_weir("predict", toy, "--records", records, "--probe", code=3).err
