#!/usr/bin/env python3
"""What weir history misses and what it makes up, on a year of daily runs.

    bench/history.py [TABLE]      TABLE: tokio-year.csv (default: reference/tokio-year.csv)
    bench/history.py rows         only the time for 10^6 rows

The residuals of the real series around their levels are drawn again in blocks of days. The noise is that of
real storage, and the truth is known: no change (every change found is false), or one step on day 200.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from weir.history.band import judge_newest
from weir.history.regimes import SURE, changes_of, regimes_of, without_spikes
from weir.history.series import Numbers, Series, from_table

KEYS = ("system", "file_system", "app", "access", "layout", "ranks")
DAYS, STEP_DAY, PATIENCE_DAYS = 365, 200, 60
DAY_S = 86400.0
FEWEST_POINTS = 100
WEEK = 7


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
    beside_otava(series, residuals)
    check_million_rows()


if __name__ == "__main__":
    main()
