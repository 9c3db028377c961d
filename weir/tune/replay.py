"""A table of measurements instead of a machine: each setting is looked up instead of measured."""

from __future__ import annotations

import csv
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weir.columns import cell_columns
from weir.compare.sides import records_file
from weir.errors import WeirError, did_you_mean
from weir.records.table import damage_named
from weir.tune.space import Space, make_space


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
        if not known:
            raise WeirError("is empty", file=str(path), hint="give a CSV file with a header", exit_code=2)
        for name in (*moving, *where, value):
            if name not in known:
                hint = did_you_mean(name, known)
                raise WeirError("is not a column", file=str(path), line=1, key=name, hint=hint, exit_code=2)
        found: dict[tuple[Any, ...], list[float]] = defaultdict(list)
        others = [name for name in cell_columns() if name in known and name not in (*moving, *where)]
        joined: dict[tuple[Any, ...], set[tuple[str, ...]]] = defaultdict(set)
        for row in reader:
            fits = all(row[name] == wanted for name, wanted in where.items())
            if fits and row[value] and row.get("verdict") not in ("INVALID", "DEGRADED"):
                setting = tuple(_typed(row[name]) for name in moving)
                found[setting].append(float(row[value]))
                joined[setting].add(tuple(row[name] for name in others))
    _warn_of_joined(path, others, joined.values())
    if len(found) < 2:
        message = f"has {len(found)} settings to choose from"
        raise WeirError(message, file=str(path), hint="look at --move and --where", exit_code=2)
    settings = [dict(zip(moving, key, strict=True)) for key in found]
    return Replay(make_space(settings), tuple(tuple(values) for values in found.values()))


def _warn_of_joined(path: Path, others: Sequence[str], settings: Iterable[Iterable[tuple[str, ...]]]) -> None:
    """The median of unlike cells, as of several numbers of nodes, may be best by their mix."""
    values = [list(zip(*cells, strict=True)) for cells in settings]
    mixed = [name for at, name in enumerate(others) if any(len(set(one[at])) > 1 for one in values)]
    if mixed:
        text = f"a setting joins different values of {', '.join(mixed)}"
        hint = f"fix each, such as --where {mixed[0]}=VALUE, or let it change: --move {mixed[0]}"
        print(f"weir: {path}: {text}\n    hint: {hint}", file=sys.stderr)


def _typed(text: str) -> Any:
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return text
