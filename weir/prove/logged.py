"""The contents of a log of Darshan, with the verdicts that it allows: calls alone prove no storage."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weir.audit.judge import UNPROVEN, judge
from weir.audit.subject import Subject
from weir.base.units import about_size, three_digits
from weir.prove.claims import OF_THE_PROGRAM
from weir.prove.darshan import ALL_RANKS, APIS, NAMED, Log, LoggedMount, Use
from weir.prove.output import line, verdict_text
from weir.prove.records import LEAST_BYTES, MOVED, JudgedRow, application_row
from weir.prove.results import Claim

_MIB = 2**20
_NO_DEVICE = "a log of Darshan has no counts of devices"
_NOT_LOGGED = (
    "what the kernel, the devices or the servers counted: a log has the calls alone",
    "O_DIRECT, and which of the bytes a synchronisation followed",
    "io_uring, mappings after they were made, and processes that Darshan was not loaded into",
)


@dataclass(frozen=True)
class Moved:
    """One access on one mount, by what called the C library: else, without such records, by MPI-IO."""

    place: LoggedMount
    access: str
    uses: tuple[Use, ...]
    judged: JudgedRow

    @property
    def bytes(self) -> int:
        return sum(one.bytes for one in self.uses)


def moved_in(log: Log, on: Path | None = None) -> list[Moved]:
    """The mount with most bytes first. on: a path below the only mount that counts."""
    found = []
    for place in dict.fromkeys(use.place for use in log.uses):
        if on is not None and place != log.place_of(on):
            continue
        for access in MOVED:
            here = [one for one in log.uses if (one.place, one.access) == (place, access)]
            uses = [one for one in here if one.api != APIS["MPI-IO"]] or here
            if sum(one.bytes for one in uses) >= LEAST_BYTES:
                subject = _subject(log, place, access, uses)
                found.append(Moved(place, access, tuple(uses), JudgedRow(subject, judge(subject))))
    total: Counter[LoggedMount] = Counter()
    for one in found:
        total[one.place] += one.bytes
    return sorted(found, key=lambda one: (-total[one.place], one.place.point, one.access != "write"))


def _subject(log: Log, place: LoggedMount, access: str, uses: Sequence[Use]) -> Subject:
    moved, calls = sum(one.bytes for one in uses), sum(one.calls for one in uses)
    row = application_row(access, moved, calls, _lasted_s(log, uses), log.program, place.point, str(log.file))
    if {one.api for one in uses} == {APIS["MPI-IO"]}:
        row["api"] = APIS["MPI-IO"]
    facts = {
        "file_system": place.file_system,
        "called_bytes": moved,
        "of_calls": True,
        "device": {"name": None, "reason": _NO_DEVICE, "copies": None},
        "interposed": [],
    }
    return Subject(row, facts)


def _lasted_s(log: Log, uses: Sequence[Use]) -> float:
    """A lower bound of the duration: time stamps of a log exclude synchronisations, its times within calls
    include them."""
    span_s = max(one.ended_s for one in uses) - min(one.began_s for one in uses)
    return max(span_s, _busiest_s(log, uses))


def _busiest_s(log: Log, uses: Sequence[Use]) -> float:
    """A lower bound of the time that the busiest process spent in calls, whatever passed between them."""
    busy_s: dict[int, float] = defaultdict(float)
    for one in uses:
        busy_s[one.rank] += one.busy_s
    busy_s[ALL_RANKS] /= log.processes
    return max(busy_s.values())


def judged_claims(
    claims: Sequence[Claim], log: Log, moved: Sequence[Moved]
) -> list[tuple[Claim, JudgedRow | None]]:
    """Each beside the mount with most of its access; None where the log has nothing of it."""
    found: list[tuple[Claim, JudgedRow | None]] = []
    for claim in claims:
        alike = [one for one in moved if claim.row["access"] in (one.access, None)]
        if not alike:
            found.append((claim, None))
            continue
        most = max(alike, key=lambda one: one.bytes)
        beside = most.judged.subject
        claimed = {name: claim.row[name] for name in OF_THE_PROGRAM if claim.row.get(name) is not None}
        row = beside.row | {"total_s": None, "io_s": None, "ops": None} | claimed
        facts = dict(beside.observed)
        if row["moved_bytes"] >= facts["called_bytes"]:
            facts["shortest_span_s"] = _busiest_s(log, most.uses)
        if row["total_s"] is None and row["bw_mib_s"]:
            row["total_s"] = row["moved_bytes"] / _MIB / row["bw_mib_s"]
        subject = Subject(row, facts, claim.messages, claim.complete)
        found.append((claim, JudgedRow(subject, judge(subject))))
    return found


def logged_lines(log: Log, moved: Sequence[Moved], on: Path | None = None) -> Iterator[str]:
    processes = f"{log.processes:,} processes" if log.processes > 1 else "1 process"
    yield f"weir prove: {log.program}, {processes}, {log.elapsed_s:.2f} s, as {log.file} has it"
    for place in dict.fromkeys(one.place for one in moved):
        here = [one for one in moved if one.place == place]
        yield f"{place.point} ({place.file_system})"
        yield from _requested(log, place)
        yield _names_line(log, place)
        yield line("time", "; ".join(f"{one.access} {_busy_text(log, one)}" for one in here))
        for one in here:
            rate = one.judged.row["bw_mib_s"]
            text = f", {three_digits(rate)} MiB/s" if rate else ""
            yield line(one.access, f"{about_size(one.bytes)}{text}: {_verdict(one.judged)}")
    if not moved:
        yield "the log has no file that was read or written" + (f" on the mount of {on}" if on else "")
    yield from (f"{'not seen:' if at == 0 else '':<10}{text}" for at, text in enumerate(unseen(log)))


def _requested(log: Log, place: LoggedMount) -> Iterator[str]:
    """The requested transfers by interfaces. Transfers of MPI-IO appear again in the calls that it made."""
    for api in APIS.values():
        parts = []
        for access in reversed(MOVED):
            uses = [one for one in log.uses if (one.place, one.api, one.access) == (place, api, access)]
            calls = sum(one.calls for one in uses)
            text = f"{access} {about_size(sum(one.bytes for one in uses))} in {calls:,} calls"
            collective = sum(one.collective_calls for one in uses)
            parts += [text + (f" ({collective:,} collective)" if collective else "")] if uses else []
        if parts:
            yield line("requested", f"{api}: {', '.join(parts)}")


def _names_line(log: Log, place: LoggedMount) -> str:
    here = [one for one in log.names if one.place == place and one.api != APIS["MPI-IO"]]
    counts = [f"{sum(one.counts[name] for one in here):,} {name}" for name in NAMED]
    return line("names", ", ".join(counts))


def _verdict(one: JudgedRow) -> str:
    if one.judgement.verdict != UNPROVEN:
        return verdict_text(one)
    return f"UNPROVEN, lacks {', '.join(one.judgement.missing)}: a log has the calls alone"


def _busy_text(log: Log, one: Moved) -> str:
    busy_s = sum(use.busy_s for use in one.uses)
    elapsed = three_digits(_lasted_s(log, one.uses))
    return f"{three_digits(busy_s)} s in calls of all processes, {elapsed} s elapsed"


def logged_claims(claims: Sequence[tuple[Claim, JudgedRow | None]]) -> Iterator[str]:
    for claim, judged in claims:
        rate = claim.row.get("bw_mib_s")
        number = f"{three_digits(claim.row.get('ops_s') or 0)} operations/s"
        if rate:
            number = f"{three_digits(rate)} MiB/s"
        if judged is None:
            beside = ": UNPROVEN, the log has no such access"
        else:
            counted = about_size(judged.subject.observed["called_bytes"])
            beside = f"; the log has {counted}: {_verdict(judged)}"
        access = judged.row["access"] if judged else claim.row.get("access")
        yield f"claimed by {claim.who}: {access} {number}{beside}"


def unseen(log: Log) -> Iterator[str]:
    yield from _NOT_LOGGED
    for name in log.partial:
        yield f"files of {name} beyond the memory that Darshan had: the log is partial"
    if log.unread:
        yield f"records of {', '.join(log.unread)}; what they called is in those of POSIX and MPI-IO"


def logged_facts(
    log: Log, moved: Sequence[Moved], claims: Sequence[tuple[Claim, JudgedRow | None]]
) -> dict[str, Any]:
    """The facts of --json."""
    return {
        "log": str(log.file),
        "command": log.command,
        "processes": log.processes,
        "elapsed_s": log.elapsed_s,
        "records": [one.judged.known for one in moved],
        "claims": [one.known for _, one in claims if one is not None],
        "not_seen": list(unseen(log)),
    }
