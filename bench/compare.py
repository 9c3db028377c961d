#!/usr/bin/env python3
"""The error rate and the power of weir compare, where the truth is known.

    bench/compare.py [TABLES]      TABLES: comparisons of equal campaigns for each row (default: 1,000)
    bench/compare.py measured      only the rounds that are measured

Tables of 20 cells are compared: equal ones (every verdict slower is false) and ones whose second side
is slower by 3, 5, 10 or 20 %. Four kinds of rounds:

- simulated: 5 % around the level of their campaign, with a lag-1 autocorrelation of 0.3
- disturbed: the same, and a disturbance of 10 % that lasts (autocorrelation 0.9) and meets both sides
- recorded: repetitions of reference/ddn-lustre-2018.csv, as deviations from the mean of their setting;
  the second side is scaled
- measured: weir-io's null back end, whose transfers take 5 ms and on the second side longer
"""

from __future__ import annotations

import csv
import itertools
import math
import random
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from weir.decide.compare.pairs import Pair, Sample
from weir.decide.compare.verdict import SAME, SLOWER, judge_pairs
from weir.records.metrics import metric_named

RATE = metric_named("rate")
CELLS, NOISE, ALIKE = 20, 0.05, 0.3
DISTURBANCE, LASTING = 0.10, 0.9
SLOWDOWNS, ROUNDS = (0.0, 0.03, 0.05, 0.10, 0.20), (4, 8, 16)
POWER_TABLES = 50
DDN = Path("reference/ddn-lustre-2018.csv")
DAYS, DAY_TO_DAY = 3, 0.05  # days of a design campaign, and their spread as a share
ENGINE = Path("build/weir-io")
DELAY_US, TRANSFERS, MEASURED = 5000, 4, 64  # rounds a side and slowdown

Noise = Callable[[random.Random, int], list[float]]  # logarithms of so many rounds around their level


def wandering(source: random.Random, count: int, spread: float, alike: float) -> list[float]:
    logs, away = [], source.gauss(0, spread)
    for _ in range(count):
        away = alike * away + math.sqrt(1 - alike**2) * source.gauss(0, spread)
        logs.append(away)
    return logs


def simulated(source: random.Random, count: int) -> list[float]:
    return wandering(source, count, NOISE, ALIKE)


def recorded() -> tuple[Noise, float]:
    """Noise of the repetitions of one access, interface and node count, and its median spread."""
    settings: dict[tuple[str, ...], list[float]] = defaultdict(list)
    with DDN.open(newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            if row["campaign"] == "output":
                key = tuple(row[name] for name in ("access", "api", "nn", "ppn", "xfer_bytes"))
                settings[key].append(math.log(float(row["bw_mib_s"])))
    groups: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for key, logs in settings.items():
        if len(logs) > 1:
            mean, wider = statistics.fmean(logs), math.sqrt(len(logs) / (len(logs) - 1))
            groups[key[:3]] += [wider * (value - mean) for value in logs]
    pools = list(groups.values())

    def noise(source: random.Random, count: int) -> list[float]:
        return source.choices(source.choice(pools), k=count)

    return noise, statistics.median(statistics.stdev(pool) for pool in pools)


def sample(name: str, logs: Sequence[float], began: int) -> Sample:
    times = tuple(f"{began + index:06d}" for index in range(len(logs)))
    return Sample(name, tuple(range(len(logs))), tuple(logs), times)


def pair(first: Sequence[Sample], second: Sequence[Sample]) -> Pair:
    count = sum(len(one.logs) for one in (*first, *second))
    return Pair("cell", "write", {}, tuple(first), tuple(second), {"VALID": count})


def made_up(source: random.Random, kind: str, noise: Noise, design: str, count: int, slowdown: float) -> Pair:
    """One cell: both sides of one group of noise, apart by the slowdown."""
    level, sides = math.log(1 - slowdown), []
    days = DAYS if design == "campaigns" else 1
    logs = noise(source, 2 * days * count)
    if kind == "disturbed":
        outside = wandering(source, 2 * count, DISTURBANCE, LASTING)
        met = [*outside[::2], *outside[1::2]] if design == "in turns" else outside
        logs = [value + more for value, more in zip(logs, met, strict=True)]
    for side in (0, 1):
        samples = []
        for day in range(days):
            part = logs[(side * days + day) * count :][:count]
            away = source.gauss(0, DAY_TO_DAY) if days > 1 else 0.0
            began = 0 if design == "in turns" else 1000 * (side * days + day)
            samples.append(sample(f"{side}-{day}", [value + away + side * level for value in part], began))
        sides.append(samples)
    return pair(*sides)


def shares(tables: Sequence[Sequence[Pair]]) -> list[float]:
    """The shares of cells called slower and called equal, and of tables with a cell called slower."""
    slower, same, any_slower = [], [], []
    for pairs in tables:
        judged = judge_pairs(pairs, RATE)
        slower.append(sum(one.verdict == SLOWER for one in judged) / len(judged))
        same.append(sum(one.verdict == SAME for one in judged) / len(judged))
        any_slower.append(float(slower[-1] > 0))
    return [statistics.fmean(values) for values in (slower, same, any_slower)]


def show(kind: str, design: str, count: int, slowdown: float, tables: Sequence[Sequence[Pair]]) -> None:
    values = " | ".join(f"{share:.1%}" for share in shares(tables))
    cells = len(tables[0])
    row = f"| {kind} | {design} | {count} | {slowdown:.0%} | {len(tables)} x {cells} | {values} |"
    print(row, flush=True)


def seconds(delay_us: float) -> list[float]:
    """The time that each run of the null back end takes."""
    size = ["-t", "64k", "-b", f"{64 * TRANSFERS}k", "-i", str(MEASURED)]
    arguments = ["ior", "-a", "NULL", "--null.delay-us", f"{delay_us:.0f}", *size, "-w", "-o", "x"]
    done = subprocess.run([ENGINE, *arguments], capture_output=True, text=True, check=True)
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith("write ")]
    return [float(row[9]) for row in rows[:MEASURED]]  # total(s)


def measured() -> Iterator[tuple[float, list[float], list[float]]]:
    """Slowdown, rounds of the first and of the second side, one side after the other."""
    for slowdown in SLOWDOWNS:
        first, second = (
            [-math.log(each) for each in seconds(DELAY_US / factor)] for factor in (1.0, 1 - slowdown)
        )
        yield slowdown, first, second


def main() -> None:
    noise, spread = recorded()
    print(f"spread of a round: simulated {NOISE:.1%}, recorded {spread:.1%} (median of its groups)")
    print("| rounds | design | n | slowdown | tables x cells | slower | equal within 5 % | any slower |")
    print("|---|---|---|---|---|---|---|---|")
    if sys.argv[1:] != ["measured"]:
        show_resampled(noise, int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
    if ENGINE.is_file():
        show_measured()
    else:
        print(f"no measured rounds: there is no {ENGINE}, make build")


def show_resampled(noise: Noise, equal: int) -> None:
    source = random.Random(1)
    for kind, each, designs in (
        ("simulated", simulated, ("in turns", "one after the other", "campaigns")),
        ("disturbed", simulated, ("in turns", "one after the other")),
        ("recorded", noise, ("in turns", "one after the other")),
    ):
        for design, slowdown, count in itertools.product(designs, SLOWDOWNS, ROUNDS):
            tables = range(equal if slowdown == 0 else POWER_TABLES)
            made = [
                [made_up(source, kind, each, design, count, slowdown) for _ in range(CELLS)] for _ in tables
            ]
            show(kind, design, count, slowdown, made)


def show_measured() -> None:
    for slowdown, first, second in measured():
        for count in ROUNDS:
            cells = [
                pair([sample("a", first[at : at + count], 0)], [sample("b", second[at : at + count], 1000)])
                for at in range(0, MEASURED, count)
            ]
            show("measured", "one after the other", count, slowdown, [cells])


if __name__ == "__main__":
    main()
