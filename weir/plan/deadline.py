"""Whether a program may start so short before the end of the allocation."""

from __future__ import annotations

# Between the end of the last program and that of the allocation: files are removed, run.json is written.
CLEAN_UP_S = 30.0


def fits(timeout_s: float, now: float, end: float | None) -> bool:
    """Whether a program may start now: even at its time limit it must end before the allocation does."""
    return end is None or now + timeout_s + CLEAN_UP_S <= end
