#!/usr/bin/env python3
"""How near weir tune comes to the best setting: share of the true optimum after N measurements.

    bench/tune.py [SEEDS]

Two published tables that have every setting are replayed: reference/ddn-lustre-2018.csv with the number of
nodes fixed and without, and reference/mistral-defaults.csv. The truth is the median of all measurements of a
setting. `median`: each measurement of the search is that median. `single`: it is one of the repetitions.
"""

from __future__ import annotations

import random
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

from weir.tune.replay import Replay, read_replay
from weir.tune.search import Trials, run, winner
from weir.tune.tpe import run_tpe

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
    """After each budget: true score of the setting that would be chosen, over the best."""
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
    if method == "tpe":
        return run_tpe(replay.space, max(BUDGETS), seed, measure)
    if method == "grid":  # in the order of the table, from a place that the seed draws
        trials, count = Trials(), len(replay.space)
        start = random.Random(seed).randrange(count)
        trials.scores = {
            (start + step) % count: measure((start + step) % count) for step in range(min(40, count))
        }
        return trials
    return run(replay.space, max(BUDGETS), seed, measure, method)


def main() -> None:
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    print("| space | settings | measured | search |" + "".join(f" {budget} |" for budget in BUDGETS))
    print("|---|---|---|---|" + "---|" * len(BUDGETS))
    for name, replay in spaces():
        kinds = ("median", "single") if max(map(len, replay.values)) > 1 else ("median",)
        for kind in kinds:
            for method in METHODS:
                if kind == "single" and method in ("tpe", "grid"):
                    continue
                count = max(seeds // 5, 1) if method == "tpe" else seeds  # Optuna takes ten times as long
                every = [shares(replay, method, seed, kind == "single") for seed in range(count)]
                means = [statistics.fmean(column) for column in zip(*every, strict=True)]
                values = "".join(f" {mean:.1%} |" for mean in means)
                print(f"| {name} | {len(replay.space)} | {kind} | {method} |{values}", flush=True)


if __name__ == "__main__":
    main()
