#!/usr/bin/env python3
"""The error rates of accept and compare under noise that is not kind, where the truth is known.

    bench/decisions.py [PART] [TIMES] [TEXT]

PART is accept, turns, separate or days, else all are measured; of these the lines that contain TEXT. TIMES,
contracts and tables for each line, are 1,000. Of so many, a line is written to decisions_accept.csv or
decisions_compare.csv of bench/results when it ends; the others stay. Each begins with a seed of its own, so
that all may be measured one by one.

Each line has its promise, what was measured and the standard error. Contracts: the truth is at the limit, so
that every pass is false. Tables of 20 cells: both sides are the same storage, so that every verdict slower or
faster is false, and a table counts once.
"""

import csv
import math
import random
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from weir.collect.metrics import metric_named
from weir.collect.rounds import Rounds
from weir.decide.accept.contract import Contract, Line, Promise
from weir.decide.accept.evidence import Measured
from weir.decide.accept.judge import PASS, JudgedLine, judge
from weir.decide.compare.estimate import Days, key_of
from weir.decide.compare.pairs import Pair, RecordQuality, Sample
from weir.decide.compare.verdict import FASTER, SLOWER, judge_pairs
from weir.decide.history.series import from_table
from weir.records.model import Row

RATE, LIMIT, SPREAD, CELLS = metric_named("rate"), 1000.0, 0.05, 20
RESULTS = Path(__file__).resolve().parent / "results"
YEAR = Path(__file__).resolve().parents[1] / "reference/tokio-year.csv"
KEYS = ("system", "file_system", "app", "access", "layout", "ranks")
FAST_SHARE, FAST, BELOW = (0.2, 0.3, 0.03)  # share of fast runs, their gain, the others' deficit
SLOW_SHARE, SLOW, STAYS = 0.2, 0.2, 0.95  # lasting modes: share, how much slower, chance to stay for a round
FIRST_RUNS, LAST_RUNS = 3, 40
OF_ROUNDS, DELETED = 30, 8

Noise = Callable[[random.Random, int], list[float]]  # logarithms of so many rounds around their level


def serial(alike: float) -> Noise:
    def noise(source: random.Random, count: int) -> list[float]:
        away, logs = source.gauss(0, SPREAD), []
        for _ in range(count):
            logs.append(away)
            away = alike * away + math.sqrt(1 - alike**2) * source.gauss(0, SPREAD)
        return logs

    return noise


def above(source: random.Random, count: int) -> list[float]:
    return [value + math.log(1.1) for value in serial(0.35)(source, count)]


def with_fast_runs(source: random.Random, count: int) -> list[float]:
    """The median is below the promise, and the mean above it."""
    return [
        math.log(1 - BELOW) + source.gauss(0, 0.01) + (FAST if source.random() < FAST_SHARE else 0.0)
        for _ in range(count)
    ]


def with_modes(source: random.Random, count: int) -> list[float]:
    """A slow mode that lasts for rounds."""
    slow, logs = source.random() < SLOW_SHARE, []
    for _ in range(count):
        logs.append(source.gauss(0, SPREAD / 2) - (SLOW if slow else 0.0))
        if source.random() > STAYS:
            slow = source.random() < SLOW_SHARE
    return logs


def judged(
    cells: Sequence[Sequence[float]], look: int = 1, statistic: str = "mean", takes_best: bool = False
) -> JudgedLine:
    """Judges the logarithms of the runs of each cell over the limit."""
    promise = Promise("bandwidth", statistic, True, LIMIT, "1000 MiB/s")
    line = Line("line", "", "ior", ("write",), {}, {"fixed": {}}, promise, takes_best)
    rows: list[Row] = [
        {
            "tool": "ior",
            "access": "write",
            "cell": f"c{number}",
            "run": run,
            "iteration": 0,
            "verdict": "VALID",
            "bw_mib_s": LIMIT * math.exp(value),
        }
        for number, logs in enumerate(cells)
        for run, value in enumerate(logs)
    ]
    looks = Rounds(looks={f"c{number}": look for number in range(len(cells))})
    contract = Contract("made", "made", "", (), None, None, (line,))
    return judge(contract, Measured(Path("made"), tuple(rows), rounds=looks))[0]


def passes(
    cells: Sequence[Sequence[float]], look: int = 1, statistic: str = "mean", takes_best: bool = False
) -> bool:
    return judged(cells, look, statistic, takes_best).verdict == PASS


def passes_at_some_look(source: random.Random, noise: Noise) -> bool:
    logs = noise(source, LAST_RUNS)
    looks = range(FIRST_RUNS, LAST_RUNS + 1)
    return any(passes([logs[:runs]], look) for look, runs in enumerate(looks, start=1))


def accept_lines(source: random.Random) -> Iterator[tuple[str, str, Callable[[], bool]]]:
    for alike in (0.0, 0.35, 0.6):
        for runs in (5, 10):
            name = f"truth at the limit, AR {alike}, n = {runs}"
            noise = serial(alike)
            # The assumption is 0.35; what lasts longer is beyond the promise.
            promised = "2.5 %" if alike <= 0.35 else "-"
            yield name, promised, lambda noise=noise, runs=runs: passes([noise(source, runs)])
    for runs in (5, 10):
        name = f"10 % above the limit, AR 0.35, n = {runs}, passed"
        yield name, "power", lambda runs=runs: passes([above(source, runs)])
    for count in (8, 24):
        noise = serial(0.35)
        yield (
            f"best of {count} cells at the limit, AR 0.35, n = 5",
            "2.5 %",
            lambda count=count, noise=noise: passes(
                [noise(source, 5) for _ in range(count)], takes_best=True
            ),
        )
    for alike in (0.0, 0.35):
        noise = serial(alike)
        name = f"judged after each added run, 3 to 40, AR {alike}"
        yield name, "2.5 %", lambda noise=noise: passes_at_some_look(source, noise)
    for runs in (10, 20):
        yield (
            f"median promise, 20 % fast runs, truth 3 % below, n = {runs}",
            "2.5 %",
            lambda runs=runs: passes([with_fast_runs(source, runs)], statistic="median"),
        )


SAME_DAY_S, OTHER_DAY_S = 3 * 3600, 48 * 3600
Table = tuple[Sequence[Pair], Days]


@cache
def time_of(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def pair(first: Sequence[float], second: Sequence[float], apart_s: int, number: int = 0) -> Pair:
    """apart_s: from one side to the other; 0: in turns."""
    samples = [
        Sample(
            name,
            tuple(range(len(logs))),
            tuple(logs),
            tuple(time_of(began + 60 * at) for at in range(len(logs))),
        )
        for name, logs, began in (("a", first, 0), ("b", second, apart_s))
    ]
    count = len(first) + len(second)
    return Pair("cell", "write", {"cell": number}, (samples[0],), (samples[1],), {"VALID": count})


def table(
    source: random.Random,
    noise: Noise,
    counts: tuple[int, int],
    turns: bool,
    slower: float,
    cells: int = CELLS,
) -> list[Pair]:
    """Sides one after the other take what lasts of one series; sides in turns share its rounds."""
    made = []
    for _ in range(cells):
        first, second = noise(source, counts[0]), noise(source, counts[1])
        made.append(
            pair(first, [value + math.log(1 - slower) for value in second], 0 if turns else SAME_DAY_S)
        )
    return made


def dated(
    source: random.Random, draw: Callable[[int], Sequence[Sequence[float]]], past: int, slower: float = 0.0
) -> Table:
    """Campaigns of each cell on different days; all but the last two are a history."""
    pairs, spreads = [], {}
    for number in range(CELLS):
        *before, first, second = draw(past + 2)
        made = pair(first, [value + math.log(1 - slower) for value in second], OTHER_DAY_S, number)
        pairs.append(made)
        if before:
            means = [statistics.fmean(one) for one in before]
            spreads[key_of(made)] = statistics.variance(means), past
    return pairs, Days(spreads=spreads)


def differs(pairs: Sequence[Pair], days: Days | None = None) -> bool:
    return any(one.verdict in (SLOWER, FASTER) for one in judge_pairs(pairs, RATE, days=days))


def found(pairs: Sequence[Pair], days: Days | None = None) -> float:
    return statistics.fmean(one.verdict == SLOWER for one in judge_pairs(pairs, RATE, days=days))


def real_days(
    source: random.Random, series: Sequence[list[float]], count: int
) -> Callable[[int], Sequence[Sequence[float]]]:
    """Neighbouring days of the year as rounds, and consecutive campaigns of them."""

    def draw(campaigns: int) -> Sequence[Sequence[float]]:
        logs = source.choice([one for one in series if len(one) > campaigns * count])
        at = source.randrange(len(logs) - campaigns * count)
        return [logs[at + count * number : at + count * (number + 1)] for number in range(campaigns)]

    return draw


def day_lines(source: random.Random) -> Iterator[tuple[str, str, Callable[[], float]]]:
    """One campaign a side, on different days: without and with a history."""
    every = from_table(YEAR, KEYS, "started_unix", "bw_mib_s")
    series = [one.logs.tolist() for one in every if len(one) > 60]
    for count in (4, 8, 16):
        past = 5 if count == 16 else 10
        kinds = {
            "a lasting slow mode per cell": lambda many, n=count: [
                with_modes(source, n) for _ in range(many)
            ],
            "consecutive real days": real_days(source, series, count),
        }
        for kind, draw in kinds.items():
            for campaigns in (0, past):
                known = f", history of {campaigns}" if campaigns else ""
                yield (
                    f"other day: {kind}, n = {count}{known}",
                    "5 %",
                    lambda d=draw, c=campaigns: differs(*dated(source, d, c)),
                )
            yield (
                f"other day: {kind}, n = {count}, history of {past}, 50 % slower, found",
                "power",
                lambda d=draw, c=past: found(*dated(source, d, c, 0.5)),
            )


def without_worst(source: random.Random, is_recorded: bool) -> list[Pair]:
    """Equal storage; the slowest rounds of B were deleted, which a ledger beside the records tells."""
    dropped = ("deleted: cell round 3: it ended as 'done', and its run.json is gone",) if is_recorded else ()
    made = []
    for _ in range(CELLS):
        first, second = serial(0.0)(source, OF_ROUNDS), serial(0.0)(source, OF_ROUNDS)
        kept = set(sorted(range(OF_ROUNDS), key=lambda at: second[at])[DELETED:])
        one = pair(first, [value for at, value in enumerate(second) if at in kept], SAME_DAY_S)
        evidence = RecordQuality(OF_ROUNDS, OF_ROUNDS, 0), RecordQuality(len(kept), len(kept), 0, dropped)
        made.append(replace(one, evidence=evidence))
    return made


def separate_lines(source: random.Random) -> Iterator[tuple[str, str, Callable[[], float]]]:
    for counts in ((2, 16), (3, 30), (4, 16)):
        name = f"separate: n = {counts[0]} v {counts[1]}, iid"
        yield name, "5 %", lambda counts=counts: differs(table(source, serial(0.0), counts, False, 0))
    for alike in (0.0, 0.35):
        for count in (4, 8, 16):
            name = f"separate: AR {alike}, n = {count}"
            noise, counts = serial(alike), (count, count)
            yield name, "5 %", lambda n=noise, c=counts: differs(table(source, n, c, False, 0))
    for count in (4, 8, 16):
        name, counts = f"separate: a lasting slow mode per cell, n = {count}", (count, count)
        # Nothing within two campaigns of one day tells it from a change of the storage: a note.
        yield name, "-", lambda c=counts: differs(table(source, with_modes, c, False, 0))
    for is_recorded in (True, False):
        name = f"separate: the {DELETED} slowest of {OF_ROUNDS} rounds of B deleted"
        # Records alone do not show them: a note.
        known, promised = (", by the ledger", "5 %") if is_recorded else (", records alone", "-")
        yield name + known, promised, lambda r=is_recorded: differs(without_worst(source, r))
    yield from power_lines(source, "separate", turns=False)


def turns_lines(source: random.Random) -> Iterator[tuple[str, str, Callable[[], float]]]:
    for cells in (CELLS, 3):
        for alike in (0.0, 0.35, 0.6):
            for count in (4, 8, 16):
                noise, counts = serial(alike), (count, count)
                of_cells = "" if cells == CELLS else f", {cells} cells"
                name = f"in turns: AR {alike} per cell, n = {count}{of_cells}"
                # Few rounds or pairs show too little of what lasts longer than the assumption elsewhere.
                promised = "5 %" if alike <= 0.35 or (count >= 8 and cells == CELLS) else "-"
                yield (
                    name,
                    promised,
                    lambda n=noise, c=counts, m=cells: differs(table(source, n, c, True, 0, m)),
                )
    yield from power_lines(source, "in turns", turns=True)


def power_lines(
    source: random.Random, name: str, turns: bool
) -> Iterator[tuple[str, str, Callable[[], float]]]:
    for alike in (0.0, 0.35):
        for count in (4, 8, 16):
            noise, counts = serial(alike), (count, count)
            case = f"{name}: AR {alike}, n = {count}, 10 % slower, found"
            yield case, "power", lambda n=noise, c=counts: found(table(source, n, c, turns, 0.1))


PARTS = {"accept": accept_lines, "turns": turns_lines, "separate": separate_lines, "days": day_lines}
FILES = {"decisions_accept": ("accept",), "decisions_compare": ("turns", "separate", "days")}
TIMES = 1000


def measured(part: str, times: int, text: str) -> Iterator[tuple[str, ...]]:
    source = random.Random()
    for case, promised, once in PARTS[part](source):
        if text not in case:
            continue
        source.seed(case)
        values = [float(once()) for _ in range(times)]
        error = statistics.stdev(values) / math.sqrt(len(values))
        row = (case, promised, f"{statistics.fmean(values):.1%}", f"{error:.1%}")
        print(" | ".join(row), flush=True)
        yield row


def write(name: str, row: tuple[str, ...]) -> None:
    """Writes the rows in the order of the parts; a part that is not measured now keeps its rows."""
    path = RESULTS / f"{name}.csv"
    with path.open(newline="") as file:
        head, *before = csv.reader(file)
    known = {one[0]: one for one in (*before, row)}
    cases = [case for part in FILES[name] for case, _, _ in PARTS[part](random.Random())]
    with path.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(
            [head, *(known[case] for case in cases if case in known)]
        )


def main() -> None:
    parts = [one for one in sys.argv[1:] if one in PARTS] or list(PARTS)
    times = next((int(one) for one in sys.argv[1:] if one.isdigit()), TIMES)
    text = next((one for one in sys.argv[1:] if one not in PARTS and not one.isdigit()), "")
    for name, of_file in FILES.items():
        for row in (row for part in of_file if part in parts for row in measured(part, times, text)):
            if times == TIMES:
                write(name, row)


if __name__ == "__main__":
    main()
