"""weir compare --confirm: what is measured again, against what, and what the exit code makes of it."""

import json
import socket
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.checkout import shipped
from tests.unit.conftest import RunWeir
from tests.unit.decide.compare.test_compare import cell, noisy, write, write_both
from weir.base.errors import WeirError
from weir.cli import main
from weir.measure.preflight import Check
from weir.measure.session import PlannedBatch
from weir.plan import make_plan, write_plan
from weir.records.model import Cell, Row

PLAN = make_plan(shipped("local", ["quick"]))
DISK, MEMORY = (
    next(one for one in PLAN.cells if one.target == target and "write" in one.params["access"])
    for target in ("disk", "memory")
)


@pytest.fixture
def speeds(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """MiB/s of each cell if it is measured now, in turns; nothing is measured."""
    known: dict[str, float] = {}

    def measured(jobs: Sequence[PlannedBatch]) -> dict[str, list[Row]]:
        found = {}
        for number, job in enumerate(jobs):
            (one,) = job.cells
            found[one.cell] = rounds(one, known[one.cell], one.rounds, 5000 + number, step=10)
        return found

    monkeypatch.setattr("weir.decide.compare.confirmation.measure_in_turns", measured)
    monkeypatch.setattr("weir.decide.compare.confirmation.preflight", lambda job: [Check("target", "there")])
    return known


def rounds(one: Cell, speed: float, count: int, start: int, step: int = 1) -> list[Row]:
    values = noisy(start, count, speed, 0.01)
    return cell(values, start=start, step=step, cell=one.cell, site="local", target=one.target)


def before_and_after(folder: Path, slower: float = 800.0) -> tuple[str, str]:
    """Two studies of the same cell on the disk."""
    first = study(folder / "before", rounds(DISK, 1000.0, 6, 0))
    return first, study(folder / "after", rounds(DISK, slower, 6, 100))


def study(folder: Path, *rows: list[Row]) -> str:
    write(folder / "records.csv", [row for part in rows for row in part])
    write_plan(PLAN, folder / "plan.json")
    return str(folder)


def confirmation(text: str) -> str:
    return text[text.index("confirmation: ") :]


def test_two_cells_are_measured_in_turns(tmp_path: Path, speeds: dict[str, float], run_weir: RunWeir) -> None:
    speeds |= {DISK.cell: 1000.0, MEMORY.cell: 800.0}
    where = study(tmp_path / "a", rounds(DISK, 1000.0, 6, 0), rounds(MEMORY, 800.0, 6, 100))
    arguments = ["compare", where, "--by", "target", "--fail-on", "slower", "--confirm"]
    text = confirmation(run_weir(*arguments, code=1).out)
    assert text.startswith("confirmation: 1 of 1 differences are confirmed")
    assert "(A and B in turns, n = 6)" in text
    speeds[MEMORY.cell] = 1000.0
    page = tmp_path / "page.html"
    assert "confirmation: 0 of 1 differences are confirmed" in run_weir(*arguments, "--html", page).out
    assert "was slower, now no difference" in page.read_text()


def test_the_same_cell_on_both_sides_is_measured_once_and_the_text_says_so(
    tmp_path: Path, speeds: dict[str, float], run_weir: RunWeir
) -> None:
    speeds[DISK.cell] = 1000.0
    arguments = ["compare", *before_and_after(tmp_path), "--fail-on", "slower", "--confirm"]
    arguments += ["--confirm-rounds", "8"]
    text = confirmation(run_weir(*arguments).out)
    assert text.startswith("confirmation: 0 of 1 differences are confirmed")
    assert "was slower, now no difference" in text
    assert "A is the same cell as B and would be measured as B is: B again" in text
    speeds[DISK.cell] = 800.0
    assert "confirmation: 1 of 1" in run_weir(*arguments, code=1).out


def test_a_new_measurement_without_a_value_confirms_nothing_and_clears_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, speeds: dict[str, float]
) -> None:
    def broken(jobs: Sequence[PlannedBatch]) -> dict[str, list[Row]]:
        return {job.cells[0].cell: [] for job in jobs}

    monkeypatch.setattr("weir.decide.compare.confirmation.measure_in_turns", broken)
    assert main(["compare", *before_and_after(tmp_path), "--fail-on", "slower", "--confirm"]) == 1


def test_the_spread_from_day_to_day_counts_in_the_confirmation(
    tmp_path: Path, speeds: dict[str, float], run_weir: RunWeir
) -> None:
    """The old records differ beyond the spread, the new ones of B do not."""
    speeds[DISK.cell] = 900.0
    both = before_and_after(tmp_path, slower=400.0)
    arguments = ["compare", *both, "--fail-on", "slower", "--confirm", "--day-to-day"]
    assert "confirmation: 1 of 1" in run_weir(*arguments, "0", code=1).out
    assert "confirmation: 0 of 1" in run_weir(*arguments, "10").out


def test_a_study_of_another_machine_is_not_measured_here(
    tmp_path: Path, speeds: dict[str, float], capsys: pytest.CaptureFixture[str]
) -> None:
    speeds[MEMORY.cell] = 800.0
    first = study(tmp_path / "a", rounds(DISK, 1000.0, 6, 0))
    second = study(tmp_path / "b", rounds(MEMORY, 800.0, 6, 100))
    (tmp_path / "a/facts.json").write_text(json.dumps({"machines": [{"node": "elsewhere"}]}))
    (tmp_path / "b/facts.json").write_text(json.dumps({"machines": [{"node": socket.gethostname()}]}))
    arguments = ["compare", first, second, "--across", "target", "--fail-on", "slower", "--confirm"]
    assert main(arguments) == 1
    text = confirmation(capsys.readouterr().out)
    assert "was measured on elsewhere, this is " in text
    assert "(B again, n = 6)" in text
    assert main(["compare", second, first, *arguments[3:]]) == 0  # faster
    text = confirmation(capsys.readouterr().out)
    assert "not measured: was faster" in text
    assert "B cannot be measured again: " in text


def test_a_target_that_is_gone_is_named(
    tmp_path: Path, speeds: dict[str, float], monkeypatch: pytest.MonkeyPatch, run_weir: RunWeir
) -> None:
    def checked(job: PlannedBatch) -> list[Check]:
        if job.target.name == "disk":
            raise WeirError("target disk: there is no such directory")
        return []

    monkeypatch.setattr("weir.decide.compare.confirmation.preflight", checked)
    speeds[MEMORY.cell] = 800.0
    where = study(tmp_path / "a", rounds(DISK, 1000.0, 6, 0), rounds(MEMORY, 800.0, 6, 100))
    text = confirmation(run_weir("compare", where, "--by", "target", "--confirm").out)
    assert "A cannot be measured again: target disk: there is no such directory: B again" in text


def test_a_batch_is_checked_once_and_its_cells_only_if_something_is_wrong(
    tmp_path: Path, speeds: dict[str, float], monkeypatch: pytest.MonkeyPatch, run_weir: RunWeir
) -> None:
    requests: list[list[str]] = []
    too_large: set[str] = set()

    def checked(job: PlannedBatch) -> list[Check]:
        requests.append([one.cell for one in job.cells])
        assert {one.rounds for one in job.cells} == {6}
        return [Check("space", "", "needs more" if too_large & set(requests[-1]) else None)]

    monkeypatch.setattr("weir.decide.compare.confirmation.preflight", checked)
    batch = next(batch for batch in PLAN.batches if DISK in batch.cells)
    one, other = [cell for cell in batch.cells if "write" in cell.params["access"]][:2]
    speeds |= {one.cell: 800.0, other.cell: 800.0}
    first, second = (
        study(
            tmp_path / name,
            rounds(one, speed, 6, start),
            [row | {"xfer_bytes": 16384} for row in rounds(other, speed, 6, start + 100)],
        )
        for name, speed, start in (("before", 1000.0, 0), ("after", 800.0, 200))
    )
    arguments = ["compare", first, second, "--fail-on", "slower", "--confirm"]
    assert confirmation(run_weir(*arguments, code=1).out).startswith("confirmation: 2 of 2")
    assert requests == [[cell.cell for cell in batch.cells]]
    too_large.add(other.cell)
    text = confirmation(run_weir(*arguments, code=1).out)
    assert text.startswith("confirmation: 1 of 2")
    assert "B cannot be measured again: needs more" in text
    assert sorted(requests[2:]) == sorted([[one.cell], [other.cell]])


def test_without_a_plan_a_slowdown_stays_and_nothing_is_measured(tmp_path: Path, run_weir: RunWeir) -> None:
    first, second = write_both(tmp_path, rounds(DISK, 1000.0, 6, 0), rounds(DISK, 800.0, 6, 100))
    arguments = ["--fail-on", "slower", "--confirm", "--json"]
    found = json.loads(run_weir("compare", first, second, *arguments, code=1).out)["confirmation"]
    assert found["records"] is None
    assert "has no plan.json" in found["pairs"][0]["why"]
    printed = run_weir("compare", first, first, "--confirm").out
    assert "nothing looks different, nothing was measured" in printed
