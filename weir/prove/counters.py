"""Counts for a mount: its devices and servers by node, the control groups and processors of its processes,
and the entries of directories that they read, as a search does.

Where the bytes of a mount are in memory, its devices tell nothing of a storage. The kernel counts by process,
and a process may use several mounts: whose its counts are is decided here.
"""

import math
import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

from weir.audit.subject import FETCHED_SHARE, IN_MEMORY
from weir.base.mounts import MEMORY_FILE_SYSTEMS, mount_of
from weir.measure.machine.devices import devices_below, memory_below
from weir.prove.pieces import BYTES, Counters, Kernel, Piece
from weir.prove.reports import Process, streamed_bytes
from weir.witness.nodes import groups, growth_of, most_of, processors, summed_of

_DEVICE_COUNTS = 5  # older libraries have 4


def _by(name: str, pieces: Sequence[Piece]) -> Iterator[list[Piece]]:
    for value in dict.fromkeys(getattr(piece, name) for piece in pieces):
        yield [piece for piece in pieces if getattr(piece, name) == value]


def device_of(pieces: Sequence[Piece]) -> tuple[int, ...] | None:
    total = [0] * _DEVICE_COUNTS
    for part in _by("disk", pieces):
        before = [piece.before["device"] for piece in part if piece.before["device"]]
        after = [piece.after["device"] for piece in part if piece.after["device"]]
        if not before or not after:
            return None
        grown = zip(map(max, zip(*after, strict=True)), map(min, zip(*before, strict=True)), strict=True)
        total = [sum + high - low for sum, (high, low) in zip(total, grown, strict=False)]
    return tuple(total)


def servers_of(pieces: Sequence[Piece]) -> tuple[tuple[int | None, ...], ...]:
    """The growth by observer: on every node that of the process which saw most of it."""
    hosts = []
    for part in _by("host", pieces):
        looks = [(piece.before["servers"], piece.after["servers"]) for piece in part]
        if grown := [growth_of(*pair) for pair in looks if pair[0]]:
            hosts.append(most_of(grown))
    return tuple(map(tuple, summed_of(hosts)))


def group_of(
    mount: Mapping[str, Any], users: Sequence[Process], held: Mapping[str, float] | None
) -> Mapping[str, Any] | None:
    """The group with the limits of the devices below the mount; none of another node, whose devices are not
    known here. held: shares of the time in which something held processes of the node back."""
    group: dict[str, Any] | None = groups(users).get("group")
    if group is None:
        return None
    here = all(one["host"] == socket.gethostname() for one in users)
    devices = devices_below(Path(mount["point"] or "/")) if group["block_limits"] and here else set()
    group["block_limits"] = [one for one in group["block_limits"] if one["device"] in devices]
    return group | {"is_below": True, **(held or {})}


def processors_of(users: Sequence[Process]) -> Mapping[str, int] | None:
    """Counts the processors of the ranks, beside those of weir itself: the launcher had them."""
    found: dict[str, int] | None = processors(users).get("processors")
    return found and found | {"cores": len(os.sched_getaffinity(0))}


def unwritten_of(looks: Sequence[tuple[int | None, Mapping[str, Any] | None]]) -> Mapping[str, Any] | None:
    """The look at the file with most pages to write back. Of several at one file, the one with the fewest:
    another process may write to it after one synchronised it."""
    least: dict[int | None, Mapping[str, Any]] = {}
    for inode, look in looks:
        if look is not None:
            before = least.get(inode)
            fewest = look if before is None or _left(look) < _left(before) else before
            least[inode] = {**fewest, "is_shared": before is not None}
    return max(least.values(), key=_left, default=None)


def _left(look: Mapping[str, Any]) -> int:
    return int(look["dirty_bytes"] + look["writeback_bytes"])


def in_memory(mount: Mapping[str, Any], host: str) -> str | None:
    """The reason why the bytes of a mount are in memory. It is None elsewhere, and where nobody can look: on
    another node, in another namespace, or after an unmount that the library did not see."""
    point = mount["point"] or "/"
    if (mount["device"] or "").endswith(IN_MEMORY):  # as the library saw it, in its own namespace
        return f"the bytes are in memory: {mount['device'].removesuffix(IN_MEMORY)}"
    if mount["device"] is None or host != socket.gethostname():
        return None
    if not is_here(point, mount["file_system"]):
        return None
    where = memory_below(Path(point))
    return where and f"the bytes are in memory: {where}"


def is_here(point: str, file_system: str | None) -> bool:
    """Whether weir has the mount that the program had at that point."""
    here = mount_of(Path(point))
    return here is not None and (here["mount_point"], here["type"]) == (point, file_system)


def without_device(mount: Mapping[str, Any], reason: str) -> dict[str, Any]:
    """The account of a mount as if its device had no counters."""
    phases = [{**phase, "before": _cleared(phase["before"])} for phase in mount["phases"]]
    ends = {name: _cleared(mount[name]) for name in ("start", "end")}
    return {**mount, "device": None, "device_reason": reason, "phases": phases, **ends}


def _cleared(counters: Mapping[str, Any]) -> dict[str, Any]:
    return {**counters, "device": None}


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
        ended_bytes = min(piece.phase.get("fetched_after_bytes", math.inf), until["io"]["read_bytes"])
        by_reads = _by_reads(piece, int(max(ended_bytes - began_bytes, 0)), process)
    return Kernel(grown["read"], by_reads, grown["write"], cancelled)


def _by_reads(piece: Piece, fetched: int, process: Process) -> int | None:
    """The bytes fetched between the first read and the last one; None where mappings, streams or queues of
    the process may have fetched them instead."""
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
