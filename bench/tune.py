#!/usr/bin/env python3
"""The closeness of weir tune to the best setting: share of the true optimum after N measurements.

    bench/tune.py [SEEDS [CURVES.svg]]

Two published tables that have every setting are replayed: reference/ddn-lustre-2018.csv with the number of
nodes fixed and without, and reference/mistral-defaults.csv. The truth is the median of all measurements of a
setting. `median`: each measurement of the search is that median. `single`: it is one of the repetitions.
"""

import random
import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import ceil
from pathlib import Path

from weir.decide.tune.measured import Replay, read_replay
from weir.decide.tune.search import Trials, run, winner
from weir.report import drawing
from weir.report.drawing import GOOD, NEUTRAL, PALE

BUDGETS = (8, 12, 16, 20, 30, 40)
METHODS = ("gp", "tpe", "random", "grid")
DDN, MISTRAL = Path("reference/ddn-lustre-2018.csv"), Path("reference/mistral-defaults.csv")


def spaces() -> Iterator[tuple[str, Replay]]:
    moving = ["api", "ppn", "xfer_bytes"]
    for access in ("write", "read"):
        fixed = {"campaign": "output", "access": access}
        for nodes in ("1", "4", "16"):
            yield f"ddn {access}, {nodes} nodes", read_replay(DDN, moving, fixed | {"nn": nodes}, "bw_mib_s")
        yield f"ddn {access}, all nodes", read_replay(DDN, [*moving, "nn"], fixed, "bw_mib_s")
    for access, column in (("write", "wnode"), ("read", "rnode")):
        yield f"mistral {access}", read_replay(MISTRAL, ["stripes", "ppn"], {}, column)


def shares(replay: Replay, method: str, seed: int, single: bool) -> list[float]:
    """The true score of the chosen setting after each budget, over the best."""
    source = random.Random(seed)
    drawn = {number: source.choice(values) for number, values in enumerate(replay.values)}

    def measure(number: int) -> float:
        return drawn[number] if single else replay.score(number)

    trials = trials_of(replay, method, seed, measure)
    found = []
    for budget in BUDGETS:
        part = Trials()
        part.scores = dict(list(trials.scores.items())[:budget])
        best = winner(part)
        assert best is not None
        found.append(replay.score(best) / replay.best)
    return found


def trials_of(replay: Replay, method: str, seed: int, measure) -> Trials:  # type: ignore[no-untyped-def]
    if method == "grid":  # in the order of the table, from a random start
        trials, count = Trials(), len(replay.space)
        start = random.Random(seed).randrange(count)
        trials.scores = {
            (start + step) % count: measure((start + step) % count) for step in range(min(40, count))
        }
        return trials
    return run(replay.space, max(BUDGETS), seed, measure, method)


COLORS = {"gp": GOOD, "tpe": "#e08214", "random": NEUTRAL, "grid": "#b8b8b8"}
NAMES = {"gp": "weir's process", "tpe": "Optuna's TPE", "random": "random", "grid": "grid"}
PANELS_A_ROW, WIDTH, HEIGHT, AIR = 5, 190.0, 150.0, 34.0


def curves(found: Mapping[str, Mapping[str, Sequence[float]]]) -> str:
    """A panel for each space, from 40 % to 100 % of the best."""
    rows = ceil(len(found) / PANELS_A_ROW)
    parts = []
    for number, (space, methods) in enumerate(found.items()):
        left = AIR + (number % PANELS_A_ROW) * (WIDTH + AIR)
        top = 1.6 * AIR + number // PANELS_A_ROW * (HEIGHT + 2 * AIR)
        parts += panel(left, top, space, methods)
    for number, (method, color) in enumerate(COLORS.items()):
        at = AIR + 200 * number
        parts += [drawing.line(at, 12, at + 24, 12, color, 3), drawing.text(at + 30, 16, NAMES[method])]
    title = "share of the best setting after N measurements"
    return drawing.svg(PANELS_A_ROW * (WIDTH + AIR) + AIR, rows * (HEIGHT + 2 * AIR), title, parts)


def panel(left: float, top: float, space: str, methods: Mapping[str, Sequence[float]]) -> list[str]:
    def x(budget: int) -> float:
        return left + (budget - BUDGETS[0]) / (BUDGETS[-1] - BUDGETS[0]) * WIDTH

    def y(share: float) -> float:
        return top + (1 - (max(share, 0.4) - 0.4) / 0.6) * HEIGHT

    parts = [drawing.text(left, top - 6, space)]
    for share in (0.4, 0.6, 0.8, 0.95, 1.0):
        parts.append(drawing.line(left, y(share), left + WIDTH, y(share), PALE, 0.7))
        parts.append(drawing.text(left - 3, y(share) + 4, f"{share:.0%}"[:-1], "end", 9))
    parts += [
        drawing.text(x(budget), top + HEIGHT + 14, str(budget), "middle", 10) for budget in (8, 20, 30, 40)
    ]
    for method in reversed(COLORS):
        points = [(x(budget), y(share)) for budget, share in zip(BUDGETS, methods[method], strict=True)]
        for one, two in pairwise(points):
            parts.append(drawing.line(*one, *two, COLORS[method], 2.2))
    return parts


def main() -> None:
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    drawn: dict[str, dict[str, list[float]]] = {}
    print(
        "| space | settings | within 5 % of the best | measured | search |"
        + "".join(f" {budget} |" for budget in BUDGETS)
    )
    print("|---|---|---|---|---|" + "---|" * len(BUDGETS))
    for name, replay in spaces():
        near = sum(replay.score(number) >= 0.95 * replay.best for number in range(len(replay.space)))
        kinds = ("median", "single") if max(map(len, replay.values)) > 1 else ("median",)
        for kind in kinds:
            for method in METHODS:
                if kind == "single" and method in ("tpe", "grid"):
                    continue
                count = max(seeds // 5, 1) if method == "tpe" else seeds  # Optuna takes ten times as long
                every = [shares(replay, method, seed, kind == "single") for seed in range(count)]
                means = [statistics.fmean(column) for column in zip(*every, strict=True)]
                if kind == "median":
                    drawn.setdefault(name, {})[method] = means
                values = "".join(f" {mean:.1%} |" for mean in means)
                print(f"| {name} | {len(replay.space)} | {near} | {kind} | {method} |{values}", flush=True)
    if len(sys.argv) > 2:
        Path(sys.argv[2]).write_text(curves(drawn) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
