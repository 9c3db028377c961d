"""The mount of a result, where several have calls of its kind."""

from __future__ import annotations

from collections.abc import Sequence

from weir.prove.mounts import Mount
from weir.terms.model import Row

_EXACT = 0.001
_TIME_SHARE = 0.8  # as shorter-than-its-calls has it


def mount_of_bytes(row: Row, access: str, mounts: Sequence[Mount]) -> Mount | None:
    """That on which a process moved just as many bytes as the result has; of several such the one where it
    took longest of those that the time of the result allows. None where there is none."""
    moved, total_s = row.get("moved_bytes"), row.get("total_s")
    if not moved:
        return None
    found = [
        (mount, part)
        for mount in mounts
        for phase in mount.phases
        for part in phase.parts
        if abs(part.moved[access] - moved) <= _EXACT * moved
    ]
    if len({id(mount) for mount, _ in found}) == 1:
        return found[0][0]
    for kinds in ("write+sync", "write") if access == "write" else ("read",):
        spent = [(part.inside_ns[kinds] / 1e9, at) for at, (_, part) in enumerate(found)]
        possible = [one for one in spent if total_s and total_s >= _TIME_SHARE * one[0]]
        if possible:
            return found[max(possible)[1]][0]
    return None
