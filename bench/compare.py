#!/usr/bin/env python3
"""The error rate and the power of weir compare, by simulation.

Equal campaigns: how often a table of 20 equal cells has a false "slower", in 1,000
comparisons. Injected slowdowns: how often one
is found. Rounds vary by 5 % around the level of their campaign; neighbouring rounds are alike by 0.3.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence

from weir.compare.pairs import METRICS, Pair, Sample
from weir.compare.verdict import SAME, SLOWER, judge_pairs

RATE = METRICS["rate"]
CELLS, NOISE, ALIKE = 20, 0.05, 0.3


def rounds(source: random.Random, count: int, level: float, began: int) -> Sample:
    logs, away = [], source.gauss(0, NOISE)
    for _ in range(count):
        away = ALIKE * away + math.sqrt(1 - ALIKE**2) * source.gauss(0, NOISE)
        logs.append(math.log(level) + away)
    times = tuple(f"{began + index:06d}" for index in range(count))
    return Sample("one", tuple(range(count)), tuple(logs), times)


def pair(source: random.Random, count: int, slowdown: float, in_turns: bool) -> Pair:
    first = rounds(source, count, 1000.0, 0)
    second = rounds(source, count, 1000.0 * (1 - slowdown), 0 if in_turns else 1000)
    return Pair("cell", "write", {}, (first,), (second,), {"VALID": 2 * count})


def shares(
    source: random.Random, count: int, slowdown: float, tables: int, in_turns: bool
) -> Sequence[float]:
    """Of all cells: called slower, called equal; of all tables: with a cell called slower."""
    slower, same, any_slower = [], [], []
    for _ in range(tables):
        judged = judge_pairs([pair(source, count, slowdown, in_turns) for _ in range(CELLS)], RATE)
        slower.append(sum(one.verdict == SLOWER for one in judged) / CELLS)
        same.append(sum(one.verdict == SAME for one in judged) / CELLS)
        any_slower.append(float(slower[-1] > 0))
    return [statistics.fmean(values) for values in (slower, same, any_slower)]


def main() -> None:
    source = random.Random(1)
    print(
        "| design | rounds | slowdown | cells slower | cells equal within 5 % | tables with a slower cell |"
    )
    print("|---|---|---|---|---|---|")
    for in_turns in (False, True):
        design = "in turns" if in_turns else "one after the other"
        for slowdown in (0.0, 0.03, 0.05, 0.10, 0.20):
            for count in (4, 8, 16):
                tables = 1000 if slowdown == 0 else 50
                found = shares(source, count, slowdown, tables, in_turns)
                values = " | ".join(f"{share:.1%}" for share in found)
                print(f"| {design} | {count} | {slowdown:.0%} | {values} |")


if __name__ == "__main__":
    main()
