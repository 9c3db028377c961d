"""The settings to choose from, as points with a distance."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Setting = Mapping[str, Any]


@dataclass(frozen=True)
class Space:
    """All settings; points has a row for each, with coordinates from 0 to 1."""

    settings: tuple[Setting, ...]
    points: Numbers
    axes: tuple[int, ...]  # number of the parameter that each coordinate belongs to
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.settings)


def make_space(settings: Sequence[Setting]) -> Space:
    """Numbers are ordered, by rank since sizes double; of other values each has a coordinate of its own."""
    names = tuple(settings[0])
    columns: list[list[float]] = []
    axes: list[int] = []
    for axis, name in enumerate(names):
        values = sorted({_plain(one[name]) for one in settings}, key=_order)
        ranks = {value: rank for rank, value in enumerate(values)}
        found = [ranks[_plain(one[name])] for one in settings]
        if len(values) <= 2 or all(isinstance(value, (int, float)) for value in values):
            columns.append([rank / max(len(values) - 1, 1) for rank in found])
            axes.append(axis)
        else:
            for each in range(len(values)):
                columns.append([float(rank == each) for rank in found])
                axes.append(axis)
    return Space(tuple(settings), np.array(columns, dtype=float).T, tuple(axes), names)


def _plain(value: Any) -> Any:
    """Hints and lists as text, so that they can be told apart."""
    return value if isinstance(value, (int, float, str)) else json.dumps(value, sort_keys=True)


def _order(value: Any) -> tuple[bool, Any]:
    return isinstance(value, str), value
