"""A table of measurements instead of a machine: each setting is looked up instead of measured."""

from __future__ import annotations

import csv
import math
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weir.base.errors import WeirError, did_you_mean
from weir.decide.compare.sides import records_file
from weir.decide.tune.search import Space, make_space
from weir.records.table import DAMAGED, damage_named
from weir.terms.columns import cell_columns

_MOST_NAMES = 6  # names in a message


@dataclass(frozen=True)
class Replay:
    """The settings of a table with all their measurements."""

    space: Space
    values: tuple[tuple[float, ...], ...]

    def score(self, number: int) -> float:
        """The median: what an experiment with as many rounds would report."""
        return statistics.median(self.values[number])

    @property
    def best(self) -> float:
        return max(self.score(number) for number in range(len(self.values)))


def read_replay(path: Path, moving: Sequence[str], where: Mapping[str, str], value: str) -> Replay:
    """where: columns with the only value that counts."""
    path = records_file(path)
    with (
        path.open(newline="", encoding="utf-8") as stream,
        damage_named(path, (reader := csv.DictReader(stream)).reader),
    ):
        known = reader.fieldnames or ()
        _check_columns(path, known, (*moving, *where, value))
        rows = [(reader.line_num, _whole(path, reader.line_num, row)) for row in reader]
    fitting = [(line, row) for line, row in rows if all(row[name] == one for name, one in where.items())]
    if rows and not fitting:
        raise _no_line(path, [row for _, row in rows], where)
    found: dict[tuple[Any, ...], list[float]] = defaultdict(list)
    others = [name for name in ("access", *cell_columns()) if name in known and name not in (*moving, *where)]
    joined: dict[tuple[Any, ...], set[tuple[str, ...]]] = defaultdict(set)
    for line, row in fitting:
        if row[value] and row.get("verdict") not in ("INVALID", "DEGRADED"):
            setting = tuple(_typed(row[name]) for name in moving)
            found[setting].append(_number(row[value], path, line, value))
            joined[setting].add(tuple(row[name] for name in others))
    _warn_of_joined(path, others, joined.values())
    if len(found) < 2:
        raise _no_choice(path, found, moving, value)
    settings = [dict(zip(moving, key, strict=True)) for key in found]
    return Replay(make_space(settings), tuple(tuple(values) for values in found.values()))


def _check_columns(path: Path, known: Sequence[str], names: Iterable[str]) -> None:
    if not known:
        raise WeirError("is empty", file=str(path), hint="give a CSV file with a header", exit_code=2)
    if len(known) < 2:
        hint = "name the records.csv of a study, or its folder"
        raise WeirError("is not a table: its first line has one name", file=str(path), hint=hint, exit_code=2)
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known)
            raise WeirError("is not a column", file=str(path), line=1, key=name, hint=hint, exit_code=2)


def _whole(path: Path, line: int, row: dict[str, str]) -> dict[str, str]:
    if None in row or None in row.values():
        message = "has more or fewer fields than the header"
        raise WeirError(message, file=str(path), line=line, hint=DAMAGED, exit_code=2)
    return row


def _number(text: str, path: Path, line: int, value: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        hint = "--value names a column of numbers, such as bw_mib_s"
        message = f"'{text}' is not a number"
        raise WeirError(message, file=str(path), line=line, key=value, hint=hint, exit_code=2)
    return number


def _no_line(path: Path, rows: Sequence[Mapping[str, str]], where: Mapping[str, str]) -> WeirError:
    """The column of --where that has no such value, or all of them together."""
    for name, wanted in where.items():
        values = sorted({row[name] for row in rows})
        if wanted not in values:
            key = f"--where {name}"
            message = f"no line has {name} {wanted}"
            hint = did_you_mean(wanted, values)
            return WeirError(message, file=str(path), key=key, value=wanted, hint=hint, exit_code=2)
    text = ", ".join(f"{name} {wanted}" for name, wanted in where.items())
    hint = "leave one of them out"
    return WeirError(f"no line has {text} together", file=str(path), key="--where", hint=hint, exit_code=2)


def _no_choice(path: Path, found: Iterable[tuple[Any, ...]], moving: Sequence[str], value: str) -> WeirError:
    settings = [", ".join(f"{name} {one}" for name, one in zip(moving, key, strict=True)) for key in found]
    if settings:
        message, key = f"has one setting alone: {settings[0]}", "--move"
        hint = "name a column with several values, or fix fewer columns by --where"
    else:
        message, key = f"has no line with a valid {value}", "--value"
        hint = "lines that are INVALID, DEGRADED or have no value do not count"
    return WeirError(message, file=str(path), key=key, hint=hint, exit_code=2)


def _warn_of_joined(path: Path, others: Sequence[str], settings: Iterable[Iterable[tuple[str, ...]]]) -> None:
    """The median of unlike cells, as of several numbers of nodes, may be best by their mix."""
    values = [list(zip(*cells, strict=True)) for cells in settings]
    mixed = [name for at, name in enumerate(others) if any(len(set(one[at])) > 1 for one in values)]
    if mixed:
        more = f" and {len(mixed) - _MOST_NAMES} more" if len(mixed) > _MOST_NAMES else ""
        text = f"a setting joins different values of {', '.join(mixed[:_MOST_NAMES])}{more}"
        hint = f"fix each, such as --where {mixed[0]}=VALUE, or let it change: --move {mixed[0]}"
        print(f"weir: {path}: {text}\n    hint: {hint}", file=sys.stderr)


def _typed(text: str) -> Any:
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return text
