"""The table of published submissions, reference/io500-submissions.csv, and the standing of a result among
them: the percentile of each phase, and their figure."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from weir.base.errors import InputError
from weir.base.files import reading
from weir.data import data_folder
from weir.decide.io500.result import PHASES, Io500Phase, Io500Result, Published
from weir.decide.io500.result_files import number_at_least_zero, wrong_line
from weir.report.drawing import BAD, GOOD, INK, NEUTRAL, PALE, box, dot, line, svg, text

DEFAULT = data_folder("reference") / "io500-submissions.csv"
PER = ("whole", "node", "process")
_COLUMNS = {name: f"{name}_{unit.replace('/', '_').lower()}" for name, unit in PHASES.items()}
_ALSO = ("system", "filesystem", "submission", "version", "nodes", "procs", "score")
_HINT = f"the columns are those of {DEFAULT}"


@dataclass(frozen=True)
class SubmittedValue:
    """The value of a phase on the whole system, with its nodes and processes where they are known."""

    value: float
    nodes: int | None
    procs: int | None
    on_ime: bool = False

    def per(self) -> dict[str, float]:
        """The value by what it is divided by."""
        counts = zip(PER, (1, self.nodes, self.procs), strict=True)
        return {name: self.value / count for name, count in counts if count}


@dataclass(frozen=True)
class Submission:
    """One published result set."""

    result: Io500Result
    system: str
    filesystem: str

    @property
    def on_ime(self) -> bool:
        return re.search(r"\bIME", self.filesystem) is not None

    def value(self, phase: str) -> SubmittedValue:
        return SubmittedValue(
            self.result.phases[phase].value, self.result.nodes, self.result.procs, self.on_ime
        )


def read_submissions(file: Path) -> list[Submission]:
    hint = f"--submissions takes a table with the columns of {DEFAULT}"
    with reading(file, hint), file.open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        missing = [name for name in (*_COLUMNS.values(), *_ALSO) if name not in (reader.fieldnames or ())]
        if missing:
            raise InputError(f"the column {missing[0]} is missing", file=file, line=1, hint=_HINT)
        found = [_submission(row, file, reader.line_num) for row in reader]
    if not found:
        raise InputError("contains no submission", file=file, hint=_HINT)
    return found


def _submission(row: Mapping[str, str], file: Path, line: int) -> Submission:
    half_steps = _half_steps(row)
    phases = {
        name: Io500Phase(name, _number(row, column, file, line), half_steps[PHASES[name]])
        for name, column in _COLUMNS.items()
    }
    result = Io500Result(
        file,
        phases,
        Published(_number(row, "score", file, line)),
        row["version"],
        _count(row, "nodes", file, line),
        _count(row, "procs", file, line),
        row["submission"],
    )
    return Submission(result, row["system"], row["filesystem"])


def _half_steps(row: Mapping[str, str]) -> dict[str, float]:
    """Half of the last digit by unit. The table drops trailing zeros: the longest number has all digits."""
    found = {}
    for unit in set(PHASES.values()):
        texts = [row[column] or "" for name, column in _COLUMNS.items() if PHASES[name] == unit]
        found[unit] = 0.5 * 10.0 ** -max(len(text.partition(".")[2]) for text in texts)
    return found


def _number(row: Mapping[str, str], column: str, file: Path, line: int) -> float:
    return number_at_least_zero(row[column] or "an empty field", file, line, column)


def _count(row: Mapping[str, str], column: str, file: Path, line: int) -> int | None:
    if not row[column]:
        return None
    count = _number(row, column, file, line)
    if count < 1 or count != int(count):
        hint = "leave the field empty where the number is unknown"
        raise wrong_line(f"{row[column]} is not a positive whole number", file, line, column, hint)
    return int(count)


@dataclass(frozen=True)
class Percentile:
    """A value among the submissions for which the same value is known."""

    value: float
    percentile: float
    submissions: int
    below: int
    ime_below: int
    ime: int


def places(result: Io500Result, submissions: Sequence[Submission]) -> dict[str, dict[str, Percentile]]:
    """The standing of a valid result by phase."""
    return {
        name: places_among(
            SubmittedValue(result.phases[name].value, result.nodes, result.procs),
            [each.value(name) for each in submissions],
        )
        for name in PHASES
    }


def places_among(own: SubmittedValue, others: Sequence[SubmittedValue]) -> dict[str, Percentile]:
    """Standings of the whole system, per node and per process, where these are known on both sides."""
    values = [(each.per(), each.on_ime) for each in others]
    found = {}
    for per, value in own.per().items():
        if known := [(each[per], on_ime) for each, on_ime in values if per in each]:
            found[per] = _place(value, known)
    return found


def percentile(value: float, others: Sequence[float]) -> float:
    """The share of the others below the value in percent; equal ones count half."""
    below = sum(other < value for other in others)
    equal = sum(other == value for other in others)
    return 100 * (below + equal / 2) / len(others)


def _place(own: float, others: Sequence[tuple[float, bool]]) -> Percentile:
    """others: each with whether it is one of a system on IME."""
    ime = [value for value, on_ime in others if on_ime]
    return Percentile(
        own,
        percentile(own, [value for value, _ in others]),
        len(others),
        sum(value < own for value, _ in others),
        sum(value < own for value in ime),
        len(ime),
    )


_NAME, _WIDE, _ROW, _TOP = 170.0, 480.0, 26.0, 46.0
_COLORS = {"whole": GOOD, "node": "#d18a00", "process": NEUTRAL}
_LABELS = {"whole": "whole system", "node": "per node", "process": "per process"}
_IME_UP, _MARK_UP = 6.0, -4.0


def standing_figure(
    result: Io500Result, places: Mapping[str, Mapping[str, Percentile]], submissions: Sequence[Submission]
) -> str:
    """Grey ticks: the result sets on IME, by the value of the whole system."""
    height = _TOP + _ROW * len(PHASES) + 44
    parts = [
        box(0, 0, _NAME + _WIDE + 40, height, "white"),
        text(12, 18, f"{result.label} among {len(submissions)} published IO500 result sets", size=14),
    ]
    parts += _axis(height)
    for row, name in enumerate(PHASES):
        parts += _phase(_TOP + (row + 0.5) * _ROW, name, places[name], submissions)
    parts += _key(height - 12)
    return svg(_NAME + _WIDE + 40, height, "Percentiles among the IO500 submissions", parts) + "\n"


def _at(percent: float) -> float:
    return _NAME + _WIDE * percent / 100


def _axis(height: float) -> Iterator[str]:
    for percent in (0, 25, 50, 75, 100):
        yield line(_at(percent), _TOP, _at(percent), height - 40, PALE)
        yield text(_at(percent), _TOP - 8, f"{percent}", "middle", 11)
    yield text(_NAME - 8, _TOP - 8, "percentile", "end", 11)


def _phase(
    y: float, name: str, by: Mapping[str, Percentile], submissions: Sequence[Submission]
) -> Iterator[str]:
    yield text(_NAME - 8, y + 4, name.replace("_", " "), "end")
    values = [each.result.phases[name].value for each in submissions]
    for each, value in zip(submissions, values, strict=True):
        if each.on_ime:
            x = _at(percentile(value, values))
            yield line(x, y + _IME_UP - 4, x, y + _IME_UP + 4, BAD, 1.5)
    for per, place in by.items():
        yield dot(_at(place.percentile), y + _MARK_UP, _COLORS[per], hollow=per != "whole")


def _key(y: float) -> Iterator[str]:
    x = _NAME
    for per, label in _LABELS.items():
        yield dot(x, y - 4, _COLORS[per], hollow=per != "whole")
        yield text(x + 9, y, label, size=11)
        x += 108
    yield line(x, y - 8, x, y, BAD, 1.5)
    yield text(x + 7, y, "systems on IME", size=11, color=INK)
