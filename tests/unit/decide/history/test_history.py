"""weir history: changes are found, spikes and noise are not changes, and a short series only learns."""

import json
import re
import sys
import tracemalloc
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from tests.checkout import ROOT
from tests.unit.conftest import RunWeir
from tests.unit.decide.compare.test_compare import cell, noisy, write, write_day
from tests.unit.report.test_site_page import point, write_study
from tests.unit.statistics.test_inference import three_errors
from weir.collect.metrics import metric_named
from weir.decide.history.band import (
    FASTER,
    LEARNING,
    NORMAL,
    SLOWER,
    SPIKE,
    _median_slope,
    band_of,
    judge_newest,
)
from weir.decide.history.regimes import changes_of, regimes_of
from weir.decide.history.series import Series, from_campaigns, seconds_of

DAY_S = 86400.0


def series(values: np.ndarray, name: str = "one") -> Series:
    return Series(name, np.arange(len(values)) * DAY_S, np.log(values))


def level(seed: int, count: int, median: float = 1000.0, spread: float = 0.03) -> np.ndarray:
    return median * np.exp(np.random.default_rng(seed).normal(0, spread, count))


def table_of(folder: Path, values: Mapping[str, Iterable[float]], keys: str = "target") -> Path:
    """A table of anybody, with a value of each day."""
    lines = [f"{name},{day * DAY_S},{one}" for name, each in values.items() for day, one in enumerate(each)]
    table = folder / "daily.csv"
    table.write_text("\n".join([f"{keys},started_unix,bw_mib_s", *lines, ""]))
    return table


def steps(*parts: tuple[float, ...]) -> np.ndarray:
    """Levels one after the other."""
    return np.concatenate([level(*part) for part in parts])


def test_a_step_is_found_on_its_day_with_its_size() -> None:
    one = series(steps((1, 100), (2, 60, 850.0)))
    found = changes_of(one, regimes_of(one))
    assert len(found) == 1
    assert abs(found[0].index - 100) <= 2
    low, high = found[0].interval
    assert low < 0.85 < high


def test_single_spikes_are_no_changes() -> None:
    values = level(3, 200)
    values[[20, 77, 130]] /= 3
    assert len(regimes_of(series(values))) == 1


def test_noise_and_wandering_are_no_changes() -> None:
    false = 0
    for seed in range(40):
        steps = np.random.default_rng(seed).normal(0, 0.05, 365)
        away = np.zeros(365)
        for day in range(1, 365):
            away[day] = 0.3 * away[day - 1] + steps[day]
        false += len(regimes_of(series(1000 * np.exp(away)))) - 1
    assert false <= 8  # 0.2 a series and year


def test_the_band_of_a_short_series_holds_what_it_promises() -> None:
    """Each side is learned from half of the points: 1.4 % of the values that follow 10 to 13 lay outside."""
    outside = 0
    for seed in range(2000):
        values = level(seed, 11 + seed % 4)
        band = band_of(series(values), 0)
        outside += not band.low <= values[-1] <= band.high
    assert outside / 2000 <= three_errors(0.005, 2000)


def test_equal_values_have_one_level() -> None:
    assert len(regimes_of(series(np.full(50, 5.0)))) == 1


@pytest.mark.parametrize(
    ("tail", "verdict"),
    [
        (level(5, 8), NORMAL),
        (level(5, 8, 700.0), SLOWER),
        (level(5, 8, 1500.0), FASTER),
        (np.array([1000.0, 990.0, 1010.0, 600.0]), SPIKE),
    ],
)
def test_the_newest_value_is_judged(tail: np.ndarray, verdict: str) -> None:
    assert judge_newest(series(np.concatenate([level(4, 120), tail])), 14).verdict == verdict


def test_an_old_change_is_no_news() -> None:
    one = judge_newest(series(steps((6, 60), (7, 60, 700.0))), 14)
    assert one.verdict == NORMAL
    assert 600 < one.band.low < 700 < one.band.high < 800


def test_a_short_series_learns() -> None:
    assert judge_newest(series(level(8, 9)), 14).verdict == LEARNING


def test_the_day_of_the_week_is_allowed_for_where_the_data_bear_it() -> None:
    values = level(9, 140, spread=0.02)
    values[np.arange(140) % 7 == 2] *= 0.7
    slow_day = judge_newest(series(values[:136]), 14)  # point 135 is such a day
    assert 135 % 7 == 2
    assert (slow_day.verdict, slow_day.band is not None and slow_day.band.rhythm) == (NORMAL, True)


def test_the_band_follows_a_trend_that_the_data_bear_out() -> None:
    values = level(13, 300, spread=0.05) * 0.7 ** (np.arange(300) / 365)
    band = band_of(series(values), 0)
    assert band.trend == pytest.approx(0.7, rel=0.1)
    newest = 1000 * 0.7 ** (299 / 365)
    assert band.low < newest < band.high < 1000
    flat = band_of(series(level(13, 300, spread=0.05)), 0)
    assert flat.trend is None


def test_the_trend_of_a_long_series_needs_no_list_of_its_pairs() -> None:
    """The median of all slopes, of 7,000 points as of a hundred."""
    days = np.sort(np.random.default_rng(2).integers(0, 60, 100)) * DAY_S
    few = np.log(level(14, 100)) + days / (1000 * DAY_S)
    assert _median_slope(days, few) == pytest.approx(float(stats.theilslopes(few, days).slope), rel=1e-3)
    values = level(15, 7000, spread=0.05) * 0.7 ** (np.arange(7000) / 365)
    tracemalloc.start()
    band = band_of(series(values), 0)
    _, most_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert band.trend == pytest.approx(0.7, rel=0.01)
    assert most_bytes < 16 * 2**20


def test_lower_is_better_for_latencies() -> None:
    values = steps((10, 100), (11, 20, 1400.0))
    one = Series("p99", np.arange(120) * DAY_S, np.log(values), higher_is_better=False)
    assert judge_newest(one, 30).verdict == SLOWER


@pytest.mark.slow
def test_campaigns_are_kept_once_and_judged(tmp_path: Path, run_weir: RunWeir) -> None:
    history = tmp_path / "history"
    for day in range(19):
        speed = 1000.0 if day < 14 else 700.0
        write_day(history, day, cell(noisy(day, 3, speed, 0.02), start=day * 1440))
    study = write(tmp_path / "study/records.csv", cell(noisy(19, 3, 700.0, 0.02), start=19 * 1440)).parent
    run_weir("history", "add", history, study)
    assert "in the history already" in run_weir("history", "add", history, study, code=2).err
    junit = tmp_path / "check.xml"
    printed = run_weir("history", "check", history, "--junit", junit, code=1).out
    assert re.match(
        r"1 of 1 series slower, write disk .*: [67]\d\d MiB/s, x0\.(69|70)\d since 2026-11-15\n", printed
    )
    assert "changed on 2026-11-15 by x0." in printed
    assert len(ElementTree.parse(junit).findall("testcase/failure")) == 1
    assert "6 points" in run_weir("history", "show", history).out


def test_records_without_a_time_take_that_of_their_campaign(tmp_path: Path, run_weir: RunWeir) -> None:
    """As those of benchtool, which prints no time: what add takes, show and check take, too."""
    history, rows = tmp_path / "history", cell([100.0] * 3)
    mixed = [*rows, *(row | {"cell": "other", "label": "untimed", "began": None} for row in rows)]
    study = write(tmp_path / "study" / "records.csv", mixed).parent
    run_weir("history", "add", history, study)
    for action in ("check", "show"):
        assert "2 series" in run_weir("history", action, history).out.splitlines()[0]


def test_records_without_any_time_are_refused_with_what_gives_them_one(
    tmp_path: Path, run_weir: RunWeir
) -> None:
    """IOR's CSV has no time: the file that the hint tells of adds it."""
    log, records = ROOT / "tests/golden/ior/ior-posix-shared.csv", tmp_path / "study" / "records.csv"
    history = tmp_path / "history"
    run_weir("import", log, "--out", records)
    hint = run_weir("history", "add", history, records.parent, code=2).err.splitlines()[1]
    columns = hint.partition("--facts FILE, which has ")[2]
    (tmp_path / "facts.yaml").write_text(columns + "\n")
    run_weir("import", log, "--out", records, "--facts", tmp_path / "facts.yaml")
    run_weir("history", "add", history, records.parent)
    assert [one.name[:10] for one in history.iterdir()] == ["2026-11-27"]


@pytest.mark.parametrize("began", ["../../../x", "x/y", "\0", "2026-13-45", "today"])
def test_a_campaign_is_named_by_a_date_and_lies_in_its_history(
    tmp_path: Path, run_weir: RunWeir, began: str
) -> None:
    """A table from elsewhere must not choose where it is copied to."""
    rows = [row | {"began": began} for row in cell([100.0] * 3)]
    file = write(tmp_path / "study" / "records.csv", rows)
    before = sorted(tmp_path.rglob("*"))
    error = run_weir("history", "add", tmp_path / "a/b/history", file.parent, code=2).err
    assert f"{file}: began: is " in error
    assert sorted(tmp_path.rglob("*")) == before


def test_exit_1_is_a_slowdown_and_never_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_weir: RunWeir
) -> None:
    """A missing package, a file system that fails: whoever reads the exit code reads no answer from them."""
    rows = cell([100.0] * 3)
    study = write(tmp_path / "study" / "records.csv", rows).parent
    run_weir("history", "add", tmp_path / "history", study)
    for name in ("weir.decide.history.actions", "numpy"):
        monkeypatch.setitem(sys.modules, name, None)
    assert "is not installed" in run_weir("history", "check", tmp_path / "history", code=3).err


def test_a_campaign_is_one_point_of_each_name() -> None:
    """The median of the rounds that count, at the time of the first of them."""
    days = [cell([100.0, 400.0, 200.0], start=day * 1440) for day in range(3)]
    unused = cell([9.0], start=1440, verdict="DEGRADED") + cell([9.0], start=1440, verdict="INVALID")
    days[1] += unused
    (one,) = from_campaigns(days, metric_named("rate"), lambda row: row["cell"])
    assert one.name == "c1"
    assert np.exp(one.logs) == pytest.approx([200.0] * 3)
    assert [one.times[0], *np.diff(one.times)] == [seconds_of(days[0][0]), DAY_S, DAY_S]


@pytest.mark.slow
def test_bounds_of_reframe_let_noise_pass_and_hold_a_slowdown(tmp_path: Path, run_weir: RunWeir) -> None:
    history, out = tmp_path / "history", tmp_path / "bounds.json"
    for day in range(20):
        write_day(history, day, cell(noisy(day, 3, 1000.0, 0.05), start=day * 1440))
    run_weir("history", "reference", history, "--out", out)
    (bound,) = json.loads(out.read_text())["bounds"]
    assert (bound["cell"], bound["access"], bound["campaigns"]) == ("c1", "write", 20)
    assert 950 < bound["median"] < 1050
    assert 800 < bound["low"] < 930  # three rounds of 5 % noise: a standard deviation of 3 to 4 %


def test_the_figure_shows_levels_changes_and_the_verdict(tmp_path: Path, run_weir: RunWeir) -> None:
    table = table_of(tmp_path, {"a<b": steps((1, 60), (2, 10, 700.0))})
    page = tmp_path / "history.html"
    run_weir("history", "show", table, "--key", "target", "--html", page)
    text = page.read_text()
    assert "1 of 1 series slower, a&lt;b: " in text
    assert "a&lt;b" in text
    assert "1970-03-02 ×0.7" in text
    assert text.count("<circle") == 71
    assert ">MiB/s</text>" in text, "a column that is named as that of a record has its unit"
    ElementTree.fromstring(text[text.index("<svg") : text.index("</svg>") + 6])


@pytest.mark.slow
def test_the_page_of_a_site_links_a_page_for_each_target(tmp_path: Path, run_weir: RunWeir) -> None:
    history, site = tmp_path / "history", tmp_path / "results/lab"
    for day in range(20):
        speeds = {"disk": 1000.0 if day < 14 else 700.0, "pool/a": 500.0}
        of_each = [
            cell(noisy(day, 3, speed, 0.02), day * 1440, target=target, label=f"{target} POSIX")
            for target, speed in speeds.items()
        ]
        write_day(history, day, [row for rows in of_each for row in rows])
    write_study(site, "quick", [point("disk", 100, cell="c1")])
    run_weir("site", site, "--history", history)
    index = (site / "index.html").read_text()
    assert '<a href="history-disk.html">disk</a></b></td><td>1 of 1 series slower, ' in index
    assert '<a href="history-pool_a.html">pool/a</a></b></td><td>0 of 1 series slower: newest ' in index
    text = (site / "history-disk.html").read_text()
    assert 'href="quick/report.html"' in text
    assert "<h1>History of disk</h1>" in text
    assert "changed on 2026-11-15 by x0." in text
    assert ">MiB/s</text>" in text
    assert 'cell in <a href="quick/report.html#cell-c1-write">quick</a>' in text
    assert "pool/a" not in text


def test_series_without_a_change_are_told_apart_before_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)
    every = []
    for _ in range(60):
        values = random.normal(0, 0.1, int(random.integers(20, 300)))
        values[random.integers(0, len(values)) :] += random.normal(0, 0.1)
        every.append(series(np.exp(values)))
    quick = [regimes_of(one) for one in every]
    assert 0 < sum(len(one) > 1 for one in quick) < len(every)
    monkeypatch.setattr("weir.decide.history.regimes.WORTH_SEARCHING", 0.0)
    assert [regimes_of(one) for one in every] == quick


def test_disturbances_that_last_for_days_are_no_changes() -> None:
    random = np.random.default_rng(5)
    found = 0
    for _ in range(20):
        days = np.repeat(random.normal(0, 0.1, 73), 5) + random.normal(0, 0.05, 365)
        found += len(regimes_of(series(np.exp(days)))) - 1
    assert found <= 8  # 0.4 a year; without the noise of weeks it is several


def test_an_empty_history_says_how_to_begin(tmp_path: Path, run_weir: RunWeir) -> None:
    assert "weir history add" in run_weir("history", "check", tmp_path, code=2).err


@pytest.mark.slow
def test_a_small_step_is_news_from_the_day_on_which_it_is_found() -> None:
    """10 % in noise of 6 %: it is seen in the second week, and no news once it is in the points before."""
    values = steps((21, 120, 1000.0, 0.06), (22, 120, 900.0, 0.06))
    days = [end for end in range(100, 240) if judge_newest(series(values[:end]), 14).verdict == SLOWER]
    assert 123 <= days[0] <= 140
    assert days[-1] < 200


def test_a_drift_is_news_while_it_goes_on() -> None:
    falling = 1000.0 * (1 - 0.2 * np.clip((np.arange(150) - 100) / 30, 0, 1))
    values = level(23, 150, 1.0, spread=0.05) * falling
    days = [end for end in range(90, 150) if judge_newest(series(values[:end]), 14).verdict == SLOWER]
    assert 105 <= days[0] <= 130
