#!/usr/bin/env python3
"""The study of a year of daily benchmarks: tables and numbers of reports/tokio-year.

bench/tokio_year.py reference/tokio-year.csv OUT     writes OUT/year.tex; print it by
reports/print.sh reports/tokio-year/main.tex OUT OUT/tokio-year.pdf
"""

from __future__ import annotations

import csv
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import exp, log, sqrt
from pathlib import Path

import numpy as np
from scipy import stats

from weir.history.regimes import changes_of, regimes_of
from weir.history.series import Series, from_table

KEYS = ("system", "file_system", "app", "access", "layout", "ranks")
FEWEST_DAYS = 30
Row = Mapping[str, str]


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


def variability(rows: Sequence[Row]) -> Iterator[str]:
    """Per file system and application: distance of the days from the median of their series."""
    for (system, file_system, app), group in sorted(grouped(rows, ("system", "file_system", "app")).items()):
        shares = []
        for series in grouped(group, ("access", "layout", "ranks")).values():
            values = [float(row["bw_mib_s"]) for row in series]
            if len(values) >= FEWEST_DAYS:
                middle = statistics.median(values)
                shares += [value / middle for value in values]
        if shares:
            low, high, worst = np.percentile(shares, [25, 75, 5])
            slow = sum(share < 0.5 for share in shares) / len(shares)
            yield (
                f"{escaped(system)} & {escaped(file_system)} & {escaped(app)} & {len(shares)} & "
                rf"{100 * (high - low):.0f} & {100 * worst:.0f} & {100 * slow:.1f} \\"
            )


def burst_buffer(rows: Sequence[Row]) -> tuple[list[str], int]:
    """Cori: the same application, access and ranks on DataWarp and on Lustre, on days that have both."""
    lines: list[str] = []
    less_steady = 0
    cori = grouped([row for row in rows if row["system"] == "cori"], ("app", "access", "layout", "ranks"))
    for key, group in sorted(cori.items()):
        days: dict[int, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for row in group:
            days[int(row["started_unix"]) // 86400][row["file_system"]].append(float(row["bw_mib_s"]))
        ratios = [
            log(statistics.fmean(day["datawarp"]) / statistics.fmean(day["cscratch"]))
            for day in days.values()
            if {"datawarp", "cscratch"} <= day.keys()
        ]
        if len(ratios) < FEWEST_DAYS:
            continue
        half = float(stats.t.ppf(0.975, len(ratios) - 1)) * statistics.stdev(ratios) / sqrt(len(ratios))
        middle = statistics.fmean(ratios)
        spreads = []
        for name in ("datawarp", "cscratch"):
            logs = [log(value) for day in days.values() for value in day.get(name, [])]
            low, high = np.percentile(logs, [25, 75])
            spreads.append(f"{100 * (exp(high - low) - 1):.0f}")
        less_steady += int(spreads[0]) > int(spreads[1])
        app, access, layout, ranks = map(escaped, key)
        lines.append(
            f"{app} & {access} & {layout} & {ranks} & {len(ratios)} & "
            rf"{exp(middle):.2f} [{exp(middle - half):.2f}--{exp(middle + half):.2f}] & "
            rf"{' & '.join(spreads)} \\"
        )
    return lines, less_steady


def changes(every: Sequence[Series]) -> Iterator[str]:
    """Dates on which two or more series of a file system changed within three days."""
    by_system: dict[str, list[tuple[float, str, float]]] = defaultdict(list)
    for series in every:
        place = " ".join(series.name.split()[:2])
        for change in changes_of(series, regimes_of(series)):
            by_system[place].append((float(series.times[change.index]), change.day, change.ratio))
    for place, found in sorted(by_system.items()):
        found.sort()
        cluster: list[tuple[float, str, float]] = []
        for one in [*found, (float("inf"), "", 1.0)]:
            if cluster and one[0] - cluster[0][0] > 3 * 86400:
                if len(cluster) > 1:
                    ratios = sorted(ratio for _, _, ratio in cluster)
                    down = sum(ratio < 1 for ratio in ratios)
                    middle = statistics.median(ratios)
                    yield rf"{escaped(place)} & {cluster[0][1]} & {len(cluster)} & {down} & {middle:.2f} \\"
                cluster = []
            cluster.append(one)


def contention(rows: Sequence[Row]) -> Iterator[str]:
    """Rank correlation of bandwidth with the traffic of other jobs, computed within each series."""
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
            negative = sum(one < 0 for one in found)
            chance = float(stats.binomtest(negative, len(found)).pvalue)
            yield (
                f"{escaped(system)} & {escaped(file_system)} & {len(found)} & {negative} & "
                rf"{statistics.median(found):.2f} & {chance:.3f} \\"
            )


def main() -> None:
    table, out = Path(sys.argv[1]), Path(sys.argv[2])
    rows = rows_of(table)
    every = [one for one in from_table(table, KEYS, "started_unix", "bw_mib_s") if len(one) >= 100]
    burst_lines, less_steady = burst_buffer(rows)
    parts = {
        "Variability": variability(rows),
        "BurstBuffer": burst_lines,
        "Changes": changes(every),
        "Contention": contention(rows),
    }
    out.mkdir(parents=True, exist_ok=True)
    lines = [rf"\newcommand{{\Runs}}{{{len(rows):,}}}", rf"\newcommand{{\SeriesCount}}{{{len(every)}}}"]
    lines.append(rf"\newcommand{{\LessSteady}}{{{less_steady}}}")
    for name, body in parts.items():
        lines += [rf"\newcommand{{\{name}}}{{%", *body, "}"]
    (out / "year.tex").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
