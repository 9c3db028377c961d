"""weir compare: like cells only, error rates, and what the exit code means."""

import random
import re
import time
from collections.abc import Sequence
from math import exp
from pathlib import Path
from typing import Any

import pytest

from tests.unit.conftest import RunWeir
from weir.collect.metrics import metric_named
from weir.collect.table import write_records
from weir.decide.compare.estimate import Days
from weir.decide.compare.figure import table
from weir.decide.compare.output import as_text
from weir.decide.compare.pairs import pair_cells
from weir.decide.compare.sides import Campaign, Side
from weir.decide.compare.verdict import FASTER, SAME, SLOWER, UNDECIDED, judge_pairs
from weir.records.columns import columns_of_role
from weir.records.model import Row

RATE = metric_named("rate")


def record(run: int, bandwidth: float, *, minute: int | None = None, **columns: Any) -> Row:
    """One record of a plain cell; run decides when it ran unless minute does."""
    at = run if minute is None else minute
    return {
        "api": "POSIX", "access": "write", "nn": 1, "ppn": 2, "xfer_bytes": 2**20, "layout": "shared",
        "order": "sequential", "iteration": 0, "cell": "c1", "site": "lab", "target": "disk",
        "stack": "debian",
        "tool": "ior", "program": "weir-io", "label": "disk POSIX shared 1MiB", "suite": "quick",
        "verdict": "VALID",
        "reasons": "", "evidence": "", "run": run, "bw_mib_s": bandwidth,
        "began": f"2026-11-{1 + at // 1440:02d}T{at // 60 % 24:02d}:{at % 60:02d}:00+00:00",
    } | columns  # fmt: skip


def cell(values: Sequence[float], start: int = 0, step: int = 1, **columns: Any) -> list[Row]:
    """Rounds of one cell, `step` minutes apart from minute `start` on."""
    return [record(run, value, minute=start + run * step, **columns) for run, value in enumerate(values)]


def cells(*values: Sequence[float], **columns: Any) -> list[Row]:
    """Rounds of as many cells, which differ in their processes."""
    rows = (cell(each, cell=f"c{at}", ppn=at, **columns) for at, each in enumerate(values, start=1))
    return [row for of_cell in rows for row in of_cell]


def side(name: str, *campaigns: Sequence[Row]) -> Side:
    return Side(name, tuple(Campaign(f"{name}{index}", tuple(rows)) for index, rows in enumerate(campaigns)))


def judged(first: Side, second: Side, **options: Any) -> Any:
    pairing = pair_cells((first, second), columns_of_role("parameter"), RATE)
    return judge_pairs(pairing.pairs, RATE, **options)


def noisy(seed: int, count: int, level: float = 1000.0, spread: float = 0.03) -> list[float]:
    source = random.Random(seed)
    return [level * exp(source.gauss(0, spread)) for _ in range(count)]


def of_pair(first: Sequence[Row], second: Sequence[Row], **options: Any) -> Any:
    """The only pair of two campaigns."""
    (one,) = judged(side("a", first), side("b", second), **options)
    return one


def degraded(rows: Sequence[Row]) -> list[Row]:
    return [row | {"verdict": "DEGRADED", "reasons": "read-from-cache"} for row in rows]


def write(path: Path, rows: Sequence[Row]) -> Path:
    write_records(path, rows)
    return path


def write_day(history: Path, day: int, rows: Sequence[Row]) -> Path:
    """A campaign of a history, from day 0 on."""
    return write(history / f"2026-11-{day + 1:02d}-{day:012x}" / "records.csv", rows)


def write_both(folder: Path, first: Sequence[Row], second: Sequence[Row]) -> list[str]:
    """A and B of weir compare."""
    return [str(write(folder / f"{name}.csv", rows)) for name, rows in (("a", first), ("b", second))]


def test_a_clear_slowdown_is_slower_and_by_how_much() -> None:
    one = of_pair(cell(noisy(1, 8)), cell(noisy(2, 8, 800.0), start=100))
    assert one.verdict == SLOWER
    low, high = one.estimate.interval()
    assert low < 0.8 < high
    assert one.estimate.design == "separate"


def test_rounds_in_turns_are_paired_also_where_a_program_prints_the_time_of_the_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """IOR prints local time without a zone: as texts, its rounds were hours away from those of weir-io."""
    monkeypatch.setenv("TZ", "CET-1")
    time.tzset()
    printed = [
        row | {"began": f"{row['began'][:11]}01{row['began'][13:19]}"} for row in cell(noisy(1, 6), step=4)
    ]
    try:
        assert of_pair(printed, cell(noisy(2, 6), start=2, step=4)).estimate.design == "paired"
    finally:
        monkeypatch.undo()
        time.tzset()


def test_rounds_in_turns_are_paired_and_what_disturbs_both_does_not_count() -> None:
    drift = [1000.0, 700.0, 1200.0, 500.0, 900.0]
    slower = [value * factor for value, factor in zip(drift, (0.89, 0.91, 0.9, 0.9, 0.9), strict=True)]
    one = of_pair(cell(drift, step=10), cell(slower, start=5, step=10))
    assert one.estimate.design == "paired"
    assert one.verdict == SLOWER
    assert any("fewer than 15 pairs in turns" in note for note in one.notes)
    apart = of_pair(cell(drift, step=10), cell(slower, start=1000))
    assert apart.verdict == UNDECIDED
    assert not any("in turns: 5 %" in note for note in apart.notes)


def test_equal_sides_are_equal_only_where_the_interval_is_within_the_margin() -> None:
    close = of_pair(cell(noisy(3, 10, spread=0.01)), cell(noisy(4, 10, spread=0.01), start=99))
    assert close.verdict == SAME
    loose = of_pair(cell(noisy(3, 4, spread=0.2)), cell(noisy(4, 4, spread=0.2), start=99))
    assert loose.verdict == UNDECIDED
    assert loose.more_rounds > 4


def test_an_interval_of_two_rounds_that_tells_nothing_is_no_pair_of_numbers() -> None:
    one = of_pair(cell([1000.0, 1000.0], step=10), cell([3000.0, 400.0], start=5, step=10))
    low, high = one.estimate.interval()
    assert (one.verdict, one.estimate.rounds) == (UNDECIDED, (2, 2))
    assert high > 1000 * low
    assert "x1.095 [not decided by 2 rounds]" in as_text(("a", "b"), [one], [], 0.05, RATE)
    drawn = table([one, of_pair(cell(noisy(1, 8)), cell(noisy(2, 8), start=100))], 0.05)
    assert "[not decided by 2 rounds]" in drawn
    assert all(0 <= float(x) <= 320 for x in re.findall(r'x[12]="([-0-9.]+)"', drawn))


def test_one_round_a_side_decides_nothing() -> None:
    one = of_pair(cell([1000.0]), cell([10.0], start=9))
    assert (one.verdict, one.estimate) == (UNDECIDED, None)
    assert "fewer than two rounds" in one.notes[0]


def test_rounds_that_cannot_be_used_are_not_called_missing() -> None:
    one = of_pair(cell(noisy(1, 8)), degraded(cell(noisy(2, 8, 100.0), start=100)))
    assert one.notes == ("fewer than two rounds a side that can be used", "8 DEGRADED records not used")


def test_iterations_of_one_run_are_one_value() -> None:
    first = [record(0, value, iteration=index) for index, value in enumerate(noisy(5, 20))]
    second = [record(0, value, iteration=index, minute=9) for index, value in enumerate(noisy(6, 20, 500.0))]
    assert of_pair(first, second).verdict == UNDECIDED


def test_several_campaigns_include_what_changes_between_them() -> None:
    days = [
        cell(noisy(day, 6, level, 0.01), start=day * 1440) for day, level in enumerate((1000, 800, 1200, 950))
    ]
    one = judged(side("a", *days[:2]), side("b", *days[2:]))[0]
    assert one.estimate.design == "campaigns"
    assert one.verdict == UNDECIDED
    against = judged(side("a", *days), side("b", cell(noisy(9, 6, 890, 0.01), start=9000)))[0]
    assert against.estimate.design == "campaigns"
    assert against.verdict == UNDECIDED


def test_a_known_day_to_day_spread_widens_the_interval() -> None:
    both = cell(noisy(1, 8, spread=0.01)), cell(noisy(2, 8, 940, 0.01), start=2000)
    assert of_pair(*both, margin=0.01, days=Days(given=0.0)).verdict == SLOWER
    assert of_pair(*both, margin=0.01, days=Days(given=0.10)).verdict == UNDECIDED


def test_invalid_and_degraded_records_never_decide() -> None:
    bad = degraded(cell(noisy(2, 8, 100.0), start=100))
    good = [row | {"run": 100 + row["run"]} for row in cell(noisy(7, 8), start=200)]
    one = of_pair(cell(noisy(1, 8)), [*bad, *good])
    assert one.verdict != SLOWER
    assert "8 DEGRADED records not used" in one.notes


def test_unproven_records_are_used_and_every_output_says_so(tmp_path: Path, run_weir: RunWeir) -> None:
    both = write_both(tmp_path, cell(noisy(1, 8)), cell(noisy(2, 8, 800.0), start=100, verdict="UNPROVEN"))
    files = {name: tmp_path / f"out.{name}" for name in ("junit", "csv", "html")}
    arguments = [word for name, file in files.items() for word in (f"--{name}", str(file))]
    printed = run_weir("compare", *both, "--fail-on", "slower", *arguments, code=1).out
    assert "shared 1MiB (UNPROVEN)" in printed
    assert "note: 8 UNPROVEN records used (1 of 1 pairs)" in printed
    for name in ("junit", "csv"):
        assert "8 UNPROVEN records used" in files[name].read_text()
    assert "†: with UNPROVEN records" in files["html"].read_text()


def test_latencies_are_better_when_lower() -> None:
    p99, both = metric_named("p99"), (cell(noisy(1, 8)), cell(noisy(2, 8, 800.0), start=100))
    sides = [side("a", [row | {"lat_p99_us": row["bw_mib_s"]} for row in rows]) for rows in both]
    pairing = pair_cells(sides, columns_of_role("parameter"), p99)
    assert judge_pairs(pairing.pairs, p99)[0].verdict == FASTER


def test_unlike_cells_are_not_compared_and_the_difference_is_named() -> None:
    pairing = pair_cells(
        (side("a", cell(noisy(1, 4))), side("b", cell(noisy(2, 4), xfer_bytes=2**14))),
        columns_of_role("parameter"),
        RATE,
    )
    assert not pairing.pairs
    assert pairing.unmatched[0].differs == (("xfer_bytes", 2**20, 2**14),)


@pytest.mark.slow
def test_equal_campaigns_are_rarely_called_slower() -> None:
    """300 comparisons of 20 equal cells with neighbouring rounds alike: the error rate is the printed one."""
    source = random.Random(20)
    tables_with_a_false_alarm = 0
    for _ in range(60):
        sides: list[list[Row]] = [[], []]
        for number in range(20):
            for which in (0, 1):
                away, values = 0.0, []
                for _ in range(6):
                    away = 0.3 * away + source.gauss(0, 0.05)
                    values.append(1000 * exp(away))
                sides[which] += cell(values, start=which * 500, xfer_bytes=1024 * (number + 1))
        found = judged(side("a", sides[0]), side("b", sides[1]))
        assert len(found) == 20
        tables_with_a_false_alarm += any(one.verdict == SLOWER for one in found)
    assert tables_with_a_false_alarm <= 6  # 5 % of 60 are 3; more than 6 happens once in 30 times
