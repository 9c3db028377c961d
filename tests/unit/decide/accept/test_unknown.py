"""What a contract cannot judge is told in the first line, and what the records do not tell is not known."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.unit.conftest import RunWeir
from tests.unit.decide.accept.compliant import cells_of, contract_of, write_study
from tests.unit.decide.accept.test_accept import parameter
from weir.decide.accept.contract import Contract
from weir.decide.accept.evidence import Measured, read_measured
from weir.decide.accept.judge import NOT_PROVEN, JudgedLine, judge
from weir.decide.accept.output import as_text


def measured_by(contract: Contract, folder: Path, **values: float) -> Measured:
    """A study of which nothing lacks that would verify it."""
    measured = read_measured(write_study(folder, cells_of(contract, values)))
    return replace(measured, rounds=replace(measured.rounds, lacks=()))


def changed(measured: Measured, **values: Any) -> Measured:
    return replace(measured, rows=tuple(row | values for row in measured.rows))


def unknown(results: list[JudgedLine]) -> set[str]:
    """Conditions that are not known; a result with one is not proven."""
    found = {one.condition for result in results for one in result.findings if one.unknown}
    assert all(one.verdict == NOT_PROVEN for one in results if one.findings)
    return found


def test_a_pass_names_how_many_requirements_it_does_not_judge(tmp_path: Path) -> None:
    """They were in the report alone, and the head was PASS."""
    contract = contract_of("mistral-2015")
    measured = measured_by(contract, tmp_path)
    text = as_text(contract, judge(contract, measured), measured).splitlines()
    assert text[0].startswith("mistral-2015: PASS on 10 of 12 requirements, 2 not judged; closest line ")
    assert text[0].endswith(" better than promised")
    assert sum(line.startswith("  not judged ") for line in text) == 2


def test_a_missed_promise_is_the_closest_with_its_unit(tmp_path: Path) -> None:
    contract = contract_of("mistral-2015")
    line = contract.lines[1]
    measured = measured_by(contract, tmp_path, **{line.name: 0.9 * line.promise.bound})
    head = as_text(contract, judge(contract, measured), measured).splitlines()[0]
    counts = "mistral-2015: FAIL (10 lines: 9 pass, 1 fail, 0 not proven), 2 requirements not judged"
    assert head.startswith(f"{counts}; closest line {line.name}: ")
    assert head.endswith(" MiB/s, 10.0% worse than promised")


@pytest.mark.parametrize(
    ("name", "values", "condition"),
    [
        ("mistral-2015", {"run": None}, "rounds-at-least"),
        ("jupiter-ior", {"run": None}, "same-run"),
        ("nersc-10", {"verdict": "UNPROVEN", "missing": "sync"}, "verdict"),
        ("jupiter-ior", {"target": None}, "one-storage"),
    ],
)
def test_what_the_records_do_not_tell_is_not_known(
    tmp_path: Path, name: str, values: dict[str, Any], condition: str
) -> None:
    """Records of runs that nobody told apart counted as one run, and the storage of none as one storage."""
    contract = contract_of(name)
    measured = measured_by(contract, tmp_path)
    keys = {key for line in contract.lines for key in line.conditions}
    assert condition == "verdict" or condition.replace("-", "_") in keys
    assert condition not in unknown(judge(contract, measured))
    assert condition in unknown(judge(contract, changed(measured, **values)))


def test_a_copy_without_its_runs_is_not_proven_with_what_to_copy(tmp_path: Path) -> None:
    """A buyer who was handed the folder of the study read 'edited' and a list of deleted runs."""
    contract = contract_of("mistral-2015")
    text = "the 3 runs are not here: copy runs/"
    results = judge(contract, replace(measured_by(contract, tmp_path), copied=text))
    assert {one.verdict for one in results} == {NOT_PROVEN}
    assert all(text in [finding.text for finding in one.findings] for one in results)


def test_a_line_without_a_record_is_not_known(tmp_path: Path) -> None:
    """'violated: no-record' stood where nothing like it was measured; names stay whole in the lines."""
    contract = contract_of("jupiter-ior")
    cells = cells_of(contract, {})
    for cell in cells:
        parameter("layout", "shared")(cell)
    others = read_measured(write_study(tmp_path, cells))
    results = judge(contract, others)
    assert "no-record" in unknown(results)
    assert any("of the nearest layout is shared, not file-per-process" in one.why for one in results)
    text = as_text(contract, results, others)
    assert "not known: no-record: no record has these parameters" in text
    assert not any(line.endswith("-") for line in text.splitlines())


@pytest.mark.parametrize("lost", [{"bw_mib_s": None}, {"access": "other"}])
def test_runs_without_the_promised_number_are_not_known(tmp_path: Path, lost: dict[str, Any]) -> None:
    """A pass was that of the runs that have one: whoever measures could drop the others' numbers."""
    contract = contract_of("jupiter-ior")
    line = next(line for line in contract.lines if len(line.access) == 2)
    loose = {name: value for name, value in line.conditions.items() if name != "same_run"}
    contract = replace(contract, lines=(replace(line, conditions=loose),))
    measured = measured_by(contract, tmp_path)
    assert unknown(judge(contract, measured)) == set()
    rows = tuple(row | lost if (row["run"], row["access"]) == (0, "read") else row for row in measured.rows)
    found = judge(contract, replace(measured, rows=rows))
    assert unknown(found) == {"value"}
    assert found[0].why == "1 of 4 runs have no bandwidth"


@pytest.mark.parametrize("value", ["0 MiB/s", "0.0 GB/s"])
def test_a_promise_of_nothing_is_refused(value: str, run_weir: RunWeir) -> None:
    """It divided by zero when the margin was printed."""
    error = run_weir("accept", "jupiter-ior", "--promise", f"easy-best-sum={value}", code=2).err
    assert "promises nothing" in error
