"""The accounts of all processes, put together by mounts and phases."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from weir.prove.counters import (
    Account,
    Listed,
    counted_by_kernel,
    device_of,
    group_of,
    in_memory,
    listed_of,
    processors_of,
    servers_of,
    unwritten_of,
    without_device,
)
from weir.prove.pieces import BYTES, SIZES, Piece, groups_of, joined, runs_of, spans_of, synced
from weir.prove.reports import Process, is_killed, streamed_on
from weir.witness.nodes import known_sum, mirrors_of

KINDS = ("read", "write", "sync", "name")
_SUMMED = ("opens", "opens_failed", "direct_requested", "direct_kernel", "mappings")
_SEVERAL, _AHEAD = 2, 1.26  # processes; bytes fetched for several, as a multiple of what one of them read
_SHARE = 0.01  # share of an access; a process with less, such as a launcher, does not tell its time

_Place = tuple[str, str, int]


@dataclass(frozen=True)
class Growth:
    """The growth of the kernel's counters; None where it does not count."""

    fetched_bytes: int | None = None
    by_reads_bytes: int | None = None  # of these, what reads by calls may have waited for
    ahead_bytes: int = 0  # of these, what advice fetched between the reads
    ahead_before_bytes: int = 0  # by advice before the first read, of none of these
    ahead_from_ns: int = 0  # begin of the first advice; 0: none
    dirtied_bytes: int | None = None
    cancelled_bytes: int | None = None  # of these, what was taken away again before it was stored
    device: tuple[int, ...] | None = None  # read, written; then of the whole disks; and their flushes
    servers: tuple[tuple[int | None, ...], ...] = ()


@dataclass(frozen=True)
class ProcessShare:
    """One process's share of a phase."""

    moved: Mapping[str, int]  # by access
    inside_ns: Mapping[str, int]  # in calls of these kinds, such as write+sync
    ends_ns: Mapping[str, tuple[int, int]]  # by access: begin of the first call, end of the last one
    synced_bytes: int
    dirtied_bytes: int | None  # as the kernel counted them for the process
    unwritten: Mapping[str, Any] | None  # of the file that the process synchronised last
    named: Mapping[str, int]  # operations on names, by kind
    named_ns: Mapping[str, int]  # least time in them


@dataclass(frozen=True)
class Phase:
    """Calls that follow one another, of all processes."""

    counted_ns: int  # when the counters of growth began, which may be before the first call
    began_ns: int
    ended_ns: int
    ends_ns: Mapping[str, tuple[int, int]]  # of each kind with calls: begin of the first one, end of the last
    read_bytes: int
    written_bytes: int
    direct_read_bytes: int
    direct_written_bytes: int
    synced_bytes: int
    # Written in earlier phases, the first of which began then, and synchronised in this one.
    synced_earlier_bytes: int
    synced_from_ns: int
    calls: Mapping[str, int]
    busy_ns: Mapping[str, int]
    # In calls of these kinds, such as write+sync: of the quickest of processes at the same time; of the
    # operations on names: of the busiest one.
    quickest_ns: Mapping[str, int]
    names: Mapping[str, int]
    growth: Growth
    parts: Sequence[ProcessShare] = ()
    spans: Sequence["Phase"] = ()  # of it, between which all processes closed their files; none: it is one
    syncs_at_once: int = 1  # at most: calls of all processes that synchronised
    # Read and written meanwhile on other mounts of the same device, and of the same disk (judged.py).
    beside: tuple[int, int] = (0, 0)
    beside_on_disk: tuple[int, int] = (0, 0)

    @property
    def lasted_s(self) -> float:
        """The time from the begin of the first transfer to the end of the last one, synchronisations
        included."""
        return self._between_s(("read", "write", "sync"), ("read", "write", "sync"))

    def access_s(self, access: str, with_syncs: bool = True) -> float:
        """The same of the writes, with their synchronisations, or of the reads: a phase may have both."""
        return self._between_s((access,), _kinds_of(access, with_syncs))

    def inside_s(self, access: str, with_syncs: bool = True) -> float:
        """A lower bound of the duration of an access, whatever else was moved before and after it in the same
        phase."""
        busy_ns = self.quickest_ns.get("+".join(_kinds_of(access, with_syncs)), 0)
        return min(busy_ns / 1e9, self.access_s(access, with_syncs))

    def _between_s(self, first: Sequence[str], last: Sequence[str]) -> float:
        began = [self.ends_ns[kind][0] for kind in first if kind in self.ends_ns]
        ended = [self.ends_ns[kind][1] for kind in last if kind in self.ends_ns]
        return (max(ended) - min(began)) / 1e9 if began and ended else 0.0


@dataclass(frozen=True)
class Mount:
    """One mount, on all nodes together."""

    point: str
    file_system: str | None
    source: str | None
    counted: bool
    compresses: bool
    device: str | None
    device_reason: str | None
    device_copies: int
    device_flushes: bool
    device_mirrors: tuple[int, int]  # copies of each byte that a synchronisation waits for: at least, at most
    observers: Sequence[Mapping[str, Any]]
    counts: Mapping[str, int]
    syncs: Mapping[str, int]
    flags: Sequence[str]
    streamed: tuple[int, int]  # read and written through streams of the C library
    unwritten: Mapping[str, int] | None
    phases: Sequence[Phase]
    whole: Growth
    hosts: int
    processes: int
    group: Mapping[str, Any] | None  # control groups of the processes
    processors: Mapping[str, int] | None  # where their ranks may run
    killed: int  # of the processes: their counters ended with them
    listed: Mapping[str, Listed] = field(default_factory=dict)  # by program

    def sum(self, name: str) -> int:
        return sum(int(getattr(phase, name)) for phase in self.phases)

    @property
    def operations(self) -> int:
        return sum(sum(phase.names.values()) for phase in self.phases)

    @property
    def moved_bytes(self) -> int:
        return self.sum("read_bytes") + self.sum("written_bytes") + sum(self.streamed)


def mounts_of(processes: Sequence[Process], held: Mapping[str, float] | None = None) -> list[Mount]:
    """The mounts with any activity, the one with most bytes first."""
    places = _by_place(processes).items()
    found = [_mount(place[0], parts, processes, held) for place, parts in places]
    used = [one for one in found if one.phases or one.whole.device or one.whole.servers]
    return sorted(used, key=lambda one: (-one.moved_bytes, -one.operations, one.point))


def _by_place(processes: Sequence[Process]) -> dict[_Place, list[tuple[int, Account]]]:
    """Parts of the reports by mount point and type. Namespaces may have another mount at the same point of
    one node: a second source there is a second mount; nodes with a disk of their own at one point share
    one."""
    by_place: dict[_Place, list[tuple[int, Account]]] = {}
    sources: dict[tuple[str, str, str], list[str]] = {}
    for at, process in enumerate(processes):
        for mount in process["mounts"]:
            point, kind, source = mount["point"] or "/", mount["file_system"] or "", mount["source"] or ""
            there = sources.setdefault((str(process["host"]), point, kind), [])
            if source not in there:
                there.append(source)
            by_place.setdefault((point, kind, there.index(source)), []).append((at, mount))
    return by_place


def _mount(
    point: str,
    parts: Sequence[tuple[int, Account]],
    processes: Sequence[Process],
    held: Mapping[str, float] | None,
) -> Mount:
    where = in_memory(parts[0][1], str(processes[parts[0][0]]["host"]))
    if where:
        parts = [(at, without_device(one, where)) for at, one in parts]
    used = [(at, one) for at, one in parts if not one["watched"]]
    first = parts[0][1]
    whole = [
        _piece(processes[at], at if not one["watched"] else -1, one, {}, one["start"], one["end"])
        for at, one in parts
    ]
    pieces = [piece for at, one in used for piece in _pieces(processes[at], at, one)]
    users = [processes[at] for at, one in used if one["phases"]]
    return Mount(
        point=point,
        file_system=first["file_system"],
        source=first["source"],
        counted=first["counted"],
        compresses=any(one["compresses"] for _, one in used),
        device=first["device"],
        device_reason=first["device_reason"],
        device_copies=first["device_copies"],
        device_flushes=all(one.get("device_flushes") for _, one in parts),
        device_mirrors=mirrors_of(one for _, one in parts),
        observers=next((one["observers"] for _, one in parts if one["observers"]), ()),
        counts={name: sum(one[name] for _, one in used) for name in _SUMMED},
        syncs=_syncs([one for _, one in used]),
        flags=sorted({flag for _, one in used for flag in one["flags"]}),
        streamed=streamed_on(used, processes),
        unwritten=unwritten_of([(one.get("unwritten_inode"), one["unwritten"]) for _, one in used]),
        phases=tuple(_phase(group) for group in groups_of(pieces)),
        whole=_growth(whole),
        hosts=len({piece.host for piece in whole}),
        processes=len({processes[at]["pid"] for at, one in used if one["phases"]}),
        group=group_of(first, users, held),
        processors=processors_of(users),
        killed=sum(is_killed(processes[at]) for at, _ in used),
        listed=listed_of(used, processes),
    )


def _pieces(process: Process, number: int, mount: Account) -> Iterator[Piece]:
    phases = mount["phases"]
    afters = iter([*(one["before"] for one in phases[1:]), mount["end"]])
    for run in runs_of(phases):
        parts = tuple(_piece(process, number, mount, one, one["before"], next(afters)) for one in run)
        if len(run) == 1:
            yield parts[0]
        else:
            whole = replace(parts[0], phase=joined(run), after=parts[-1].after)
            yield replace(_with_kernel(whole, process, mount), parts=parts)


def _piece(
    process: Process, number: int, mount: Account, phase: Account, before: Account, after: Account
) -> Piece:
    host = str(process["host"])
    disk = process.get("kernel") or host, mount["device"]
    piece = Piece(host, disk, number, phase, before, after, unwritten=mount["unwritten"])
    return _with_kernel(piece, process, mount)


def _with_kernel(piece: Piece, process: Process, mount: Account) -> Piece:
    return replace(piece, kernel=counted_by_kernel(piece, process, mount)) if mount["counted"] else piece


def _phase(group: Sequence[Piece]) -> Phase:
    phases = [piece.phase for piece in group]
    began_ns = min(one["first_ns"] for one in phases)
    return Phase(
        counted_ns=min(piece.before["raw_ns"] for piece in group),
        began_ns=began_ns,
        ended_ns=max(one["last_ns"] for one in phases),
        ends_ns=dict(_ends(phases)),
        **{name: sum(one[name] for one in phases) for name in SIZES},
        **synced(phases, began_ns),
        calls={kind: sum(one[kind]["calls"] for one in phases) for kind in KINDS},
        busy_ns={kind: sum(one[kind]["busy_ns"] for one in phases) for kind in KINDS},
        quickest_ns={
            "+".join(kinds): _quickest_ns(phases, access, kinds)
            for access in BYTES
            for kinds in {_kinds_of(access, with_syncs) for with_syncs in (True, False)}
        }
        | {"name": max(_busy_ns(one, ("name",)) for one in phases)},
        names={name: sum(one["names"][name] for one in phases) for name in phases[0]["names"]},
        growth=_growth(group),
        parts=tuple(map(_part, group)),
        spans=tuple(map(_phase, spans_of(group))),
        syncs_at_once=max(sum(one["most_at_once"] for one in phases if one["sync"]["calls"]), 1),
    )


def _part(piece: Piece) -> ProcessShare:
    phase, kinds = piece.phase, (("read",), ("write",), ("write", "sync"))
    return ProcessShare(
        {access: phase[name] for access, name in BYTES.items()},
        {"+".join(some): _busy_ns(phase, some) for some in kinds},
        {access: (phase[access]["first_ns"], phase[access]["last_ns"]) for access in BYTES},
        phase["synced_bytes"],
        piece.kernel.dirtied_bytes,
        piece.unwritten,
        phase["names"],
        {kind: ns // max(phase["most_at_once"], 1) for kind, ns in phase.get("named_ns", {}).items()},
    )


def _kinds_of(access: str, with_syncs: bool) -> tuple[str, ...]:
    return ("write", "sync") if access == "write" and with_syncs else (access,)


def _quickest_ns(phases: Sequence[Mapping[str, Any]], access: str, kinds: Sequence[str]) -> int:
    whole = sum(one[BYTES[access]] for one in phases)
    some = [one for one in phases if one[BYTES[access]] > _SHARE * whole]
    spans = sorted(
        (one[access]["first_ns"], max(one[kind]["last_ns"] for kind in kinds), _busy_ns(one, kinds))
        for one in some
    )
    total_ns, until_ns, quickest_ns = 0, 0, 0
    for began_ns, ended_ns, busy_ns in spans:
        beside = began_ns < until_ns
        total_ns += 0 if beside else quickest_ns
        quickest_ns = min(quickest_ns, busy_ns) if beside else busy_ns
        until_ns = max(until_ns, ended_ns)
    return total_ns + quickest_ns


def _busy_ns(phase: Mapping[str, Any], kinds: Sequence[str]) -> int:
    """A lower bound of the time that any thread was in calls: their times together, by as many as were so at
    the same time, and no longer than the phase lasts."""
    busy_ns = sum(phase[kind]["busy_ns"] for kind in kinds) // max(phase["most_at_once"], 1)
    return int(min(busy_ns, phase["last_ns"] - phase["first_ns"]))


def _ends(phases: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, tuple[int, int]]]:
    for kind in KINDS:
        calls = [one[kind] for one in phases if one[kind]["first_ns"]]
        if calls:
            yield kind, (min(one["first_ns"] for one in calls), max(one["last_ns"] for one in calls))


def _growth(pieces: Sequence[Piece]) -> Growth:
    """The counters of the kernel for a process are of that one; those of the device are of the node."""
    own = [piece for piece in pieces if piece.process >= 0]
    return Growth(
        fetched_bytes=known_sum(piece.kernel.fetched_bytes for piece in own),
        by_reads_bytes=_by_reads(own),
        ahead_bytes=sum(piece.phase.get("ahead_bytes", 0) for piece in own),
        ahead_before_bytes=sum(piece.phase.get("ahead_before_bytes", 0) for piece in own),
        ahead_from_ns=min((ns for piece in own if (ns := piece.phase.get("ahead_from_ns"))), default=0),
        dirtied_bytes=known_sum(piece.kernel.dirtied_bytes for piece in own),
        cancelled_bytes=known_sum(_withdrawn(piece, own) for piece in _from_first_write(own) or own),
        device=device_of(pieces),
        servers=servers_of(pieces),
    )


def _by_reads(own: Sequence[Piece]) -> int | None:
    """Each process by itself: what one fetched beyond what it read made up for no cache of another one."""
    read_bytes = sum(piece.phase.get("read_bytes", 0) for piece in own)
    readers = [piece for piece in own if piece.phase.get("read_bytes", 0) > _SHARE * read_bytes]
    if len(readers) < _SEVERAL:
        return known_sum(piece.kernel.by_reads_bytes for piece in readers or own)
    # More than that read-from-cache takes for pages that nobody read.
    pairs = [(piece.kernel.by_reads_bytes, int(_AHEAD * piece.phase["read_bytes"])) for piece in readers]
    return known_sum(None if count is None else min(count, ahead) for count, ahead in pairs)


def _from_first_write(own: Sequence[Piece]) -> list[Piece]:
    """The pieces without processes that removed files and ended before any of these wrote: those bytes were
    older."""
    began = [one.phase["write"]["first_ns"] for one in own if one.phase.get("written_bytes")]
    return [
        one for one in own if one.phase.get("written_bytes") or one.after["raw_ns"] > min(began, default=0)
    ]


def _written(piece: Piece) -> int:
    return int(piece.phase.get("written_bytes", 0))


def _withdrawn(piece: Piece, own: Sequence[Piece]) -> int | None:
    """Bytes that the process took away. One that wrote next to nothing by calls may have filled pages of its
    own before by mappings or streams, such as shared memory of MPI in a file: it took these away, and not the
    result."""
    cancelled, until = piece.kernel.cancelled_bytes, piece.after["io"]
    all_written = sum(map(_written, own))
    if not cancelled or not until or _written(piece) >= _SHARE * all_written:
        return cancelled
    return max(cancelled - int(until["write_bytes"]), 0)


def _syncs(mounts: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for mount in mounts:
        for name, call in mount["syncs"].items():
            total[name] += call["done"]
            total["failed"] += call["failed"]
    return dict(total)
