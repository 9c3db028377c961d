"""Series: the same cell measured again and again, a value for each campaign."""

import csv
import statistics
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from math import log
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weir.base.errors import InputError, WeirError, require_known
from weir.collect.metrics import Metric, metric_named
from weir.collect.table import damage_named
from weir.decide.compare.pairs import IDENTITY, RESERVED
from weir.records.columns import columns, columns_of_role
from weir.records.model import Row

Numbers = NDArray[np.float64]
_LOOKED_AT = 5000  # rows, for columns that tell series apart
_FEWEST_TIMES = 3
_USUAL = 3  # times the median time from one value to the next
_MOST_TEXTS = 50  # values of such a column
_UNUSED = ("INVALID", RESERVED)

Key = tuple[str, str]  # system, and the name within it
Cell = tuple[str, str]  # cell and access


@dataclass(frozen=True)
class Series:
    """Values in the order of their times; logs are natural logarithms, since slowdowns are ratios."""

    name: str
    times: Numbers  # seconds since 1970
    logs: Numbers
    higher_is_better: bool = True
    system: str = ""  # series of one that move together have one cause
    unit: str = ""
    emulated: bool = False
    cells: tuple[Cell, ...] = ()  # whose records it is of, the newest last

    def __len__(self) -> int:
        return len(self.times)

    def day(self, index: int) -> str:
        return datetime.fromtimestamp(float(self.times[index]), UTC).date().isoformat()


@dataclass
class _Found:
    """The values of a series, and the facts about it in its records."""

    unit: str = ""
    emulated: bool = False
    cells: dict[Cell, None] = field(default_factory=dict)
    points: list[tuple[float, float]] = field(default_factory=list)  # time, value

    def take(self, row: Row, unit: str) -> None:
        cell = str(row["cell"]), str(row["access"])
        self.cells.pop(cell, None)  # the newest stands last
        self.cells[cell] = None
        self.unit, self.emulated = unit, self.emulated or bool(row.get("emulated"))


def _series(found: Mapping[Key, _Found], metric: Metric) -> list[Series]:
    """Values that are not positive have no ratio and are not used."""
    made = []
    for (system, name), one in sorted(found.items(), key=lambda each: each[0]):
        kept = sorted((time, log(value)) for time, value in one.points if value > 0)
        if kept:
            times, logs = map(np.array, zip(*kept, strict=True))
            about = system, one.unit, one.emulated, tuple(one.cells)
            made.append(Series(name, times, logs, metric.higher_is_better, *about))
    return made


def from_campaigns(
    campaigns: Iterable[Sequence[Row]], metric: Metric, name_of: Callable[[Row], str]
) -> list[Series]:
    """One point for each campaign, site and name: the median of its rounds, at the time of the first of
    them."""
    found: dict[Key, _Found] = defaultdict(_Found)
    for rows in campaigns:
        rounds: dict[Key, list[tuple[float, float]]] = defaultdict(list)
        # A record without a time, of a program that printed none, gets the first time of its campaign.
        first = min((seconds_of(row) for row in rows if row.get("began")), default=0.0)
        for row in rows:
            value = metric.of(row)
            if value is not None and row["verdict"] not in _UNUSED:
                key = str(row.get("site") or ""), name_of(row)
                rounds[key].append((seconds_of(row) if row.get("began") else first, value))
                found[key].take(row, metric.unit_of(row))
        for key, values in rounds.items():
            median = statistics.median(value for _, value in values)
            found[key].points.append((min(time for time, _ in values), median))
    return _series(found, metric)


def of_cells(campaigns: Iterable[Sequence[Row]], metric: Metric) -> list[Series]:
    """A series for each cell and access of a site; its name has the mark of emulated storage, and the site
    where there are several."""
    parameters = columns_of_role("parameter")
    all_rows = list(campaigns)
    apart = _apart(all_rows, parameters)

    def name_of(row: Row) -> str:
        name = _name(row, parameters)
        return apart.get((str(row.get("site") or ""), name, str(row["cell"])), name)

    every = from_campaigns(all_rows, metric, name_of)
    several = len({one.system for one in every}) > 1

    def shown(one: Series) -> str:
        name = f"{one.name} (E)" if one.emulated else one.name
        return f"{name} at {one.system}" if several and one.system else name

    return [replace(one, name=shown(one)) for one in every]


def stopped(every: Iterable[Series]) -> list[tuple[Series, str]]:
    """Series without a value for longer than ever before, with the last day of their system.

    A cell that became slow may have been excluded, or have got another name."""
    known = [one for one in every if len(one) >= _FEWEST_TIMES]
    newest = {one.system: one for one in sorted(known, key=lambda one: float(one.times[-1]))}
    found = []
    for one in known:
        last, gaps = newest[one.system], np.diff(one.times)
        if last.times[-1] - one.times[-1] > max(_USUAL * float(np.median(gaps)), float(gaps.max())):
            found.append((one, last.day(len(last) - 1)))
    return found


def _apart(campaigns: Iterable[Sequence[Row]], parameters: Sequence[str]) -> dict[tuple[str, ...], str]:
    """Names of cells that a campaign has beside others of one label, as logs whose label has no options: with
    the parameters in which they differ. By site, name and cell."""
    cells: dict[Key, dict[str, Row]] = defaultdict(dict)
    beside: set[Key] = set()
    for rows in campaigns:
        here: dict[Key, dict[str, Row]] = defaultdict(dict)
        for row in rows:
            here[str(row.get("site") or ""), _name(row, parameters)][str(row["cell"])] = row
        for key, found in here.items():
            cells[key] |= found
            beside |= {key} if len(found) > 1 else set()
    names: dict[tuple[str, ...], str] = {}
    for key in beside:
        values = {cell: [str(row.get(name)) for name in parameters] for cell, row in cells[key].items()}
        differ = [len(set(column)) > 1 for column in zip(*values.values(), strict=True)]
        for cell, mine in values.items():
            told = [f"{name} {mine[at]}" for at, name in enumerate(parameters) if differ[at]]
            is_told = sum(mine == other for other in values.values()) == 1
            names[(*key, cell)] = " ".join([key[1], *told, *([] if is_told else [cell])])
    return names


def _name(row: Row, parameters: Sequence[str]) -> str:
    """The name that a reader knows for the cell at its site, made unique by every parameter it has."""
    if row.get("label"):
        return f"{row['access']} {row['label']} ({row.get('stack')})"
    values = [row.get(name) for name in (*IDENTITY, *parameters) if name != "site"]
    return " ".join(str(value) for value in values if value is not None)


def seconds_of(row: Row) -> float:
    began = row.get("began")
    try:
        return datetime.fromisoformat(str(began)).timestamp()
    except ValueError:
        raise WeirError(
            "a history needs the time of each record",
            key="began",
            value=began,
            hint="records of `weir collect` have it as ISO 8601",
        ) from None


def from_table(
    path: Path, keys: Sequence[str], time: str, value: str, metric: str = "rate", unit: str = ""
) -> list[Series]:
    """Series of any CSV file: keys name the columns that tell series apart, the first of them the system.
    unit: that of the values, if their column is not one of a record."""
    column = columns().get(value)
    # The name of a column is not read as a unit.
    unit = unit or (column.unit if column else "") or f"({value})"
    # Columns are read by position, so that a table of a million rows takes seconds.
    with path.open(newline="", encoding="utf-8") as stream, damage_named(path, reader := csv.reader(stream)):
        known = next(reader, [])
        if not known:
            raise InputError("is empty", file=path, hint="give a CSV file with a header")
        require_known((*keys, time, value), known, "is not a column", file=path)
        at_keys, at_time, at_value = [known.index(key) for key in keys], known.index(time), known.index(value)
        found: dict[Key, _Found] = defaultdict(lambda: _Found(unit))
        first_rows: list[list[str]] = []
        for row in reader:
            if len(first_rows) < _LOOKED_AT:
                first_rows.append(row)
            if len(row) == len(known) and row[at_value]:
                key = row[at_keys[0]], " ".join([row[at] for at in at_keys])
                try:
                    found[key].points.append((float(row[at_time]), float(row[at_value])))
                except ValueError:
                    raise _not_a_number(
                        dict(zip(known, row, strict=True)), (time, value), path, reader
                    ) from None
    if names := _telling_columns(first_rows, known, keys, at_keys):
        text = f"a series of --key {' '.join(keys)} joins different values of {', '.join(names)}"
        print(f"weir: {path}: {text}\n    hint: add --key {' --key '.join(names)}", file=sys.stderr)
    made = _series(found, metric_named(metric))
    if not made:
        hint = "a header alone, or no value above zero: look at --value and --time"
        raise InputError("has no series", file=path, key=value, hint=hint)
    return made


def _telling_columns(
    rows: Sequence[Sequence[str]], known: Sequence[str], keys: Sequence[str], at_keys: Sequence[int]
) -> list[str]:
    """Columns of text with several values within one series: they may be several series."""
    whole = [row for row in rows if len(row) == len(known)]
    found = []
    for at, name in enumerate(known):
        texts = {row[at] for row in whole}
        if name in keys or not 1 < len(texts) <= _MOST_TEXTS or not all(text[:1].isalpha() for text in texts):
            continue
        pairs = {(tuple(row[key] for key in at_keys), row[at]) for row in whole}
        if len({series for series, _ in pairs}) < len(pairs):
            found.append(name)
    return found


def _not_a_number(row: Mapping[str, str], names: Sequence[str], path: Path, reader: Any) -> WeirError:
    """The error that names the column without a number."""
    for name in names:
        try:
            float(row[name])
        except ValueError:
            break
    return InputError("is not a number", file=path, line=reader.line_num, key=name, value=row[name])
