"""weir/decide/compare/cross_check.py: whether two programs agree, from recorded rounds."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.checkout import plain_cell
from tests.unit.decide.compare.test_compare import cell as rows_of
from tests.unit.decide.compare.test_compare import noisy
from weir.base.errors import WeirError
from weir.commands import run
from weir.decide.compare import cross_check
from weir.decide.compare.cross_check import Agreement, agreements
from weir.records.model import Cell, CrossCheck, Row, Site, Stack

STACK = Stack("debian", {"ior": ("ior",)}, cross_check=CrossCheck({"ior": ("weir-io", "ior")}))
SITE = Site("lab", "A site", (), {}, {"debian": STACK}, {})


def cell(name: str, checks: str | None = None) -> Cell:
    by_other = checks is not None
    return plain_cell(name, label=f"disk {name[:2]}", rounds=8, by_cross_check=by_other, checks=checks)


def rounds(seed: int, level: float, program: str, count: int = 12, **columns: Any) -> list[Row]:
    return rows_of(noisy(seed, count, level, 0.002), program=program, label="disk c", **columns)


def found(monkeypatch: pytest.MonkeyPatch, records: Mapping[str, Sequence[Row]]) -> list[Agreement]:
    """Cells whose names end with + check those without it."""
    cells = [cell(name, name[:-1] if name.endswith("+") else None) for name in records]
    monkeypatch.setattr(cross_check, "finished_runs", lambda folder: [])
    monkeypatch.setattr(cross_check, "collect_cell", lambda one, runs, results: records[one.cell])
    return agreements(cells, SITE, Path("results"))


def test_programs_that_agree_have_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    records = {
        f"c{number}{mark}": rounds(10 * number + index, 1000.0 * number, program, cell=f"c{number}{mark}")
        for number in range(1, 5)
        for index, (mark, program) in enumerate((("", "IOR"), ("+", "weir-io")))
    }
    (one,) = found(monkeypatch, records)
    assert one.text.startswith("weir-io and IOR agree within 3 % on 4 of 4 cells, ratio 1.00")
    assert (one.agree, one.cells, one.differ, one.undecided) == (4, 4, (), ())
    assert one.facts()["text"] == one.text


def test_a_cell_of_the_same_program_is_no_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """weir-io measures a cell again without what the original lacks: the original is compared with that."""
    records = {
        "c1": rounds(1, 500, "weir-io", cell="c1"),
        "c1+": rounds(2, 1000, "weir-io", cell="c1+"),
        "c1++": rounds(3, 1000, "IOR", cell="c1++"),
    }
    own, reference, other = (cell(name, name[:-1] if name.endswith("+") else None) for name in records)
    own, other = replace(own, by_cross_check=True), replace(other, by_cross_check=False)
    monkeypatch.setattr(cross_check, "finished_runs", lambda folder: [])
    monkeypatch.setattr(cross_check, "collect_cell", lambda one, runs, results: records[one.cell])
    (one,) = agreements([own, reference, other], SITE, Path("results"))
    assert one.text.startswith("IOR and weir-io agree within 3 % on 1 of 1 cell")


def test_cells_that_differ_and_undecided_ones_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    records = {
        "c1": rounds(1, 1000, "IOR", cell="c1"),
        "c1+": rounds(2, 1400, "weir-io", cell="c1+"),
        "c2": rows_of(noisy(3, 4, 1000, 0.3), program="IOR", cell="c2", label="disk c2"),
        "c2+": rows_of(noisy(4, 4, 1000, 0.3), program="weir-io", cell="c2+"),
        "c3": rounds(5, 1000, "IOR", cell="c3"),
        "c3+": rounds(6, 1000, "weir-io", cell="c3+"),
    }
    (one,) = found(monkeypatch, records)
    assert one.text.startswith("weir-io and IOR agree within 3 % on 1 of 3 cells")
    assert "; 1 differs: write disk c x1.40" in one.text
    assert one.text.endswith("; 1 undecided, with this many rounds and this noise")
    assert one.undecided[0].startswith("write disk c2 x")
    assert one.undecided[0].endswith(", n = 4")


def test_a_difference_within_the_margin_is_not_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    """2.8 % do not matter, and the interval does not show yet that it is no more."""
    records = {"c1": rounds(1, 1000, "IOR", 4, cell="c1"), "c1+": rounds(2, 1028, "weir-io", 4, cell="c1+")}
    (one,) = found(monkeypatch, records)
    assert (one.agree, one.differ, len(one.undecided)) == (0, (), 1)


def test_only_rounds_that_both_programs_can_use_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """A round that one of them lost is lost for both: they were measured in turns all the same."""
    first, second = rounds(1, 1000, "IOR", cell="c1"), rounds(2, 1000, "weir-io", cell="c1+")
    second[3] |= {"verdict": "DEGRADED", "bw_mib_s": 1.0}
    (one,) = found(monkeypatch, {"c1": first, "c1+": second[:-1]})
    assert (one.agree, one.undecided) == (1, ())
    both = cross_check._rows(cell("c1+", "c1"), cell("c1"), Path("results"))
    assert [[row["run"] for row in rows] for rows in both] == [[0, 1, 2, *range(4, 11)]] * 2


def test_times_without_a_zone_are_those_of_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """IOR prints local time in whole seconds: rounds of another zone would not be in turns."""
    first = [row | {"began": row["began"][:19]} for row in rounds(1, 1000, "IOR", 3, cell="c1")]
    runs = [
        type("Run", (), {"number": at, "facts": {"began": f"2026-11-27T0{at}:00:00Z"}}) for at in range(3)
    ]
    monkeypatch.setattr(cross_check, "finished_runs", lambda folder: runs)
    monkeypatch.setattr(cross_check, "collect_cell", lambda *_: first)
    known = [row["began"] for row in cross_check._records(cell("c1"), Path("results"))]
    assert known == [f"2026-11-27T0{at}:00:00Z" for at in range(3)]


def test_a_result_that_no_round_shows_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = rounds(1, 1000, "IOR", 6, cell="c1"), rounds(2, 1000, "weir-io", 6, cell="c1+")
    lost = [row | {"verdict": "INVALID"} for row in second]
    (one,) = found(monkeypatch, {"c1": first, "c1+": lost})
    assert (one.agree, one.ratio) == (0, None)
    known = "undecided on 1 of 1 cell whether weir-io and IOR agree within 3 %"
    assert one.text == f"{known}, with this many rounds and this noise"
    reason = "fewer than two rounds a side that can be used; 6 INVALID records not used"
    assert one.undecided == (f"write disk c ({reason})",)


def test_nothing_is_said_before_both_have_run(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(monkeypatch, {"c1": rounds(1, 1000, "IOR", 6, cell="c1"), "c1+": []}) == []
    assert found(monkeypatch, {"c1": rounds(1, 1000, "IOR", 6, cell="c1")}) == []


@pytest.mark.parametrize("fault", [ModuleNotFoundError("No module named 'scipy'"), WeirError("no run")])
def test_a_run_is_through_also_where_its_programs_cannot_be_compared(
    monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    def fails(*_: object) -> list[Agreement]:
        raise fault

    monkeypatch.setattr(cross_check, "agreements", fails)
    batch = SimpleNamespace(cells=[cell("c1"), cell("c1+", "c1")])
    plan = SimpleNamespace(site=SITE)
    (line,) = run._cross_check(cast(Any, plan), [cast(Any, batch)], Path("results"))
    assert line == f"the programs of the cross-check were not compared: {fault}"
