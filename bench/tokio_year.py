#!/usr/bin/env python3
"""The study of a year of daily benchmarks: tables and numbers of reports/tokio-year.

bench/tokio_year.py reference/tokio-year.csv OUT     writes OUT/year.tex; print it by
reports/print.sh reports/tokio-year/main.tex OUT OUT/tokio-year.pdf
"""

import csv
import statistics
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp, log, sqrt
from pathlib import Path

import numpy as np
from scipy import stats

from weir.decide.history.regimes import changes_of, regimes_of
from weir.decide.history.series import Series, from_table

KEYS = ("system", "file_system", "app", "access", "layout", "ranks")
FEWEST_DAYS = 30
FEWEST_OF_SERIES = 100
CLUSTER_DAYS = 3
DAY_S = 86400
Row = Mapping[str, str]
Numbers = dict[str, str]
WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True)
class Comparison:
    """One configuration on DataWarp and on Lustre, on the days that have both."""

    key: tuple[str, ...]
    days: int
    ratio: float
    low: float
    high: float
    spread: tuple[float, float]  # of the quartiles: DataWarp, Lustre

    @property
    def line(self) -> str:
        names = " & ".join(map(escaped, self.key))
        ratio = f"{self.ratio:.2f} [{self.low:.2f}--{self.high:.2f}]"
        return rf"{names} & {self.days} & {ratio} & {self.spread[0]:.0f} & {self.spread[1]:.0f} \\"


@dataclass(frozen=True)
class Cluster:
    """Changes of two or more series of a file system within a few days."""

    place: str
    day: str
    time_s: float
    ratios: tuple[float, ...]

    @property
    def slower(self) -> int:
        return sum(ratio < 1 for ratio in self.ratios)

    @property
    def ratio(self) -> float:
        return statistics.median(self.ratios)

    @property
    def line(self) -> str:
        counts = f"{len(self.ratios)} & {self.slower}"
        return rf"{escaped(self.place)} & {self.day} & {counts} & {self.ratio:.2f} \\"


def word(count: int) -> str:
    return WORDS[count] if count < len(WORDS) else str(count)


def listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else "none"


def escaped(text: str) -> str:
    return text.replace("_", r"\_")


def rows_of(table: Path) -> list[Row]:
    with table.open(newline="", encoding="utf-8") as stream:
        return [row for row in csv.DictReader(stream) if row["bw_mib_s"] and float(row["bw_mib_s"]) > 0]


def grouped(rows: Sequence[Row], names: Sequence[str]) -> dict[tuple[str, ...], list[Row]]:
    found: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in rows:
        found[tuple(row[name] for name in names)].append(row)
    return found


def variability(rows: Sequence[Row]) -> tuple[list[str], Numbers]:
    """The distance of the jobs from the median of their series, for each file system and application."""
    lines: list[str] = []
    spread_of: dict[str, list[float]] = defaultdict(list)
    slow_of: dict[str, list[float]] = defaultdict(list)
    for (system, file_system, app), group in sorted(grouped(rows, ("system", "file_system", "app")).items()):
        shares = []
        for series in grouped(group, ("access", "layout", "ranks")).values():
            values = [float(row["bw_mib_s"]) for row in series]
            if len(values) >= FEWEST_DAYS:
                middle = statistics.median(values)
                shares += [value / middle for value in values]
        if shares:
            low, high, worst = np.percentile(shares, [25, 75, 5])
            slow = 100 * sum(share < 0.5 for share in shares) / len(shares)
            spread_of[system].append(100 * (high - low))
            slow_of[system].append(slow)
            lines.append(
                f"{escaped(system)} & {escaped(file_system)} & {escaped(app)} & {len(shares)} & "
                rf"{100 * (high - low):.0f} & {100 * worst:.0f} & {slow:.1f} \\"
            )
    steadiest = min(spread_of, key=lambda system: statistics.median(spread_of[system]))
    others = [share for system, found in slow_of.items() if system != steadiest for share in found]
    numbers = {
        "Steadiest": escaped(steadiest.capitalize()),
        "SteadiestSpread": f"{statistics.median(spread_of[steadiest]):.0f}",
        "SteadiestSlow": f"{statistics.median(slow_of[steadiest]):.1f}",
        "OthersSlow": f"{statistics.median(others):.1f}",
    }
    return lines, numbers


def burst_buffer(rows: Sequence[Row]) -> list[Comparison]:
    """Cori: the same application, access and ranks on DataWarp and on Lustre, on days that have both."""
    found: list[Comparison] = []
    cori = grouped([row for row in rows if row["system"] == "cori"], ("app", "access", "layout", "ranks"))
    for key, group in sorted(cori.items()):
        days: dict[int, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for row in group:
            days[int(row["started_unix"]) // DAY_S][row["file_system"]].append(float(row["bw_mib_s"]))
        ratios = [
            log(statistics.fmean(day["datawarp"]) / statistics.fmean(day["cscratch"]))
            for day in days.values()
            if {"datawarp", "cscratch"} <= day.keys()
        ]
        if len(ratios) < FEWEST_DAYS:
            continue
        half = float(stats.t.ppf(0.975, len(ratios) - 1)) * statistics.stdev(ratios) / sqrt(len(ratios))
        middle = statistics.fmean(ratios)
        spread = (quartile_spread(days, "datawarp"), quartile_spread(days, "cscratch"))
        ends = (exp(middle - half), exp(middle + half))
        found.append(Comparison(key, len(ratios), exp(middle), *ends, spread))
    return found


def quartile_spread(days: Mapping[int, Mapping[str, Sequence[float]]], name: str) -> float:
    """The distance between the quartiles of all values in per cent."""
    logs = [log(value) for day in days.values() for value in day.get(name, [])]
    low, high = np.percentile(logs, [25, 75])
    return 100 * (exp(float(high - low)) - 1)


def burst_numbers(found: Sequence[Comparison]) -> Numbers:
    largest = max(found, key=lambda one: one.ratio)
    app, access, layout, ranks = map(escaped, largest.key)
    unclear = [
        "{}, {}, {}, {} processes".format(*map(escaped, one.key)) for one in found if round(one.low, 2) <= 1
    ]
    return {
        "Configurations": str(len(found)),
        "Faster": str(sum(one.ratio > 1 for one in found)),
        "Unclear": word(len(unclear)),
        "UnclearNames": listed(unclear),
        "LargestGain": f"{largest.ratio:.1f}",
        "LargestOf": f"{app}, {access}, {layout}, {ranks} processes",
        "LessSteady": str(sum(one.spread[0] > one.spread[1] for one in found)),
    }


def changes(every: Sequence[Series]) -> list[Cluster]:
    """Dates on which two or more series of a file system changed within three days."""
    by_system: dict[str, list[tuple[float, str, float]]] = defaultdict(list)
    for series in every:
        place = " ".join(series.name.split()[:2])
        for change in changes_of(series, regimes_of(series)):
            by_system[place].append((float(series.times[change.index]), change.day, change.ratio))
    clusters: list[Cluster] = []
    for place, found in sorted(by_system.items()):
        near: list[tuple[float, str, float]] = []
        for one in [*sorted(found), (float("inf"), "", 1.0)]:
            if near and one[0] - near[0][0] > CLUSTER_DAYS * DAY_S:
                if len(near) > 1:
                    clusters.append(Cluster(place, near[0][1], near[0][0], tuple(each[2] for each in near)))
                near = []
            near.append(one)
    return clusters


def recoveries(clusters: Sequence[Cluster], within_days: int = 10) -> list[tuple[Cluster, int]]:
    """Slowdowns of most series that end soon, with the days until then."""
    found: list[tuple[Cluster, int]] = []
    for first, then in pairwise(clusters):
        days = round((then.time_s - first.time_s) / DAY_S)
        if first.place == then.place and first.ratio < 1 < then.ratio and days <= within_days:
            found.append((first, days))
    return found


def change_numbers(clusters: Sequence[Cluster]) -> Numbers:
    ended = recoveries(clusters)
    days = [count for _, count in ended]
    return {
        "Recoveries": word(len(ended)),
        "RecoveryDays": f"{min(days)} to {max(days)}" if days else "no",
        "RecoveryNames": listed([f"{escaped(one.place)} on {one.day}" for one, _ in ended]),
    }


def contention(rows: Sequence[Row]) -> tuple[list[str], Numbers]:
    """Rank correlation of bandwidth with the traffic of other jobs, computed within each series."""
    lines: list[str] = []
    every: list[float] = []
    for (system, file_system), group in sorted(grouped(rows, ("system", "file_system")).items()):
        found = []
        for series in grouped(group, ("app", "access", "layout", "ranks")).values():
            both = [
                (1 - float(row["share_of_traffic"]), float(row["bw_mib_s"]))
                for row in series
                if row["share_of_traffic"] and 0 < float(row["share_of_traffic"]) <= 1
            ]
            if len(both) >= FEWEST_DAYS:
                found.append(float(stats.spearmanr(*zip(*both, strict=True)).statistic))
        if found:
            every += found
            negative = sum(one < 0 for one in found)
            chance = float(stats.binomtest(negative, len(found)).pvalue)
            lines.append(
                f"{escaped(system)} & {escaped(file_system)} & {len(found)} & {negative} & "
                rf"${statistics.median(found):.2f}$ & {'$<$0.001' if chance < 0.001 else f'{chance:.3f}'} \\"
            )
    numbers = {"ContentionSeries": str(len(every)), "ContentionNegative": str(sum(one < 0 for one in every))}
    return lines, numbers


def main() -> None:
    table, out = Path(sys.argv[1]), Path(sys.argv[2])
    rows = rows_of(table)
    every = [
        one for one in from_table(table, KEYS, "started_unix", "bw_mib_s") if len(one) >= FEWEST_OF_SERIES
    ]
    variable, of_variability = variability(rows)
    buffered, clusters = burst_buffer(rows), changes(every)
    contended, of_contention = contention(rows)
    parts = {
        "Variability": variable,
        "BurstBuffer": [one.line for one in buffered],
        "Changes": [one.line for one in clusters],
        "Contention": contended,
    }
    numbers = {"Runs": f"{len(rows):,}", "SeriesCount": str(len(every))}
    numbers |= of_variability | burst_numbers(buffered) | change_numbers(clusters) | of_contention
    out.mkdir(parents=True, exist_ok=True)
    lines = [rf"\newcommand{{\{name}}}{{{value}}}" for name, value in numbers.items()]
    for name, body in parts.items():
        lines += [rf"\newcommand{{\{name}}}{{%", *body, "}"]
    (out / "year.tex").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
