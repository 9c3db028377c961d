"""Divides calls among results of a program: the mount whose calls a result has, and the bytes and time that
each must leave to the others."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from weir.audit.subject import SPAN_SHARE
from weir.prove.mounts import Mount, Phase, ProcessShare
from weir.prove.records import LEAST_BYTES, MOVED, NEARLY_ALL, synced_share
from weir.records.model import Row
from weir.witness.nodes import known_sum
from weir.witness.spans import kind_of

# Calls of MPI's start and of settings beside those of a result.
_A_FEW = 1.05
_EXACT = 1.01
_NOTICED = 0.01  # share of a result: a process with less, such as a shell, has none
_HALF = 0.5
_SAME_BYTES = 0.001  # share of a result by which a process may differ that moved it


def mount_of_bytes(row: Row, access: str, mounts: Sequence[Mount]) -> Mount | None:
    """The mount on which a process moved just as many bytes as the result has; of several such the one where
    it took longest of those that the time of the result allows. None where there is none."""
    total_s = row.get("total_s")
    if not (found := _parts_of_bytes(row, access, mounts)):
        return None
    if len({id(mount) for mount, _ in found}) == 1:
        return found[0][0]
    for kinds in ("write+sync", "write") if access == "write" else ("read",):
        spent = [(part.inside_ns[kinds] / 1e9, at) for at, (_, part) in enumerate(found)]
        possible = [one for one in spent if total_s and total_s >= SPAN_SHARE * one[0]]
        if possible:
            return found[max(possible)[1]][0]
    return None


def mount_of_names(rows: Sequence[Row], mounts: Sequence[Mount]) -> Mount:
    """The mount with most of the operations on names that results have together: MPI, which starts before
    them, may look at more names elsewhere."""
    wanted: Counter[str] = Counter()
    for row in rows:
        if kind := kind_of(row):
            wanted[kind] += int(row.get("ops") or 0)

    def operations(mount: Mount) -> tuple[int, int]:
        of_kind = {kind: sum(phase.names[kind] for phase in mount.phases) for kind in wanted}
        return sum(min(of_kind[kind], wanted[kind]) for kind in wanted), mount.operations

    return max(mounts, key=operations)


def places_of_equals(
    rows: Sequence[Row], access: str, mounts: Sequence[Mount]
) -> list[tuple[Mount, str]] | None:
    """The mount and the access of each of several results of equal size. None where that is not known."""
    if all(row["access"] is None for row in rows) and (found := _in_order(rows, mounts)):
        return found
    equals = _mounts_of_equals(rows, access, mounts)
    return [(mount, access) for mount in equals] if equals else None


def _in_order(rows: Sequence[Row], mounts: Sequence[Mount]) -> list[tuple[Mount, str]] | None:
    """The processes in their order, of which each moved just as much by one access: dd in a script that
    writes a file, then reads it. None where there are not as many, or some ran beside each other."""
    parts = [
        (*part.ends_ns[access], mount, access)
        for access in MOVED
        for mount, part in _parts_of_bytes(rows[0], access, mounts)
    ]
    parts.sort(key=lambda one: one[:2])
    follow = all(before[1] <= after[0] for before, after in pairwise(parts))
    return [(mount, access) for _, _, mount, access in parts] if follow and len(parts) == len(rows) else None


def _mounts_of_equals(rows: Sequence[Row], access: str, mounts: Sequence[Mount]) -> list[Mount] | None:
    """The mounts of results of equal size, where as many processes on several mounts moved just as much: the
    quicker result is that of the quicker process. None where they are no such pairs, or a result is quicker
    than its process."""
    parts = _parts_of_bytes(rows[0], access, mounts)
    times = [(float(total_s), at) for at, row in enumerate(rows) if (total_s := row.get("total_s"))]
    is_of_several = len({id(mount) for mount, _ in parts}) > 1
    if not is_of_several or not len(parts) == len(rows) == len(times):
        return None
    kinds = kinds_of(rows, access)
    parts.sort(key=lambda one: one[1].inside_ns[kinds])
    found = {}
    for (total_s, at), (mount, part) in zip(sorted(times), parts, strict=True):
        if total_s < SPAN_SHARE * part.inside_ns[kinds] / 1e9:
            return None
        found[at] = mount
    return [found[at] for at in range(len(rows))]


def _parts_of_bytes(row: Row, access: str, mounts: Sequence[Mount]) -> list[tuple[Mount, ProcessShare]]:
    """The processes that moved just as many bytes as a result has."""
    moved = row.get("moved_bytes")
    return [
        (mount, part)
        for mount in mounts
        for phase in mount.phases
        for part in phase.parts
        if moved and abs(part.moved[access] - moved) <= _SAME_BYTES * moved
    ]


def spans_of_results(rows: Sequence[Row], access: str, phases: Sequence[Phase]) -> list[Phase] | None:
    """The calls that each result has to itself, such as iterations of a benchmark, in their order: parts of
    phases with as many bytes as the result has, of which there are as many as such results. None where they
    are not so, or where one lacks the synchronisation that its result reports."""
    spans = [
        span
        for phase in phases
        for span in phase.spans or (phase,)
        if getattr(span, MOVED[access]) >= LEAST_BYTES
    ]
    found, is_apart = [], any(phase.spans for phase in phases)
    for at, row in enumerate(rows):
        own = [span for span in spans if _has_bytes(span, row, access)]
        alike = [other for other in rows if other.get("moved_bytes") == row.get("moved_bytes")]
        if len(own) != len(alike):
            return None
        found.append(own[sum(1 for other in rows[:at] if other in alike)])
    is_synced = all(
        synced_share([span]) >= NEARLY_ALL
        for span, row in zip(found, rows, strict=True)
        if access == "write" and row.get("sync")
    )
    # Programs that follow one another may print their results in another order.
    is_apart |= len({row.get("moved_bytes") for row in rows}) == len(rows) > 1
    return found if is_synced and is_apart else None


def _has_bytes(span: Phase, row: Row, access: str) -> bool:
    """A result that tells no bytes may have any."""
    moved = row.get("moved_bytes")
    return moved is None or abs(getattr(span, MOVED[access]) - moved) <= _NOTICED * moved


def least_s(access: str, phases: Sequence[Phase], bytes_: float, with_syncs: bool) -> float:
    """A lower bound of the time that so many bytes of an access took, where nobody knows which of its calls
    moved them: that of the quickest phases. A part of a phase took its share of the time within calls, or
    more."""
    parts = [(float(getattr(one, MOVED[access])), one.inside_s(access, with_syncs)) for one in phases]
    return _of_quickest(parts, bytes_)


def _of_quickest(parts: Sequence[tuple[float, float]], bytes_: float) -> float:
    """The time of so many bytes. parts: bytes and time of each."""
    spent_s, left = 0.0, bytes_
    for moved, inside_s in sorted(parts, key=lambda part: part[1] / max(part[0], 1.0)):
        if left > 0 and moved > 0:
            spent_s += inside_s * (left / moved if left * _A_FEW < moved else 1.0)
        left -= moved
    return spent_s


def alone_s(row: Row, access: str, phases: Sequence[Phase], counted: float) -> float:
    """A lower bound of the time of a result that has all calls to itself: from the first to the last one
    where all bytes are its own. A result that does not report synchronisations has those of the processes
    that wrote; one that reports none has none."""
    moved, with_syncs = row.get("moved_bytes") or counted, row.get("sync") is not False
    inside_s = least_s(access, phases, min(moved, counted), with_syncs)
    if counted > moved:
        return inside_s
    tells = bool(row.get("sync")) or not row.get("moved_bytes")
    return max(inside_s, sum(phase.access_s(access, tells) for phase in phases))


def part_of(row: Row, others: Sequence[Row], access: str, phases: Sequence[Phase]) -> ProcessShare | None:
    """The process of a result, where each of as many moved as much as one of the results; of equal ones the
    quickest process is that of none but the quickest result. None where they are not such pairs."""
    rows = [row, *others]
    sizes = [one.get("moved_bytes") or 0.0 for one in rows]
    parts = [part for phase in phases for part in phase.parts if part.moved[access] > _NOTICED * min(sizes)]
    times = [_lasted_s(one) for one in rows]
    is_pairs = Counter(part.moved[access] for part in parts) == Counter(sizes)
    if len(rows) == 1 or not is_pairs or None in times:
        return None
    own = [part for part in parts if part.moved[access] == sizes[0]]
    own.sort(key=lambda part: part.inside_ns[kinds_of(rows, access)])
    alike = [time for time, size in zip(times, sizes, strict=True) if time is not None and size == sizes[0]]
    return own[sum(1 for time in alike if time < alike[0])]


def is_stored(part: ProcessShare) -> bool:
    """Whether the process synchronised what it wrote, and nothing of it was left in the page cache then."""
    left = part.unwritten["dirty_bytes"] + part.unwritten["writeback_bytes"] if part.unwritten else None
    return left == 0 and part.synced_bytes >= NEARLY_ALL * part.moved["write"]


def kinds_of(rows: Sequence[Row], access: str) -> str:
    """The calls whose time the results have."""
    with_syncs = access == "write" and all(one.get("sync") is not False for one in rows)
    return "write+sync" if with_syncs else access


def named_s(kind: str, operations: float, tasks: int, mount: Mount) -> float | None:
    """The least time of so many operations on names, of which each task did its share: that of the quickest
    process which did half of such a share, or more. None where no process did."""
    share = operations / tasks
    parts = [part for phase in mount.phases for part in phase.parts if part.named_ns.get(kind)]
    each = [part.named_ns[kind] / part.named[kind] for part in parts if part.named[kind] >= _HALF * share]
    return share * min(each) / 1e9 if each and share else None


def are_told_apart(rows: Sequence[Row], counted: float) -> bool:
    """Whether every call is of these results, so that a time which is too short is wrong and not only that
    of the quicker part."""
    moved = known_sum(row.get("moved_bytes") for row in rows)
    return len(rows) == 1 and (moved is None or counted <= _A_FEW * moved)


def fit(rows: Sequence[Row], access: str, phases: Sequence[Phase], counted: float) -> bool:
    """Whether the calls have room for all results together, and time for the first of them. Each call is of
    at most one: they have no more bytes than the calls, and not less time than such bytes took."""
    moved, total_s = known_sum(row.get("moved_bytes") for row in rows), known_sum(map(_lasted_s, rows))
    if moved is not None and len(rows) > 1 and moved > _EXACT * counted:
        return False
    with_syncs = all(row.get("sync") is not False for row in rows)
    spent_s = least_s(access, phases, min(moved or counted, counted), with_syncs)
    if total_s is not None and total_s < SPAN_SHARE * spent_s:
        return False
    own_s, own_bytes = _lasted_s(rows[0]), rows[0].get("moved_bytes")
    if own_s is None or not own_bytes:
        return True
    parts = [
        (float(part.moved[access]), part.inside_ns[kinds_of(rows, access)] / 1e9)
        for phase in phases
        for span in phase.spans or (phase,)
        for part in span.parts
    ]
    return own_s >= SPAN_SHARE * _of_quickest(parts, own_bytes)


def _lasted_s(row: Row) -> float | None:
    moved, rate = row.get("moved_bytes"), row.get("bw_mib_s")
    return row.get("total_s") or (moved / 2**20 / rate if moved and rate else None)
