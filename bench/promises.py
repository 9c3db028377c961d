#!/usr/bin/env python3
"""The promises under each kind of noise: bench/results/promises.csv, from the results of the other benches.

    bench/promises.py

It measures nothing. Each cell is the range over the numbers of rounds, with the largest standard error.
"""

import csv
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

RESULTS = Path(__file__).resolve().parent / "results"
HEAD = (
    "what is promised",
    "independent",
    "neighbours alike (0.35)",
    "alike (0.6)",
    "slow modes that last",
    "days of a year",
)
NONE, NOT_PROMISED = "-", ": not promised"
_NUMBER = re.compile(r"[\d.]+")


def rows_of(name: str) -> list[list[str]]:
    with (RESULTS / f"{name}.csv").open(newline="") as file:
        return list(csv.reader(file))[1:]


def span(found: Iterable[tuple[str, str]]) -> str:
    """The span of measured shares and their errors: '93.1 to 94.0 % ± 0.2'."""
    shares, errors = [], [0.0]
    for measured, error in found:
        shares.append(float(_NUMBER.findall(measured)[0]))
        errors += map(float, _NUMBER.findall(error))
    if not shares:
        raise SystemExit("no result has these cases: measure them first")
    low, high = min(shares), max(shares)
    text = f"{low:.1f} %" if low == high else f"{low:.1f} to {high:.1f} %"
    return f"{text} ± {max(errors):.1f}" if max(errors) else text


def statistic(what: str, *series: str, fewest: int = 0) -> str:
    found = [
        (measured, error)
        for name, of, n, _, measured, error in rows_of("statistics")
        if name == what and of in series and int(n or fewest) >= fewest
    ]
    return span(found)


def decision(name: str, *patterns: str) -> str:
    """The span over the cases that one of the patterns matches in full."""
    whole = re.compile("|".join(f"(?:{one})" for one in patterns))
    return span((row[2], row[3]) for row in rows_of(name) if whole.fullmatch(row[0]))


def of_medians() -> Sequence[str]:
    what = "interval of a median holds it"
    around = statistic(what, "slow part, median of 60 rounds around", fewest=8)
    whole = statistic(what, "slow part, median in the long run", fewest=8)
    return (
        "interval of a median holds it in 95 %, n = 8 to 20 (report)",
        statistic(what, "normal", fewest=8),
        statistic(what, "normal, 0.35", fewest=8),
        NONE,
        f"{around} of the 60 runs around; in the long run {whole}{NOT_PROMISED}",
        statistic(what, "year, in order of time", fewest=8),
    )


def of_added_rounds() -> Sequence[str]:
    lowest, populations = "added rounds, lowest share held", ("normal", "2018", "year", "local")
    held = [f"added rounds, as narrow as ten are in {share} %: held" for share in (50, 75, 90)]
    return (
        "the same after added rounds",
        statistic(lowest, *(f"{one}, 0" for one in populations)),
        statistic(lowest, *(f"{one}, 0.35" for one in populations)),
        NONE,
        NONE,
        span((row[4], row[5]) for row in rows_of("statistics") if row[0] in held and row[1] == "year"),
    )


def of_effects() -> Iterable[Sequence[str]]:
    what, modes = "effects in turns, tables with a false one", "a lasting mode per cell"
    more = statistic("effects in turns, more tables with a false one", "0.35 per cell")
    yield (
        "effects of settings: a false one in 5 % of tables",
        statistic(what, "independent"),
        f"{statistic(what, '0.35 per cell')}; of more tables {more}",
        NONE,
        statistic(what, modes) + NOT_PROMISED,
        statistic("effects in turns, replayed, tables with a false one", "year"),
    )
    # They are among the clear ones.
    agree = statistic(f"{what} whose pairs agree", modes)
    yield "effects whose pairs agree (†): the same", "not more", "not more", NONE, agree, NONE


def of_turns(text: str, end: str) -> Sequence[str]:
    def case(alike: float, counts: str) -> str:
        return decision("decisions_compare", f"in turns: AR {alike} per cell, n = {counts}{end}")

    strong = f"{case(0.6, '(8|16)')} with 8 rounds or more; {case(0.6, '4')} with 4{NOT_PROMISED}"
    if end:
        strong = case(0.6, r"\d+") + NOT_PROMISED
    return text, case(0.0, r"\d+"), case(0.35, r"\d+"), strong, "not promised", NONE


def of_compare() -> Iterable[Sequence[str]]:
    name = "decisions_compare"
    yield of_turns("compare in turns, 20 cells: a false verdict in 5 % of tables", "")
    yield of_turns("compare in turns, 3 cells: the same", ", 3 cells")
    yield (
        "compare, one campaign a side on one day: the same",
        decision(name, r"separate: n = \d+ v \d+, iid", r"separate: AR 0.0, n = \d+"),
        decision(name, r"separate: AR 0.35, n = \d+"),
        NONE,
        decision(name, r"separate: a lasting slow mode per cell, n = \d+") + NOT_PROMISED,
        NONE,
    )
    deleted = r"separate: the \d+ slowest of \d+ rounds of B deleted, "
    alone = decision(name, f"{deleted}records alone") + NOT_PROMISED
    yield (
        "compare, the 8 slowest of 30 rounds of B deleted: the same",
        f"{decision(name, f'{deleted}by the ledger')} with plan and ledger; by records alone {alone}",
        NONE,
        NONE,
        NONE,
        NONE,
    )
    history = r"(, history of \d+)?"
    yield (
        "compare, one campaign a side on different days: the same",
        NONE,
        NONE,
        NONE,
        decision(name, rf"other day: a lasting slow mode per cell, n = \d+{history}"),
        decision(name, rf"other day: consecutive real days, n = \d+{history}"),
    )


def of_accept() -> Iterable[Sequence[str]]:
    name, limit = "decisions_accept", "truth at the limit, AR {}, n = .*"
    yield (
        "accept: a wrong pass in 2.5 %",
        decision(name, limit.format(0.0)),
        decision(name, limit.format(0.35)),
        decision(name, limit.format(0.6)) + NOT_PROMISED,
        NONE,
        NONE,
    )
    looks = "judged after each added run, 3 to 40, AR {}"
    yield (
        "accept, best of 8 or 24 cells; after each of 38 looks",
        decision(name, looks.format(0.0)),
        decision(name, "best of .*", looks.format(0.35)),
        NONE,
        NONE,
        NONE,
    )
    yield (
        "accept, a promise about a median, 20 % fast runs",
        decision(name, "median promise, .*"),
        NONE,
        NONE,
        NONE,
        NONE,
    )


def promises() -> list[Sequence[str]]:
    alarms = rows_of("history_check")[0][1]
    return [
        HEAD,
        of_medians(),
        of_added_rounds(),
        *of_effects(),
        *of_compare(),
        *of_accept(),
        ("history check: alarms for slower per 100 series-days", NONE, NONE, NONE, NONE, alarms),
    ]


if __name__ == "__main__":
    with (RESULTS / "promises.csv").open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(promises())
