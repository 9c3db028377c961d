"""Whose the kernel's counts of a process are: it counts by process, and a process may use several mounts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from weir.audit.subject import FETCHED_SHARE
from weir.base.mounts import MEMORY_FILE_SYSTEMS
from weir.prove.pieces import BYTES, Counters, Kernel, Piece
from weir.prove.reports import Process, streamed_bytes

_SMALL = 0.05  # share of the bytes that another mount of the process, or calls that hide, may have moved
_FEW_BYTES = 1 << 16  # bytes of settings and the like, also where queues move the rest and no call shows it
_COUNTS = {"read": "read_bytes", "write": "write_bytes"}

Account = Mapping[str, Any]


def counted_by_kernel(piece: Piece, process: Process, account: Account) -> Kernel:
    """The kernel's counts for the process on the mount; none where they are not known."""
    before, after = piece.before["io"], piece.after["io"]
    if not before or not after:
        return Kernel()
    until = _until_the_next(piece, process, account)
    grown = {}
    for access, name in _COUNTS.items():
        is_own = _is_of_mount(piece, until["raw_ns"], process, account, access)
        grown[access] = is_own if is_own is None else is_own * max(until["io"][name] - before[name], 0)
    cancelled = None
    if grown["write"] is not None:
        cancelled = max(after["cancelled_write_bytes"] - before["cancelled_write_bytes"], 0)
    by_reads = grown["read"]
    if by_reads:
        began_bytes = piece.phase.get("fetched_before_bytes", before["read_bytes"])
        by_reads = _by_reads(piece, max(until["io"]["read_bytes"] - began_bytes, 0), process)
    return Kernel(grown["read"], by_reads, grown["write"], cancelled)


def _by_reads(piece: Piece, fetched: int, process: Process) -> int | None:
    """The bytes fetched for reads since the first one; None where mappings, streams or queues of the process
    may have fetched them instead."""
    read = piece.phase.get("read_bytes", 0)
    hidden = _hidden_bytes(process)
    enough = FETCHED_SHARE * read
    is_clear = hidden <= _SMALL * read or fetched - hidden >= enough or fetched < enough
    return (fetched if is_clear else None) if read else 0


def _hidden_bytes(process: Process) -> float:
    """An upper bound of what was fetched by no call that was seen."""
    used = [one for one in process["mounts"] if one["file_system"] not in MEMORY_FILE_SYSTEMS]
    if process["rings"] and any(one["opens"] for one in used):
        return math.inf
    streams = streamed_bytes(process)[0] if any(one["stdio_opens"] for one in used) else 0
    return float(streams + sum(one.get("mapped_bytes", 0) for one in used))


def _is_of_mount(piece: Piece, until_ns: int, process: Process, account: Account, access: str) -> bool | None:
    """None: of several. File systems that one release of the kernel counts and another one does not, such as
    FUSE, may have it all, whatever is known of them."""
    others = list(_others(process, account))
    own_bytes = _called(account, access, piece, until_ns)
    others_bytes = sum(_called(one, access, piece, until_ns) for one in others)
    is_own_little = own_bytes <= max(_SMALL * others_bytes, _FEW_BYTES)
    is_others_little = others_bytes <= max(_SMALL * own_bytes, _FEW_BYTES)
    passes = _passes_calls(process, account)
    if is_own_little and is_others_little:  # no call moved it
        return passes or not any(_passes_calls(process, one) for one in others)
    return True if is_others_little else None if passes or not is_own_little else False


def _until_the_next(piece: Piece, process: Process, account: Account) -> Counters:
    """The counters before the process used another mount: bytes that it moves there are not of this one."""
    if not piece.phase:
        return piece.after
    looks = [phase["before"] for one in _others(process, account) for phase in one["phases"]]
    ended_ns, until_ns = piece.phase["last_ns"], piece.after["raw_ns"]
    later = [look for look in looks if look["io"] and ended_ns <= look["raw_ns"] < until_ns]
    return min(later, key=lambda look: int(look["raw_ns"]), default=piece.after)


def _others(process: Process, account: Account) -> Iterator[Account]:
    """Mounts of the process that the kernel may count, too: not memory. The account may be a changed copy."""
    names = ("point", "file_system", "source")
    for one in process["mounts"]:
        is_same = all(one[name] == account[name] for name in names)
        if not is_same and one["file_system"] not in MEMORY_FILE_SYSTEMS:
            yield one


def _called(account: Account, access: str, piece: Piece, until_ns: float) -> int:
    """Bytes of calls on a mount between the two moments of the piece."""
    from_ns = piece.before["raw_ns"]
    until_ns = until_ns if until_ns > from_ns else math.inf
    found = [one for one in account["phases"] if one["first_ns"] < until_ns and one["last_ns"] > from_ns]
    return sum(one[BYTES[access]] for one in found)


def _passes_calls(process: Process, account: Account) -> bool:
    """It may have moved bytes on the mount by no call that was seen."""
    by_queues = process["rings"] and account["opens"]
    return bool(by_queues or account["mappings"] or account["stdio_opens"])
