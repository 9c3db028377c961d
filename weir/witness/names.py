"""Operations on names that libweir-witness counted, as observed facts of rows of metadata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from typing import Any

from weir.terms.model import Row

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
