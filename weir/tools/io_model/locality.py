"""The position of the next operation: off0, seq, rnd, rndX, strideX, strideX,Y, reverseX."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

FORMS = "off0, seq, rnd, rndX, strideX, strideX,Y or reverseX, X and Y in bytes or with k, m, g"
_SIZE = r"([0-9]+[kmgtKMGT]?)"
_FORM = re.compile(rf"off0|seq|rnd|rnd{_SIZE}|stride{_SIZE}(?:,{_SIZE})?|reverse{_SIZE}?")
_SHIFTS = {"k": 10, "m": 20, "g": 30, "t": 40}


@dataclass(frozen=True)
class Locality:
    """A locality as written; reach_bytes is the larger of X and Y."""

    word: str
    reach_bytes: int

    @property
    def is_random(self) -> bool:
        return self.word.startswith("rnd") or "," in self.word


def parse_locality(word: str) -> Locality | None:
    """Nothing where it is none."""
    match = _FORM.fullmatch(word)
    if match is None:
        return None
    return Locality(word, max((_bytes(size) for size in match.groups() if size), default=0))


def file_locality(params: Mapping[str, Any]) -> str:
    """The one that was given, else that of the order."""
    by_order = "rnd" if params["order"] == "random" else "seq"
    return by_order if params["locality"] == "auto" else str(params["locality"])


def _bytes(size: str) -> int:
    unit = size[-1].lower()
    return int(size[:-1]) << _SHIFTS[unit] if unit in _SHIFTS else int(size)
