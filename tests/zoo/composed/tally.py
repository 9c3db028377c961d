"""How often weir was wrong in composed cases, with the interval of the rate."""

import csv
import math
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.zoo.composed.axes import AXES
from tests.zoo.composed.composer import ALARM, MISSED, NOISE, UNPROVEN, Judged
from tests.zoo.composed.truth import FALSE, HONEST, Case

RESULTS = Path(__file__).with_name("results.csv")
HEAD = ("seed", "case", *AXES, "access", "truth", "verdict", "findings", "missing", "outcome")
TITLE = "## Composed at random"
_LEVEL = 0.95
_HEAD = """\
`make zoo-composed` draws cases by a seed, here {cases} of seed {seeds}:
program, request, library, file system, what goes on beside it, and what is done to the record. From
20261130 on also: who fetched, whose control group, which process, which mount. The truth follows from what
was staged.
Missed: a false number is VALID. False alarm: an honest one is DEGRADED or INVALID by more than the machine
(others on its disk, its load, a short phase; {noisy} honest cases). Intervals: Clopper and Pearson, 95 %.
Where weir was fixed by what a seed found, the rates of that seed are too low.

| of | cases | wrong | rate | interval |
|---|---|---|---|---|
"""
Line = dict[str, str]


def lines_of(seed: int, case: Case, judged: Sequence[Judged]) -> list[Line]:
    """A line for each access of a case."""
    found = []
    for one in judged:
        last = (one.access, one.truth, one.verdict, " ".join(one.findings), one.missing, one.outcome)
        values = (str(seed), str(case.number), *case.names, *last)
        found.append(dict(zip(HEAD, values, strict=True)))
    return found


def read_lines(file: Path = RESULTS) -> list[Line]:
    if not file.is_file():
        return []
    with file.open(newline="") as stream:
        return list(csv.DictReader(stream))


def write_lines(lines: Sequence[Line], file: Path = RESULTS) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, HEAD, lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


def interval(wrong: int, cases: int) -> tuple[float, float]:
    """Clopper and Pearson: by the binomial distribution itself."""
    tail = (1 - _LEVEL) / 2
    low = 0.0 if wrong == 0 else _where(lambda share: 1 - _at_most(wrong - 1, cases, share) >= tail)
    high = 1.0 if wrong == cases else _where(lambda share: _at_most(wrong, cases, share) <= tail)
    return low, high


def _at_most(wrong: int, cases: int, share: float) -> float:
    return math.fsum(math.comb(cases, k) * share**k * (1 - share) ** (cases - k) for k in range(wrong + 1))


def _where(holds: Callable[[float], bool]) -> float:
    """The least share for which it holds; it holds for all larger ones."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def cases_with(lines: Sequence[Line], column: str, *values: str) -> set[tuple[str, str]]:
    return {(line["seed"], line["case"]) for line in lines if line[column] in values}


def rate_text(wrong: int, cases: int) -> str:
    if not cases:
        return "| 0 | 0 | - | - |"
    low, high = interval(wrong, cases)
    return f"| {cases} | {wrong} | {100 * wrong / cases:.1f} % | {100 * low:.1f} to {100 * high:.1f} % |"


def section(lines: Sequence[Line]) -> list[str]:
    """Of docs/zoo.md."""
    seeds = ", ".join(sorted({line["seed"] for line in lines}, key=int))
    cases = cases_with(lines, "truth", HONEST, FALSE, "open")
    facts = {"cases": len(cases), "seeds": seeds, "noisy": len(cases_with(lines, "outcome", NOISE))}
    text = ["", TITLE, "", *_HEAD.format(**facts).splitlines()]
    for name in ("", "weir-io", "ior"):
        part = [line for line in lines if name in ("", line["program"])]
        about = f", {name}" if name else ""
        false, honest = cases_with(part, "truth", FALSE), cases_with(part, "truth", HONEST)
        text.append(f"| missed{about} {rate_text(len(cases_with(part, 'outcome', MISSED)), len(false))}")
        text.append(
            f"| false alarms{about} {rate_text(len(cases_with(part, 'outcome', ALARM)), len(honest))}"
        )
        unproven = len(cases_with(part, "outcome", UNPROVEN))
        text.append(f"| honest, UNPROVEN{about} {rate_text(unproven, len(honest))}")
    wrong = [line for line in lines if line["outcome"] in (MISSED, ALARM)]
    text += ["", *(_wrong(line) for line in wrong)] if wrong else []
    return text


def _wrong(line: Line) -> str:
    values = ", ".join(line[name] for name in AXES)
    shown = line["findings"] or "nothing found"
    return (
        f"- {line['outcome']}, case {line['case']}: {values}; {line['access']} {line['verdict']} ({shown})."
    )
