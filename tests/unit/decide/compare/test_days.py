"""One campaign a side on different days: the storage and the day cannot be told apart."""

import json
import random
from math import exp
from pathlib import Path

import pytest

from tests.unit.conftest import RunWeir
from tests.unit.decide.compare.test_compare import (
    RATE,
    cell,
    judged,
    noisy,
    of_pair,
    record,
    side,
    write,
    write_both,
    write_day,
)
from weir.decide.compare.estimate import FEWEST_CAMPAIGNS, Days, spreads_of
from weir.decide.compare.pairs import pair_cells
from weir.decide.compare.sides import campaigns
from weir.decide.compare.verdict import FASTER, SLOWER, UNDECIDED
from weir.records.columns import columns_of_role
from weir.records.model import Row

DAY = 1440  # minutes


def campaign(day: int, level: float, **columns: object) -> list[Row]:
    return cell(noisy(day, 8, level, 0.01), start=day * DAY, **columns)


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """Six campaigns, of the cell c1 alike and of c2 with a slow one."""
    folder = tmp_path / "history"
    for day in range(6):
        rows = campaign(day, 1000.0) + campaign(day, 700.0 if day == 3 else 1000.0, ppn=4, cell="c2")
        write_day(folder, day, rows)
    return folder


def test_another_day_may_have_made_a_slowdown() -> None:
    one = of_pair(campaign(1, 1000.0), campaign(2, 800.0))
    assert (one.verdict, one.by_day, one.slower_by_day) == (UNDECIDED, True, True)
    assert "42% from day to day is assumed" in one.notes[0]
    assert one.more_rounds is None
    same_day = of_pair(campaign(1, 1000.0), cell(noisy(2, 8, 800.0), start=1600))
    assert (same_day.verdict, same_day.by_day) == (SLOWER, False)
    assert of_pair(campaign(1, 1000.0), campaign(2, 100.0)).verdict == SLOWER
    known = of_pair(campaign(1, 1000.0), campaign(2, 800.0), days=Days(given=0.02))
    assert known.verdict == SLOWER


def test_a_campaign_handed_in_as_several_is_one() -> None:
    """Parts of a day are alike, so that they would make another day a change of the storage."""
    whole = [campaign(day, level) for day, level in ((1, 1000.0), (2, 1250.0))]
    parts = [[rows[:2], rows[2:5], rows[5:]] for rows in whole]
    one = judged(*(side(name, *each) for name, each in zip("ab", parts, strict=True)))[0]
    assert (one.estimate.design, one.verdict, one.by_day) == ("separate", UNDECIDED, True)
    assert one.estimate == of_pair(*whole).estimate
    nights = [campaign(day, 1000.0) for day in (1, 2, 3)]
    assert judged(side("a", *nights), side("b", whole[1]))[0].estimate.design == "campaigns"


def test_a_campaign_handed_in_twice_counts_once() -> None:
    """A copy would make two rounds of each, and the interval narrower."""
    first, second = campaign(1, 1000.0), cell(noisy(2, 8, 980.0), start=1600)
    twice = judged(side("a", first), side("b", second, [dict(row) for row in second[1:]]))[0]
    assert twice.estimate == of_pair(first, second).estimate


def test_parts_of_a_day_teach_no_spread_from_day_to_day(tmp_path: Path) -> None:
    for part in range(FEWEST_CAMPAIGNS + 1):
        rows = cell(noisy(part, 3, 1000.0, 0.01), start=part * 60)
        write(tmp_path / f"2026-11-01-{part}" / "records.csv", rows)
    sides = tuple(side(str(day), campaign(day, 1000.0)) for day in (10, 11))
    pairs = pair_cells(sides, columns_of_role("parameter"), RATE).pairs
    assert not spreads_of(pairs, list(campaigns(tmp_path)), RATE)


def test_records_without_times_may_be_of_other_days() -> None:
    first, second = ([row | {"began": ""} for row in campaign(1, level)] for level in (1000.0, 800.0))
    one = of_pair(first, second)
    assert (one.verdict, one.by_day) == (UNDECIDED, True)


def test_fail_on_slower_cannot_decide_then(tmp_path: Path, run_weir: RunWeir) -> None:
    files = write_both(tmp_path, campaign(1, 1000.0), campaign(2, 800.0))
    printed = run_weir("compare", *files, "--fail-on", "slower:5%", code=3).out
    assert "different, but another day may have made it: measure in turns" in printed
    assert "x0.80" in printed.partition("B cannot be judged")[2]
    run_weir("compare", *files, "--fail-on", "slower:5%", "--day-to-day", "2", code=1)
    run_weir("compare", *reversed(files), "--fail-on", "slower:5%")  # surely not slower


def test_a_history_tells_the_spread(history: Path, tmp_path: Path, run_weir: RunWeir) -> None:
    """Also of the cell whose own campaigns were alike: the slow one of the other is of the same system."""
    first = write(tmp_path / "a.csv", campaign(7, 1000.0) + campaign(7, 1000.0, ppn=4, cell="c2"))
    for level, verdict in ((800.0, UNDECIDED), (400.0, SLOWER), (2500.0, FASTER)):
        rows = campaign(8, level) + campaign(8, level, ppn=4, cell="c2")
        second = write(tmp_path / "b.csv", rows)
        pairs = json.loads(run_weir("compare", first, second, "--history", history, "--json").out)["pairs"]
        assert [one["verdict"] for one in pairs] == [verdict] * 2
        assert "by the history (n = 6)" in pairs[0]["notes"][0]


def test_a_campaign_of_the_history_is_not_a_side_as_well(
    history: Path, tmp_path: Path, run_weir: RunWeir
) -> None:
    days = sorted(history.glob("*/records.csv"))
    first, second = days[1], days[3]
    pairs = json.loads(run_weir("compare", first, second, "--history", history, "--json").out)["pairs"]
    assert FEWEST_CAMPAIGNS > 6 - 2  # too few are left to teach a spread
    assert all("is assumed" in one["notes"][0] for one in pairs)


def test_lasting_slow_modes_are_no_slowdown() -> None:
    """Half of twenty tables would have a false verdict by what changes within a campaign."""
    source = random.Random(3)
    false = within = 0
    for _ in range(20):
        sides: list[list[Row]] = [[], []]
        for number in range(6):
            for which, rows in enumerate(sides):
                level = 800.0 if source.random() < 0.2 else 1000.0
                rows += [
                    record(
                        run, level * exp(source.gauss(0, 0.025)), minute=which * 3 * DAY + run, ppn=number + 1
                    )
                    for run in range(6)
                ]
        found = judged(side("a", sides[0]), side("b", sides[1]))
        false += any(one.verdict in (SLOWER, FASTER) for one in found)
        within += any(one.by_day for one in found)
    assert within > 10
    assert false == 0
