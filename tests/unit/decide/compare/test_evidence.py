"""weir compare: a side whose rounds were dropped decides nothing, and worse evidence in B fails."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.golden.audit.cases import CASES
from tests.unit.conftest import RunWeir
from tests.unit.decide.compare.test_compare import cell, degraded, noisy, of_pair, write, write_both
from tests.unit.recorded import collect, measured_study
from weir.cli import main
from weir.collect.judged import collect_cell
from weir.collect.parsed_runs import Run
from weir.collect.table import write_records
from weir.decide.compare.sides import read_side
from weir.decide.compare.verdict import SLOWER, UNDECIDED
from weir.plan.files import read_plan
from weir.runs.files import run_folder
from weir.runs.ledger import COLLECTED_LEDGER

MANY = 30


def drop_worst(results: Path, count: int) -> Path:
    """Delete the slowest rounds and collect again; equal storage becomes faster."""
    rows = cell(noisy(2, MANY, spread=0.05), start=500)
    worst = sorted(rows, key=lambda row: row["bw_mib_s"])[:count]
    measured_study(results, rows, MANY)
    for row in worst:
        shutil.rmtree(results / "runs" / row["cell"] / f"{row['run']:03d}")
    return collect(results, "study", rows, MANY)


def pair_of(first: Path, second: Path, run_weir: RunWeir, *more: str, code: int = 0) -> dict[str, Any]:
    printed = run_weir("compare", first, second, "--json", *more, code=code).out
    pair: dict[str, Any] = json.loads(printed)["pairs"][0]
    return pair


def test_a_side_without_its_worst_rounds_is_not_faster(tmp_path: Path, run_weir: RunWeir) -> None:
    first = measured_study(tmp_path / "a", cell(noisy(3, MANY, 960.0, 0.05)), MANY)
    second = drop_worst(tmp_path / "b", 8)
    pair = pair_of(first, second, run_weir)
    assert pair["verdict"] == "undecided"
    assert sum("B lacks" in note for note in pair["notes"]) == 4
    assert "deleted: c1 round" in " ".join(pair["notes"])
    pair_of(first, second, run_weir, "--fail-on", "slower,missing", code=3)
    bare = write(tmp_path / "bare.csv", cell(noisy(3, MANY, 960.0, 0.05)))
    printed = run_weir("compare", first, bare).out
    assert "note: dropped rounds of B are not known: plan.json is missing" in printed


@pytest.mark.parametrize("copied", ["study elsewhere", "study beside", "study without its ledger"])
def test_a_copy_of_a_study_decides_as_the_study_does(tmp_path: Path, run_weir: RunWeir, copied: str) -> None:
    """As `cp -r results/local/first before`: neither the runs nor their ledger come along."""
    study = measured_study(tmp_path / "results", cell(noisy(3, 12)), 12)
    before = tmp_path / ("results/before" if copied == "study beside" else "before")
    shutil.copytree(study, before)
    if not (whole := "without" not in copied):
        (before / COLLECTED_LEDGER).unlink()
    slow = measured_study(tmp_path / "now", cell(noisy(2, 12, 600.0), start=500), 12)
    for first, second, verdict in ((before, slow, "slower"), (slow, before, "faster")):
        printed = run_weir("compare", first, second).out
        assert (f"1 {verdict}" in printed.splitlines()[0]) == whole
        assert ("lacks" in printed) != whole
        pair = pair_of(first, second, run_weir)
        assert pair["verdict"] == (verdict if whole else "undecided")
        assert any("lacks" in note for note in pair["notes"]) != whole


def test_a_slower_side_that_lacks_rounds_is_slower_all_the_same(tmp_path: Path) -> None:
    rows = cell(noisy(2, 12, 600.0), start=500)
    results = tmp_path / "b"
    measured_study(results, rows, 12)
    shutil.rmtree(results / "runs" / "c1" / "003")
    slow = collect(results, "study", rows, 12)
    fast = measured_study(tmp_path / "a", cell(noisy(1, 12)), 12)
    assert main(["compare", str(fast), str(slow), "--fail-on", "slower:5%"]) == 1
    # The other way round the faster side is the one whose rounds were chosen.
    assert main(["compare", str(slow), str(fast), "--fail-on", "undecided"]) == 3


GOOD = cell(noisy(1, 8))
EQUAL = cell(noisy(2, 8), start=100)
SLOW = cell(noisy(2, 8, 700.0), start=100)
DEGRADED = degraded(EQUAL)
OTHER = cell(noisy(5, 8), xfer_bytes=2**14, cell="c2")


@pytest.mark.parametrize(
    ("name", "first", "second", "fail_on", "code"),
    [
        ("equal", GOOD, EQUAL, "slower:5%,missing,degraded", 0),
        ("slower", GOOD, SLOW, "slower:5%,missing,degraded", 1),
        ("all of B degraded", GOOD, DEGRADED, "slower", 3),
        ("half of B degraded", GOOD, [*EQUAL[:4], *DEGRADED[4:]], "slower", 0),
        ("half of B degraded, refused", GOOD, [*EQUAL[:4], *DEGRADED[4:]], "degraded", 3),
        ("a cell is missing", [*GOOD, *OTHER], EQUAL, "slower", 3),
        ("a new cell", GOOD, [*EQUAL, *OTHER], "slower,missing", 0),
        ("one row", GOOD, EQUAL[:1], "slower", 3),
        ("fewer rounds", GOOD, EQUAL[:6], "slower", 0),
        ("fewer rounds, refused", GOOD, EQUAL[:6], "missing", 3),
        ("slower and less", [*GOOD, *OTHER], SLOW, "slower,missing", 1),
        ("no like cell", GOOD, OTHER, "slower", 3),
        ("nothing requested", [*GOOD, *OTHER], DEGRADED, "", 0),
    ],
    ids=lambda value: value if isinstance(value, str) and " " in value else None,
)
def test_the_exit_code_tells_a_slowdown_from_missing_evidence(
    name: str, first: list[dict], second: list[dict], fail_on: str, code: int, tmp_path: Path
) -> None:
    junit = tmp_path / "out.xml"
    arguments = ["--fail-on", fail_on] if fail_on else []
    both = write_both(tmp_path, first, second)
    assert main(["compare", *both, "--junit", str(junit), *arguments]) == code, name
    if code == 3 and name != "no like cell":
        assert 'classname="evidence"' in junit.read_text()


@pytest.mark.parametrize(("first", "second"), [(2, 16), (3, 30), (16, 2)])
def test_a_few_rounds_one_after_the_other_decide_nothing(first: int, second: int) -> None:
    one = of_pair(cell(noisy(1, first)), cell(noisy(2, second, 500.0), start=900))
    assert (one.verdict, one.estimate) == (UNDECIDED, None)
    assert "fewer than four rounds a side, measured one after the other" in one.notes


def test_the_side_with_fewer_rounds_decides_how_sure_a_ratio_is() -> None:
    one = of_pair(cell(noisy(1, 4)), cell(noisy(2, 40, 500.0), start=900))
    assert one.verdict == SLOWER
    assert one.estimate.degrees <= 3
    assert any("the storage or the time between" in note for note in one.notes)


def test_a_side_whose_numbers_are_not_those_of_its_outputs_decides_nothing(
    tmp_path: Path, run_weir: RunWeir
) -> None:
    """SHA256SUMS has no secret: here there is none, as of a table that is edited before it is handed in."""
    case = CASES / "partly-cached"
    (batch,) = read_plan(case / "plan.json").batches
    for name, factor in (("a", 1.0), ("b", 1.0), ("edited", 1.3)):
        rows = []
        for number in range(8):
            folder = run_folder(tmp_path / name, batch.cells[0].cell, number)
            shutil.copytree(case / "run", folder)
            document = json.loads((folder / "run.json").read_text()) | {"run": number}
            (folder / "run.json").write_text(json.dumps(document))
            own = collect_cell(batch.cells[0], [Run(folder, document)], tmp_path / name)
            rows += [row | {"bw_mib_s": factor * row["bw_mib_s"]} for row in own]
        (tmp_path / name / "study").mkdir()
        write_records(tmp_path / name / "study/records.csv", rows)
    assert not read_side(str(tmp_path / "b/study")).campaigns[0].rounds.findings
    edited = read_side(str(tmp_path / "edited/study")).campaigns[0]
    assert [one.run for one in edited.rounds.findings] == list(range(8))
    printed = run_weir("compare", tmp_path / "a/study", tmp_path / "edited/study", "--json").out
    pairs = json.loads(printed)["pairs"]
    assert {one["verdict"] for one in pairs} == {UNDECIDED}
    assert any("edited: " in note and "its run gives" in note for one in pairs for note in one["notes"])
