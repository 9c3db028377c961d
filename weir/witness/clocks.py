"""The times of spans: pauses, halts, and the errors of the clocks that programs read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from weir.witness.moved import Span

_TELLING_NS = 1_000_000  # shortest time in which a clock error of 1 % is visible


def paused_s(spans: Collection[Sequence[Span]]) -> float | None:
    """The pause of the rank that paused most; None for reports of older libraries."""
    if any("paused_ns" not in span for part in spans for span in part):
        return None
    return max((sum(span["paused_ns"] for span in part) for part in spans), default=0) / 1e9


def longest_halt_s(spans: Collection[Sequence[Span]]) -> float | None:
    """The longest halt of the rank where it is shortest, so that all of them stood still; None for reports of
    older libraries. The bytes moved in the end would have taken their time anyway, at the mean of the
    span."""
    if any("halt_ns" not in span for part in spans for span in part):
        return None
    longest = [max(map(_halt_s, part)) for part in spans if any(map(_moved, part))]
    return min(longest, default=None)


def _moved(span: Span) -> int:
    return int(span["read_bytes"] + span["written_bytes"])


def _halt_s(span: Span) -> float:
    lasted_ns = span["transfers_end_ns"] - span["began_ns"]
    usual_ns = span["halt_bytes"] * lasted_ns / max(_moved(span), 1)
    return float(max(span["halt_ns"] - usual_ns, 0) / 1e9)


def clocks(spans: Sequence[Span]) -> dict[str, Any]:
    """The errors of the two clocks that programs read, the worst of all ranks; without what may have come
    between the readings of the clocks, such as another process on the same core.

    clock_error: of the clock that nobody sets, as a share; wall_clock: of the time of day, with the span.
    """
    telling = [span for span in spans if span["ended_ns"] - span["began_ns"] >= _TELLING_NS]
    if not telling:
        return {"clock_error": None, "wall_clock": None}
    lengths_ns = [span["ended_ns"] - span["began_ns"] for span in telling]
    steady_ns = [_off_ns(span, "monotonic_ns") for span in telling]
    walls_ns = [(_off_ns(span, "wall_ns"), length) for span, length in zip(telling, lengths_ns, strict=True)]
    worst_ns, length_ns = max(walls_ns, key=lambda each: abs(each[0]) / each[1])
    return {
        "clock_error": max(abs(off) / length for off, length in zip(steady_ns, lengths_ns, strict=True)),
        "wall_clock": {"off_s": worst_ns / 1e9, "span_s": length_ns / 1e9},
    }


def _off_ns(span: Span, clock: str) -> int:
    """The time by which the span is longer by this clock than by the kernel's, beyond what came between."""
    off_ns: int = span[clock] - (span["ended_ns"] - span["began_ns"])
    certain_ns: int = max(abs(off_ns) - span.get("apart_ns", 0), 0)
    return certain_ns if off_ns > 0 else -certain_ns
