"""Claims of the program itself, or of whoever started it: each number beside what was counted."""

import math
import shlex
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from typing import Any

from weir.audit.judge import judge
from weir.audit.registry import INVALID
from weir.audit.rules.calls import bytes_not_in_calls
from weir.audit.rules.timing import shorter_than_its_calls
from weir.audit.subject import FOLIO_BYTES, SPAN_SHARE, Subject
from weir.prove.counters import most_listed
from weir.prove.judged import with_what_reads_fetched
from weir.prove.mounts import Growth, Mount, Phase, ProcessShare
from weir.prove.named import SEARCH, have_time, of_names
from weir.prove.records import (
    LEAST_BYTES,
    MOVED,
    NEARLY_ALL,
    JudgedRecord,
    direct_bytes,
    facts_of,
    growth_of,
    row_of,
    synced_share,
    told_of_syncs,
    until_synced,
    without_counts,
)
from weir.prove.reports import Process
from weir.prove.results import OPTION, Claim
from weir.prove.shared_calls import (
    alone_s,
    are_told_apart,
    fit,
    is_stored,
    kinds_of,
    mount_of_bytes,
    mount_of_names,
    part_of,
    places_of_equals,
    spans_of_results,
)
from weir.records.model import Row
from weir.witness.spans import kind_of

_MIB = 2**20
_NO_STORAGE = "NULL"  # an interface that moves nothing
_OF_CALLS = ("called_bytes", "shortest_span_s", "sync_calls", "called_syncs")
# The reads of the device may be those of anybody.
_OF_OTHER_PROCESSES = (
    *(*_OF_CALLS, "fetched_bytes", "dirtied_bytes", "cancelled_bytes", "device_read_bytes", "device"),
)
_OF_OTHERS = "processes without a report may have done it"
_TOO_QUICK = "the results together are quicker than the calls"
_NO_CALL = "the bytes passed no call that was seen, and no queue or mapping was seen either"
_AROUND_A_CALL_BYTES = 2 * FOLIO_BYTES  # a call may touch two in part
_MOST_BY_CALLS = 0.5  # share of the bytes; with less, the transfers passed by queues or mappings
# Columns that a claim sets in place of the counts.
OF_THE_PROGRAM = (
    *("bw_mib_s", "total_s", "io_s", "open_s", "close_s", "moved_bytes", "requested_bytes", "ops", "ops_s"),
    *("api", "direct", "sync", "xfer_bytes", "order", "layout", "iodepth", "item", "requested_ops"),
    *("lat_p50_us", "lat_p99_us", "lat_max_us", "tool", "program", "tool_version"),
)


def judged_claims(
    claims: Sequence[Claim],
    mounts: Sequence[Mount],
    processes: Sequence[Process],
    command: Sequence[str],
    unreported: Container[str] = (),
) -> list[tuple[Claim, JudgedRecord | None]]:
    """Each with the phases that it is about; None where no call was seen, so that it is unproven.
    unreported: what the kernel counted in processes that left no report, by its names."""
    claims = [_of_unreported(one, mounts) if "write_bytes" in unreported else one for one in claims]
    found = _judged(claims, mounts, processes, command, unreported)
    for at, (claim, one) in enumerate(found):
        if claim.row["access"] is None and one is not None and _may_be_of_other(one, processes):
            # dd does not tell which it was, and the other one may fit.
            other = next(access for access in MOVED if access != one.access)
            told = [*claims[:at], replace(claim, row=claim.row | {"access": other}), *claims[at + 1 :]]
            _, again = _judged(told, mounts, processes, command, unreported)[at]
            if again is not None and again.judgement.verdict != INVALID:
                found[at] = (claim, again)
    return found


def _of_unreported(claim: Claim, mounts: Sequence[Mount]) -> Claim:
    """The result as a write where it tells no access, and none that reported moved as much."""
    if claim.row["access"] is not None or any(mount_of_bytes(claim.row, one, mounts) for one in MOVED):
        return claim
    return replace(claim, row=claim.row | {"access": "write"})


def _may_be_of_other(one: JudgedRecord, processes: Sequence[Process]) -> bool:
    """Whether calls contradict the result, and a process moved as much by the other access alone: a copy is
    both, and bytes that were not stored are no bytes that were read."""
    is_of_calls = bytes_not_in_calls.passes(one.subject) and shorter_than_its_calls.passes(one.subject)
    if one.judgement.verdict != INVALID or is_of_calls:
        return False
    least = NEARLY_ALL * (one.subject.number("moved_bytes") or 0.0)
    for process in processes:
        moved = {name: sum(part[bytes_] for part in process["mounts"]) for name, bytes_ in MOVED.items()}
        if moved[one.access] < least <= max(moved.values()):
            return True
    return False


def _judged(
    claims: Sequence[Claim],
    mounts: Sequence[Mount],
    processes: Sequence[Process],
    command: Sequence[str],
    unreported: Container[str],
) -> list[tuple[Claim, JudgedRecord | None]]:
    found: list[tuple[Claim, JudgedRecord | None]] = []
    number: dict[tuple[str, str, int], int] = {}
    places = _places(claims, mounts)
    for claim, (mount, access) in zip(claims, places, strict=True):
        if mount is None or not _is_seen(claim, mount, access, processes):
            found.append((claim, None))
            continue
        placed = replace(claim, row=claim.row | {"access": access})
        alike = [
            one
            for one, (other, of_access) in zip(claims, places, strict=True)
            if of_access == access and one.who == claim.who and other is mount
        ]
        at = number.get((claim.who, access, id(mount)), 0)
        number[claim.who, access, id(mount)] = at + 1
        phases = [one for one in mount.phases if getattr(one, MOVED.get(access, "read_bytes")) >= LEAST_BYTES]
        rows = [one.row for one in alike]
        spans = spans_of_results(rows, access, phases) if _is_of_bytes(placed.row, access) else None
        if spans:
            phases, alike = [spans[at]], [claim]
        elif _is_of_bytes(placed.row, access) and len(phases) == len(alike):
            phases, alike = phases[at : at + 1], [claim]
        if access == "write" and claim.row.get("sync") and not spans:
            phases = _synchronised(claim.row, phases, mount)
        others = [one for one in alike if one is not claim and one.who != OPTION]
        subject = _subject(placed, mount, phases, processes, command, others)
        is_named = not _is_of_bytes(placed.row, access) and judge(subject).verdict != INVALID
        if is_named and not have_time(claims, mount):
            subject = without_counts(subject, ("called_operations",), _TOO_QUICK)
        if _is_of_bytes(placed.row, access) and ("wchar" if access == "write" else "rchar") in unreported:
            subject = without_counts(subject, _OF_OTHER_PROCESSES, _OF_OTHERS)
        found.append((claim, JudgedRecord(subject, judge(subject), mount, access, phases)))
    return found


def _is_of_bytes(row: Row, access: str) -> bool:
    """A read of files as names may tell operations alone."""
    return access in MOVED and (kind_of(row) is None or row.get("bw_mib_s") is not None)


def _is_seen(claim: Claim, mount: Mount, access: str, processes: Sequence[Process]) -> bool:
    """Whether anybody counted bytes of it: services that were started before may have moved them all, or
    nobody did."""
    if claim.row.get("api") == _NO_STORAGE:
        return False
    if not _is_of_bytes(claim.row, access):
        return True
    seen = max(_amount(mount, access), mount.streamed[access == "write"])
    least = min(_MOST_BY_CALLS * (claim.row.get("moved_bytes") or LEAST_BYTES), LEAST_BYTES)
    return seen >= least or _passes_no_calls(mount, processes)


def _synchronised(row: Row, phases: list[Phase], mount: Mount) -> list[Phase]:
    """The phases that a result can cover which was synchronised within its time."""
    whole = until_synced(phases, mount.phases)
    if whole is not None and are_told_apart([row], whole.written_bytes):
        return [whole]
    synced = [one for one in phases if synced_share([one]) >= NEARLY_ALL]
    enough = sum(one.written_bytes for one in synced) >= (row.get("moved_bytes") or math.inf)
    return synced if enough else phases


def _places(claims: Sequence[Claim], mounts: Sequence[Mount]) -> list[tuple[Mount | None, str]]:
    """The mount and the access of each; of several with as many bytes each its own, if that is known."""
    places = [_place(claim, claims, mounts) for claim in claims]
    equal: dict[tuple[str, Any], list[int]] = {}
    for at, (claim, (_, access)) in enumerate(zip(claims, places, strict=True)):
        if claim.row.get("moved_bytes") and _is_of_bytes(claim.row, access):
            equal.setdefault((access, claim.row["moved_bytes"]), []).append(at)
    for (access, _), some in equal.items():
        if len(some) > 1 and (found := places_of_equals([claims[at].row for at in some], access, mounts)):
            for at, place in zip(some, found, strict=True):
                places[at] = place
    return places


def _place(claim: Claim, claims: Sequence[Claim], mounts: Sequence[Mount]) -> tuple[Mount | None, str]:
    """The mount with most of the access; where it is unknown, the access that a storage saw."""
    access = claim.row["access"]
    if access == SEARCH:
        return max(mounts, key=lambda one: most_listed(one.listed), default=None), access
    used = [one for one in mounts if one.phases]
    if not used:
        return None, str(access)
    if access is None:
        by_calls = {name: max(one.sum(MOVED[name]) for one in used) for name in MOVED}
        below = {name: max(_amount(one, name) for one in used) for name in MOVED}
        access = max(MOVED, key=lambda name: (by_calls[name], below[name]))
    if not _is_of_bytes(claim.row, access):
        return mount_of_names([one.row for one in claims if one.who == claim.who], used), access
    if (exact := mount_of_bytes(claim.row, access, used)) is not None:
        return exact, access
    # The kernel's count of the process is all there is about queues, for each of its mounts.
    named = "direct_kernel" if claim.row.get("direct") else "opens"
    return max(used, key=lambda one: (_amount(one, access), one.counts[named])), access


def _amount(mount: Mount, access: str) -> int:
    kernels = mount.whole.dirtied_bytes if access == "write" else mount.whole.fetched_bytes
    return max(mount.sum(MOVED[access]), kernels or 0)


def _subject(
    claim: Claim,
    mount: Mount,
    phases: Sequence[Phase],
    processes: Sequence[Process],
    command: Sequence[str],
    others: Sequence[Claim],
) -> Subject:
    """others: further claims about the same phases."""
    access = str(claim.row["access"])
    if not _is_of_bytes(claim.row, access):
        return of_names(claim, mount, command, others)
    row = row_of(mount, access, phases, command)
    facts = facts_of(mount, access, phases, processes) | {"of_calls": True}
    counted = facts["called_bytes"]
    claimed = {name: claim.row[name] for name in OF_THE_PROGRAM if claim.row.get(name) is not None}
    moved = claimed.get("moved_bytes") or counted
    sharing = [claim.row, *(one.row for one in others)]
    if are_told_apart(sharing, counted):
        facts["shortest_span_s"] = alone_s(claim.row, access, phases, counted)
    elif (part := part_of(claim.row, sharing[1:], access, phases)) is not None:
        facts["shortest_span_s"] = part.inside_ns[kinds_of(sharing, access)] / 1e9
        _take_part(row, facts, part)
    direct = [one for one in sharing if one.get("direct")]
    if claim.row.get("direct") is not None:
        of_direct = sum(one.get("moved_bytes") or 0 for one in direct)
        facts["direct"] = bool(claim.row["direct"]) and direct_bytes(access, phases) >= NEARLY_ALL * of_direct
    streams = mount.streamed[access == "write"] >= _MOST_BY_CALLS * (moved or 1)
    queues = _passes_no_calls(mount, processes)
    few_by_calls = counted < _MOST_BY_CALLS * (claimed.get("moved_bytes") or 1)
    # The calls were of something else, such as of laying the file out.
    few_by_calls |= (
        access == "write" and queues and _kernels(facts, access) - counted >= NEARLY_ALL * (moved or 1)
    )
    beyond = _beyond_calls(facts, access, phases or mount.phases)
    is_unseen = few_by_calls and not (streams or queues) and beyond >= _MOST_BY_CALLS * (moved or 1)
    if few_by_calls and (streams or queues or is_unseen):
        moved = _count_by_kernel(row, facts, growth_of(phases) if phases else mount.whole, moved, beyond)
        facts["direct"] = _is_opened_direct(mount, processes)
        # Nobody but the program itself has the time of such transfers.
        timed = "total_s" in claimed and not streams
        facts["of_calls"] = timed and bool(moved) and _most_below(facts, access) >= NEARLY_ALL * (moved or 0)
    row |= {"moved_bytes": moved, "requested_bytes": moved, "total_s": None, "io_s": None, "ops": None}
    row |= claimed
    if moved and row["bw_mib_s"] and row["total_s"] is None:
        row["total_s"] = moved / _MIB / row["bw_mib_s"]
    row["source"] = f"{claim.who}: {shlex.join(command)}"
    facts |= told_of_syncs(claim.row, mount, phases)
    subject = Subject(row, facts, claim.messages, claim.complete)
    if is_unseen and access == "read":
        return without_counts(subject, ("fetched_bytes", "device_read_bytes"), _NO_CALL)
    if not few_by_calls and phases:
        subject = with_what_reads_fetched(subject, phases)
    if not few_by_calls and queues and _is_laid_out(subject, access):
        return without_counts(subject, (*_OF_CALLS, "fetched_bytes"), "the calls may have laid the file out")
    told_apart = are_told_apart(sharing, counted)
    if told_apart or not phases or few_by_calls or fit(sharing, access, phases, counted):
        return subject
    return _of_unclear_calls(subject)


def _take_part(row: Row, facts: dict[str, Any], part: ProcessShare) -> None:
    """Takes what is known of the process of the result alone."""
    if "unwritten" in facts:
        facts["unwritten"] = part.unwritten
    if row["sync"] is False and is_stored(part):  # beside others that are not
        row["sync"] = True
        facts |= {"called_bytes": part.moved["write"], "dirtied_bytes": part.dirtied_bytes}


def _beyond_calls(facts: Mapping[str, Any], access: str, phases: Sequence[Phase]) -> int:
    """Bytes that the kernel counted for the processes, and that their calls cannot explain. The kernel counts
    a folio as a whole where a call writes a part of it, and what is read ahead of a call."""
    calls = sum(phase.calls[access] for phase in phases)
    ahead = sum(phase.growth.ahead_bytes + phase.growth.ahead_before_bytes for phase in phases)
    explained = int(facts["called_bytes"]) + calls * _AROUND_A_CALL_BYTES
    return _kernels(facts, access) - explained - (ahead if access == "read" else 0)


def _count_by_kernel(
    row: Row, facts: dict[str, Any], growth: Growth, moved: float | None, beyond: int
) -> float | None:
    """Replaces the count of the program's calls by the kernel's, and returns the bytes of the result,
    which are that count where the program does not tell them."""
    access, counted = str(row["access"]), facts["called_bytes"]
    for name in _OF_CALLS:
        facts.pop(name, None)
    if access == "read":
        facts["fetched_bytes"] = row["fetched_bytes"] = growth.fetched_bytes
    facts["beside_on_disk"][access == "write"] += counted  # its own, but not of the result
    moved = moved or (growth.dirtied_bytes if access == "write" else growth.fetched_bytes)
    if facts.get("cancelled_bytes"):  # what was given besides may be what was taken away
        besides = max(_kernels(facts, access) - (moved or 0), 0)
        facts["cancelled_bytes"] = max(facts["cancelled_bytes"] - besides, 0)
    most = max(beyond, (facts.get("device_written_bytes") or 0) - counted)
    if access == "write" and most < _MOST_BY_CALLS * (moved or 1):
        facts["touched_bytes"] = counted  # the kernel counted the folios around it
    return moved


def _of_unclear_calls(subject: Subject) -> Subject:
    """The same result without a count of its calls; other results still have bytes below them."""
    unclear = without_counts(subject, ("called_bytes",), "which of the calls are of this result is not known")
    return replace(unclear, observed={**unclear.observed, "beside_bytes": subject.beyond or None})


def _is_laid_out(subject: Subject, access: str) -> bool:
    """Whether the result is quicker than its calls, while a queue or mapping may have moved the bytes, which
    the kernel does not count on this file system."""
    name = "dirtied_bytes" if access == "write" else "fetched_bytes"
    span_s, total_s = subject.observed.get("shortest_span_s"), subject.number("total_s")
    is_quicker = span_s is not None and total_s is not None and total_s < SPAN_SHARE * span_s
    return is_quicker and subject.observed.get(name) is None


def _most_below(facts: Mapping[str, Any], access: str) -> int:
    """Bytes that anybody below the calls counted: the kernel, the device or the servers."""
    names = ("dirtied_bytes", "device_written_bytes", "sent_bytes")
    if access != "write":
        names = ("fetched_bytes", "device_read_bytes", "received_bytes")
    observers = (facts.get("servers") or {}).get("observers") or ()
    kernels = facts.get("touched_bytes", facts.get(names[0]))
    counts = [kernels, facts.get(names[1]), *(one[names[2]] for one in observers)]
    return max((count for count in counts if count is not None), default=0)


def _kernels(facts: Mapping[str, Any], access: str) -> int:
    """The bytes that the kernel counted for the processes themselves."""
    return int(facts.get("dirtied_bytes" if access == "write" else "fetched_bytes") or 0)


def _is_opened_direct(mount: Mount, processes: Sequence[Process]) -> bool | None:
    """Whether the files were that a queue may have moved, which are those of its process; None: some were."""
    with_queues = [one for one in processes if one["rings"]] or processes
    mounts = (one for process in with_queues for one in process["mounts"])
    used = [one for one in mounts if (one["point"] or "/") == mount.point]
    direct, opens = (sum(one[name] for one in used) for name in ("direct_kernel", "opens"))
    return None if 0 < direct < opens else direct > 0


def _passes_no_calls(mount: Mount, processes: Sequence[Process]) -> bool:
    """Transfers by io_uring or mappings; streams of the C library are counted by the kernel alone, too."""
    return bool(mount.counts["mappings"]) or any(process["rings"] for process in processes)


def counted_text(judged: JudgedRecord) -> Mapping[str, float | int | None]:
    """The counted numbers that stand beside the claim."""
    name = MOVED.get(judged.access)
    bytes_ = sum(int(getattr(phase, name)) for phase in judged.phases) if name else 0
    lasted_s = sum(phase.access_s(judged.access) for phase in judged.phases)
    return {"bytes": bytes_, "mib_s": bytes_ / _MIB / lasted_s if bytes_ and lasted_s else None}
