"""Spans of data and operations on names: what the calls of a program did, as libweir-witness counts them.

Told are the bytes that they moved, the offsets they went to, and whether the files in memory have them; their
pauses and halts, and the errors of the clocks that programs read.
"""

from collections.abc import Collection, Mapping, Sequence
from math import log
from typing import Any

from weir.records.model import Row

# The witness's name for the operation of a row of metadata on each item.
_KINDS: Mapping[tuple[str, str], str] = {
    ("create", "file"): "create",
    ("create", "directory"): "mkdir",
    ("stat", "file"): "stat",
    ("stat", "directory"): "stat",
    ("read", "file"): "open",
    ("rename", "directory"): "rename",
    ("remove", "file"): "unlink",
    ("remove", "directory"): "rmdir",
}
# Directories of the tree are made and removed beside the items, and the ranks wait in between.
_WITH_TREES = ("mkdir", "rmdir")
_ENTRIES = ("sampled", "there", "cached_files", "unwritten_bytes")
_LOOKED_UP = ("create", "mkdir", "unlink", "rmdir")

Process = Mapping[str, Any]
Turn = Mapping[str, Any]


def kind_of(row: Row) -> str | None:
    """The witness's name for the operations of a row; None for a row of data."""
    return _KINDS.get((str(row.get("access")), str(row.get("item"))))


def total_of(row: Row, processes: Mapping[int, Process], iterations: int) -> dict[str, Any]:
    """Operations of the row's kind on all ranks in an iteration, whatever it was that was named."""
    kind = kind_of(row)
    counts = [process["names"][kind] for process in processes.values() if "names" in process]
    return {"called_operations": sum(counts) // iterations} if len(counts) == len(processes) else {}


def turns_of(row: Row, processes: Mapping[int, Process], iterations: int) -> dict[int, Turn]:
    """The turn of each rank in the row's iteration; none where they cannot be told apart."""
    kind, ops = kind_of(row), row.get("ops")
    found = {}
    for rank, process in processes.items():
        least = int(ops or 1) // len(processes)
        turns = [one for one in process.get("turns", ()) if one["kind"] == kind]
        turns = [one for one in turns if one["operations"] >= max(least, 1)]
        if len(turns) == iterations and not process["more_turns"]:
            found[rank] = turns[row["iteration"]]
    return found if len(found) == len(processes) else {}


def facts_of_turns(row: Row, turns: Sequence[Turn]) -> dict[str, Any]:
    """The facts that the turns of all ranks show."""
    kind = kind_of(row)
    named = distinct([turn.get("named") for turn in turns])
    facts: dict[str, Any] = {"named": named} if named else {}
    if kind in _LOOKED_UP:
        facts["entries"] = {name: sum(turn[name] for turn in turns) for name in _ENTRIES}
    least = int(row.get("ops") or 1) // len(turns)
    # A look at a directory beside the stats, and the wait for other ranks after it, is in their turn.
    is_apart = kind != "stat" or all(turn["operations"] == least for turn in turns)
    if kind not in _WITH_TREES and is_apart:
        lengths = [turn["span"]["transfers_end_ns"] - turn["span"]["began_ns"] for turn in turns]
        facts["shortest_span_s"] = min(lengths) / 1e9
    if kind == "create":
        facts["sync_calls"] = sum(turn["span"]["syncs"] for turn in turns)
        facts["called_bytes"] = sum(turn["span"]["written_bytes"] for turn in turns)
    return facts


def distinct(counted: Sequence[Mapping[str, int] | None]) -> dict[str, int] | None:
    """Calls of all ranks, and about how many places or names they had; None where one is not known, or where
    no slot is left empty."""
    known = [one for one in counted if one is not None and one["calls"]]
    if len(known) < len(counted) or any(one["unplaced"] or one["marked"] >= one["slots"] for one in known):
        return None
    about = sum(-one["slots"] * log(1 - one["marked"] / one["slots"]) for one in known)
    return {"calls": sum(one["calls"] for one in known), "distinct": round(about)}


MOVED = {"write": "written_bytes", "read": "read_bytes"}

Span = Mapping[str, Any]


def called(spans: Sequence[Span], access: str) -> int:
    """The bytes of calls that came to the kernel, whose count is of all files: a filter of system calls with
    a listener answers before it and leaves fewer there. Older libraries do not count them."""
    seen, key = sum(span[MOVED[access]] for span in spans), f"system_{MOVED[access]}"
    return int(min(seen, sum(span[key] for span in spans)) if all(key in span for span in spans) else seen)


def places(spans: Sequence[Span], access: str) -> dict[str, Any]:
    """Distinct places of all ranks; nothing where a position is not known, or where no slot is left empty."""
    found = distinct([span.get(f"{access}_places") for span in spans])
    return {"places": found} if found else {}


def contents(spans: Sequence[Span], access: str) -> dict[str, Any]:
    """The comparison of files in memory with the calls; older libraries do not look."""
    seen = [span.get(f"{access}_places") or {} for span in spans]
    sums = {name: sum(one.get(name, 0) for one in seen) for name in ("looked", "differing")}
    return {"contents": sums} if sums["looked"] else {}


def in_files(spans: Sequence[Span]) -> int:
    """The bytes that the calls of a write moved, less the share that the files do not have."""
    written, seen = sum(span["written_bytes"] for span in spans), contents(spans, "write").get("contents")
    return int(written * (1 - seen["differing"] / seen["looked"])) if seen else written


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
