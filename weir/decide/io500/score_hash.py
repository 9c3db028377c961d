"""The hash with which the C application closes result.txt: a number that was edited no longer fits it.

Whoever edits on purpose can compute it as well: it proves no origin.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

_BITS_32 = 0xFFFFFFFF


@dataclass(frozen=True)
class ScoreHash:
    printed: int
    computed: tuple[int, ...]  # by each rule that a version of IO500 used

    @property
    def agrees(self) -> bool:
        return self.printed in self.computed


def hash_of(pairs: Iterable[tuple[str, str]]) -> int:
    """Hash of keys with values as they are printed; their order does not matter."""
    whole = 0
    for key, value in pairs:
        whole ^= _rotated_sum((key + value).encode())
    return whole


def _rotated_sum(text: bytes) -> int:
    found = 0
    for byte in text:
        found = (((found << 2) | (found >> 30)) + byte) & _BITS_32
    return found
