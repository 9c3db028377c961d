"""Prints the cells of a records table side by side, a stack a column: medians, ratios to the first stack."""

from __future__ import annotations

import csv
import random
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

Point = tuple[str, str, int, int]  # api, access, ppn, xfer_bytes
_RESAMPLES = 2000


def bandwidths(rows: Iterable[Mapping[str, str]]) -> dict[Point, dict[str, list[float]]]:
    """Bandwidths in MiB/s for each point and stack, one for each run; invalid records say nothing.

    Iterations of one run share what the machine did meanwhile: they count once, by their median.
    """
    runs: dict[Point, dict[str, dict[str, list[float]]]] = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        if row["verdict"] != "INVALID" and row["bw_mib_s"]:
            point = (row["api"], row["access"], int(row["ppn"]), int(row["xfer_bytes"]))
            runs[point][row["stack"]].setdefault(row["run"], []).append(float(row["bw_mib_s"]))
    return {
        point: {stack: [statistics.median(one) for one in found.values()] for stack, found in stacks.items()}
        for point, stacks in runs.items()
    }


def ratio_interval(values: Sequence[float], base: Sequence[float]) -> tuple[float, float]:
    """95 % bootstrap interval of median(values) / median(base)."""
    draw = random.Random(0)
    ratios = sorted(
        statistics.median(draw.choices(values, k=len(values)))
        / statistics.median(draw.choices(base, k=len(base)))
        for _ in range(_RESAMPLES)
    )
    return ratios[int(0.025 * _RESAMPLES)], ratios[int(0.975 * _RESAMPLES)]


def table(points: Mapping[Point, Mapping[str, Sequence[float]]]) -> str:
    """Text for people; the others are compared with the first stack."""
    stacks = list(dict.fromkeys(stack for found in points.values() for stack in found))
    lines = [f"{'median MiB/s, n':32}" + "".join(f"{stack:>32}" for stack in stacks)]
    for (api, access, ppn, xfer_bytes), found in sorted(points.items()):
        name = f"{api} {access} {xfer_bytes // 1024} KiB, {ppn} rank{'s' if ppn > 1 else ''}"
        cells = [
            _cell(found.get(stack, ()), found.get(stacks[0], ()), stack == stacks[0]) for stack in stacks
        ]
        lines.append(f"{name:32}" + "".join(f"{cell:>32}" for cell in cells))
    lines.append("ratios to the first stack with 95 % bootstrap intervals; * where the interval excludes 1")
    lines.append("the stacks took turns, block by block; on a busy machine the intervals grow")
    return "\n".join(lines)


def _cell(values: Sequence[float], base: Sequence[float], is_base: bool) -> str:
    if not values:
        return "none"
    text = f"{statistics.median(values):.0f}, {len(values)}"
    if is_base or not base:
        return text
    low, high = ratio_interval(values, base)
    mark = "*" if low > 1 or high < 1 else " "
    return f"{text}  {statistics.median(values) / statistics.median(base):.2f} [{low:.2f}, {high:.2f}]{mark}"


if __name__ == "__main__":
    with open(sys.argv[1], newline="", encoding="utf-8") as stream:
        print(table(bandwidths(csv.DictReader(stream))))
