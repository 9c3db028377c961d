#!/usr/bin/env python3
"""The errors of weir history on a year of daily runs: changes that it misses, and changes that it reports
without one.

    bench/history.py [TABLE]      TABLE: tokio-year.csv (default: reference/tokio-year.csv)
    bench/history.py rows         only the time for 10^6 rows
    bench/history.py check        only what check finds in the second half of the year: history_check.csv

The residuals of the real series around their levels are drawn again in blocks of days. The noise is that of
real storage, and the truth is known: no change (every change found is false), or one step on day 200.
"""

import csv
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from weir.decide.history.band import BEFORE, alarm_of, judge_newest
from weir.decide.history.regimes import SURE, changes_of, regimes_of, without_spikes
from weir.decide.history.series import Numbers, Series, from_table

KEYS = ("system", "file_system", "app", "access", "layout", "ranks")
DAYS, STEP_DAY, PATIENCE_DAYS = 365, 200, 60
DAY_S = 86400.0
FEWEST_POINTS = 100
WEEK = 7
NEWEST = 14
RESULT = Path(__file__).resolve().parent / "results/history_check.csv"
HEAD = [
    "rule",
    "alarms for slower per 100 series-days",
    "step of 5 %",
    "10 %",
    "20 %",
    "drift of 20 % in 30 days",
]
NAMES = {"check": "`check`", "t test": "t test of 7 against 30 points, at as many alarms"}
PLACES = (0.15, 0.4, 0.65)  # positions of the steps, as shares of the judged days


def drawn(residuals: Numbers, block_days: int, random: np.random.Generator) -> Numbers:
    starts = random.integers(0, len(residuals) - block_days, DAYS // block_days + 1)
    return np.concatenate([residuals[start : start + block_days] for start in starts])[:DAYS]


def made_up(logs: Numbers) -> Series:
    return Series("drawn", np.arange(len(logs)) * DAY_S, logs)


def false_changes(residuals: Sequence[Numbers], block_days: int, years: int) -> float:
    """Changes found a series and year where there is none."""
    random = np.random.default_rng(block_days)
    years_of_all = [drawn(one, block_days, random) for _ in range(years) for one in residuals]
    return statistics.fmean(len(regimes_of(made_up(logs))) - 1 for logs in years_of_all)


def delays(residuals: Sequence[Numbers], slowdown: float) -> list[int]:
    """Days from the step to the first day on which it is found; a missing entry was not found in time."""
    random = np.random.default_rng(7)
    days = []
    for one in residuals:
        logs = drawn(one, 5, random)
        logs[STEP_DAY:] += np.log(1 - slowdown)
        for end in range(STEP_DAY + 5, STEP_DAY + PATIENCE_DAYS):
            if any(regime.start >= STEP_DAY - 10 for regime in regimes_of(made_up(logs[:end]))[1:]):
                days.append(end - STEP_DAY)
                break
    return days


def precision(residuals: Sequence[Numbers], slowdown: float) -> float:
    """Share of all changes found within ten days of the step, in years with one step."""
    random = np.random.default_rng(11)
    right = found = 0
    for one in residuals:
        logs = drawn(one, 5, random)
        logs[STEP_DAY:] += np.log(1 - slowdown)
        starts = [regime.start for regime in regimes_of(made_up(logs))[1:]]
        right += any(abs(start - STEP_DAY) <= 10 for start in starts)
        found += len(starts)
    return right / found if found else float("nan")


def in_the_real_year(series: Sequence[Series], slowdown: float) -> tuple[float, list[float], float]:
    """A step in the middle of each series as it was measured: share found, delays in days, and the
    share of new changes that are the step. A change that the untouched series has as well does not count."""
    delays_days: list[float] = []
    new = near = 0
    for one in series:
        step = len(one) // 2
        logs = one.logs.copy()
        logs[step:] += np.log(1 - slowdown)
        untouched = [regime.start for regime in regimes_of(one)[1:]]
        found = [regime.start for regime in regimes_of(Series(one.name, one.times, logs))[1:]]
        fresh = [
            start for start in found if min((abs(start - old) for old in untouched), default=WEEK) >= WEEK
        ]
        new += len(fresh)
        near += sum(abs(start - step) <= 10 for start in fresh)
        for end in range(step + 5, min(step + PATIENCE_DAYS, len(one))):
            until = regimes_of(Series(one.name, one.times[:end], logs[:end]))[1:]
            if any(abs(regime.start - step) <= 10 for regime in until):
                delays_days.append(float(one.times[end - 1] - one.times[step]) / DAY_S)
                break
    return len(delays_days) / len(series), delays_days, near / new if new else float("nan")


def beside_otava(series: Sequence[Series], residuals: Sequence[Numbers]) -> None:
    """The same series and resamples for Apache Otava, if it is installed."""
    try:
        from otava.analysis import compute_change_points
    except ImportError:
        print("no comparison with Apache Otava: pip install --no-deps apache-otava==0.8.0")
        return

    def changes(logs: Numbers) -> list[int]:
        found = compute_change_points(list(np.exp(without_spikes(logs))), 50, SURE)[0]
        return [one.index for one in found]

    ours = [[regime.start for regime in regimes_of(one)[1:]] for one in series]
    theirs = [changes(one.logs) for one in series]
    shared = sum(
        min((abs(start - other) for other in others), default=WEEK + 1) <= WEEK
        for starts, others in zip(ours, theirs, strict=True)
        for start in starts
    )
    print(f"real year: {sum(map(len, ours))} changes, {shared} of them also found by Otava within a week, "
          f"which finds {sum(map(len, theirs))}")  # fmt: skip
    for block_days in (1, 5):
        random = np.random.default_rng(block_days)
        drawn_years = [drawn(one, block_days, random) for one in residuals]
        count = statistics.fmean(len(changes(logs)) for logs in drawn_years)
        print(f"Otava, false changes a series and year, drawn in blocks of {block_days} days: {count:.2f}")


def t_test(logs: Numbers) -> Numbers:
    """The simple rule: t of the last 7 points against the 30 before, on each day."""
    found = np.full(len(logs), np.nan)
    for end in range(37, len(logs) + 1):
        first, second = logs[end - 37 : end - 7], logs[end - 7 : end]
        squares = ((first - first.mean()) ** 2).sum() + ((second - second.mean()) ** 2).sum()
        found[end - 1] = (second.mean() - first.mean()) / np.sqrt(max(squares / 35, 1e-9) * (1 / 7 + 1 / 30))
    return found


def check_rule(logs: Numbers) -> Numbers:
    """The value by which `check` decides on each day, as a share of its limit."""
    found = np.full(len(logs), np.nan)
    for end in range(NEWEST + BEFORE, len(logs) + 1):
        alarm = alarm_of(made_up(logs[end - NEWEST - BEFORE : end]), NEWEST)
        if alarm is not None:
            found[end - 1] = alarm.log_ratio / alarm.error / alarm.limit
    return found


def alarm_days(values: Numbers, limit: float) -> list[int]:
    """First days of alarms; what comes within a week of another belongs to it."""
    days = np.flatnonzero(values < -limit)
    return [int(day) for day, gap in zip(days, np.diff(days, prepend=-99), strict=True) if gap > WEEK]


def held_out(every: Sequence[Series]) -> None:
    """The calendar second half of the year. The limit is set on the first; the windows were tried on both."""
    middle = (min(one.times[0] for one in every) + max(one.times[-1] for one in every)) / 2
    series = [one for one in every if min((one.times < middle).sum(), (one.times >= middle).sum()) >= 40]
    known = {name: [rule(one.logs) for one in series] for name, rule in RULES.items()}
    both = [~np.isnan(known["check"][at]) & (one.times >= middle) for at, one in enumerate(series)]
    days = sum(int(inside.sum()) for inside in both)

    def alarms(name: str, limit: float) -> int:
        return sum(
            sum(bool(inside[day]) for day in alarm_days(values, limit))
            for values, inside in zip(known[name], both, strict=True)
        )

    wanted = alarms("check", 1.0)
    limits = {"check": 1.0}
    limits["t test"] = next(limit for limit in np.arange(1, 30, 0.01) if alarms("t test", limit) <= wanted)
    print(f"second half, {len(series)} series, {days} series-days")
    lines = [HEAD]
    for name, limit in limits.items():
        count = alarms(name, limit)
        line = [NAMES[name], f"{100 * count / days:.2f} ± {100 * np.sqrt(max(count, 1)) / days:.2f}"]
        for slowdown, ramp_days in ((0.05, 0), (0.10, 0), (0.20, 0), (0.20, 30)):
            hits = [
                found_in_time(one, RULES[name], values, limit, inside, share, slowdown, ramp_days)
                for one, values, inside in zip(series, known[name], both, strict=True)
                for share in PLACES
            ]
            share, error = np.mean(hits), np.sqrt(np.mean(hits) * (1 - np.mean(hits)) / len(series))
            line.append(f"{100 * share:.0f} ± {100 * error:.0f} %" if error else f"{100 * share:.0f} %")
        print(" | ".join(line))
        lines.append(line)
    with RESULT.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(lines)


def found_in_time(
    one: Series,
    rule: Callable[[Numbers], Numbers],
    untouched: Numbers,
    limit: float,
    inside: np.ndarray,
    share: float,
    slowdown: float,
    ramp_days: int,
) -> bool:
    """Whether it alarms within 30 days of the step on a day on which the untouched series does not."""
    days = np.flatnonzero(inside)
    at = int(days[int(len(days) * share)])
    since = (one.times - one.times[at]) / DAY_S
    depth = np.clip(since / ramp_days, 0, 1) if ramp_days else (since >= 0).astype(float)
    end = int(np.searchsorted(one.times, one.times[at] + 30 * DAY_S))
    first = max(at - NEWEST - BEFORE, 0)
    values = rule((one.logs + np.log(1 - slowdown * depth))[first:end])[at - first :]
    return bool(((values < -limit) & ~(untouched[at:end] < -limit)).any())


RULES: dict[str, Callable[[Numbers], Numbers]] = {"check": check_rule, "t test": t_test}


def check_million_rows() -> None:
    """The command of a centre: a table of 1,000 series of 1,000 points, read and judged."""
    random = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "million.csv"
        with table.open("w") as stream:
            stream.write("cell,started_unix,bw_mib_s\n")
            for cell in range(1000):
                values = 1000 * np.exp(random.normal(0, 0.1, 1000))
                stream.writelines(f"{cell},{day * 86400},{value:.1f}\n" for day, value in enumerate(values))
        began, cpu = time.perf_counter(), time.process_time()
        every = from_table(table, ["cell"], "started_unix", "bw_mib_s")
        read = time.perf_counter() - began
        judged = [judge_newest(one, 14) for one in every]
        whole, busy = time.perf_counter() - began, time.process_time() - cpu
    print(f"10^6 rows in {len(judged)} series: read in {read:.1f} s, read and judged in {whole:.1f} s "
          f"({busy:.1f} s of a core; load {os.getloadavg()[0]:.1f})")  # fmt: skip


def main() -> None:
    if sys.argv[1:] == ["rows"]:
        check_million_rows()
        return
    if sys.argv[1:] == ["check"]:
        held_out(from_table(Path("reference/tokio-year.csv"), KEYS, "started_unix", "bw_mib_s"))
        return
    table = Path(sys.argv[1] if len(sys.argv) > 1 else "reference/tokio-year.csv")
    every = from_table(table, KEYS, "started_unix", "bw_mib_s")
    series = [one for one in every if len(one) >= FEWEST_POINTS]
    levels = [regimes_of(one) for one in series]
    changes = sum(len(changes_of(one, level)) for one, level in zip(series, levels, strict=True))
    print(f"{len(series)} series, {sum(map(len, series))} points, {changes} changes found in the real year")
    residuals = [
        np.concatenate([one.logs[part.start : part.end] - part.level for part in level])
        for one, level in zip(series, levels, strict=True)
    ]
    for block_days in (1, 5, 10):
        print(f"false changes a series and year, drawn in blocks of {block_days} days: "
              f"{false_changes(residuals, block_days, 6):.2f}")  # fmt: skip
    for slowdown in (0.05, 0.10, 0.20):
        found = delays(residuals, slowdown)
        middle = f"{statistics.median(found):.0f} days" if found else "-"
        right = precision(residuals, slowdown)
        print(f"slowdown of {slowdown:.0%}: found in {PATIENCE_DAYS} d: {len(found) / len(residuals):.0%}, "
              f"median delay {middle}; {right:.0%} of all changes are the step")  # fmt: skip
        share, days, right = in_the_real_year(series, slowdown)
        print(f"  in the year as it was: found within {PATIENCE_DAYS} runs: {share:.0%}, "
              f"median delay {statistics.median(days) if days else float('nan'):.0f} days; "
              f"{right:.0%} of the new changes are the step")  # fmt: skip
    held_out(every)
    beside_otava(series, residuals)
    check_million_rows()


if __name__ == "__main__":
    main()
