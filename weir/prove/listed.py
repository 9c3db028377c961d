"""Entries of directories that programs read, as a search does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from weir.prove.killed import Process

_READS = ("readdir", "readdir64")
_NONE = {"entries": 0, "busy_ns": 0}


@dataclass(frozen=True)
class Listed:
    """A program has read so many entries; None: an older library did not count them, or another one answers
    such reads."""

    entries: int | None = 0
    busy_s: float = 0.0  # at least, of the process with most
    moved_bytes: int = 0


def listed_of(
    parts: Sequence[tuple[int, Mapping[str, Any]]], processes: Sequence[Process]
) -> dict[str, Listed]:
    """Adds up the entries by program. parts: of one mount, each with the number of its process."""
    found: dict[str, Listed] = {}
    for at, mount in parts:
        process = processes[at]
        name, listed = PurePath(process["program"] or "").name, mount.get("listed") or _NONE
        one = found.get(name, Listed())
        is_known = "listed" in mount and not any(call["call"] in _READS for call in process["calls"])
        found[name] = replace(
            one,
            entries=one.entries + listed["entries"] if is_known and one.entries is not None else None,
            busy_s=max(one.busy_s, listed["busy_ns"] / 1e9),
            moved_bytes=one.moved_bytes + mount["read_bytes"] + mount["written_bytes"],
        )
    return found


def searched(program: str, listed: Mapping[str, Listed]) -> Listed:
    """Finds the program of that name, else the one that moved most: IO500 searches in its own processes."""
    if not listed:
        return Listed(None)
    return listed.get(program) or max(listed.values(), key=lambda one: one.moved_bytes)


def most_listed(listed: Mapping[str, Listed]) -> int:
    return max((one.entries or 0 for one in listed.values()), default=0)
