"""Makes records that the audit judges: one for each access of each phase on each mount."""

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

from weir.audit.judge import Judgement, verdict_columns
from weir.audit.rules.interposed import CLOCKS, MAPPINGS, SYNCHRONISATION, TRANSFERS, does
from weir.audit.subject import Subject
from weir.base.mounts import mount_of
from weir.measure.machine.mount_settings import synchronisation_off
from weir.prove.counters import is_here
from weir.prove.mounts import Growth, Mount, Phase
from weir.prove.pieces import SIZES
from weir.prove.reports import Process
from weir.records.columns import columns
from weir.records.model import Row
from weir.witness.nodes import counts_of_observer, facts_of_device, known_sum

_MIB = 2**20
LEAST_BYTES = 1 << 20  # less is what a program needs to start, or a phase of its settings
NEARLY_ALL = 0.95
_TOLD = ("sync_files", "syncs_reported")  # facts of a program about its synchronisations
MOVED = {"write": "written_bytes", "read": "read_bytes"}


@dataclass(frozen=True)
class JudgedRow:
    """A record with its verdict."""

    subject: Subject
    judgement: Judgement

    @property
    def row(self) -> Row:
        return self.subject.row | verdict_columns(self.judgement)

    @property
    def known(self) -> Row:
        """The columns with a value."""
        return {name: value for name, value in self.row.items() if value is not None}


@dataclass(frozen=True)
class JudgedRecord(JudgedRow):
    """A record with the phases it is about."""

    mount: Mount
    access: str
    phases: Sequence[Phase]


def row_of(mount: Mount, access: str, phases: Sequence[Phase], command: Sequence[str]) -> Row:
    """The columns of a record, from what was counted."""
    moved = sum(int(getattr(phase, MOVED[access])) for phase in phases)
    lasted_s = sum(phase.access_s(access) for phase in phases)
    ops = sum(phase.calls[access] for phase in phases)
    row = application_row(access, moved, ops, lasted_s, program_of(command), mount.point, shlex.join(command))
    row |= {
        "nn": mount.hosts,
        "ppn": max(-(-mount.processes // mount.hosts), 1),
        "tasks": mount.processes or None,
        "sync": synced_share(phases) >= NEARLY_ALL if access == "write" else None,
        "direct": _is_direct(access, phases),
    }
    if access == "read":
        row["fetched_bytes"] = growth_of(phases).by_reads_bytes
    return row


def application_row(
    access: str, moved: int, ops: int, lasted_s: float, program: str, target: str, source: str
) -> Row:
    """The columns of any application on a mount. source: of these numbers."""
    row: Row = dict.fromkeys(columns())
    return row | {
        "api": "POSIX",
        "access": access,
        "requested_bytes": moved,
        "moved_bytes": moved,
        "ops": ops,
        "total_s": lasted_s,
        "io_s": lasted_s,
        "bw_mib_s": moved / _MIB / lasted_s if lasted_s > 0 else None,
        "ops_s": ops / lasted_s if lasted_s > 0 else None,
        "purpose": "application",
        "program": program,
        "target": target,
        "emulated": False,
        "iteration": 0,
        "cell": f"{target} {access}",
        "label": f"{program} {access} on {target}",
        "source": source,
    }


def program_of(command: Sequence[str]) -> str:
    return PurePath(command[0]).name


def synced_share(phases: Sequence[Phase]) -> float:
    """The share of the written bytes that a synchronisation followed."""
    written = sum(phase.written_bytes for phase in phases)
    return sum(phase.synced_bytes for phase in phases) / written if written else 0.0


def until_synced(phases: Sequence[Phase], all_: Sequence[Phase]) -> Phase | None:
    """All that there is up to a later synchronisation of their bytes, as one: a result that has it has the
    wait for it, too. None where there is none, or other bytes are written before it."""
    first, last = (all_.index(phases[at]) for at in (0, -1)) if phases else (0, -1)
    found = None
    for at, later in enumerate(all_[last + 1 :], last + 1):
        if later.written_bytes >= LEAST_BYTES:
            break
        if later.synced_earlier_bytes and later.synced_from_ns >= all_[first].began_ns:
            found = _joined(all_[first : at + 1])
    return found


def _joined(parts: Sequence[Phase]) -> Phase:
    def sums(name: str) -> dict[str, int]:
        counts: list[Mapping[str, int]] = [getattr(one, name) for one in parts]
        return {kind: sum(one[kind] for one in counts) for kind in counts[0]}

    def pair(name: str) -> tuple[int, int]:
        return sum(getattr(one, name)[0] for one in parts), sum(getattr(one, name)[1] for one in parts)

    ends = {kind: [one.ends_ns[kind] for one in parts if kind in one.ends_ns] for kind in parts[0].calls}
    bytes_: dict[str, Any] = {name: sum(getattr(one, name) for one in parts) for name in SIZES}
    counts: dict[str, Any] = {name: sums(name) for name in ("calls", "busy_ns", "quickest_ns", "names")}
    return replace(
        parts[0],
        ended_ns=parts[-1].ended_ns,
        ends_ns={kind: (some[0][0], some[-1][1]) for kind, some in ends.items() if some},
        **bytes_,
        synced_bytes=sum(one.synced_bytes + one.synced_earlier_bytes for one in parts),
        **counts,
        growth=growth_of(parts),
        beside=pair("beside"),
        beside_on_disk=pair("beside_on_disk"),
        spans=(),
    )


def direct_bytes(access: str, phases: Sequence[Phase]) -> int:
    """The bytes of an access on descriptors with O_DIRECT."""
    return sum(int(getattr(phase, f"direct_{MOVED[access]}")) for phase in phases)


def _is_direct(access: str, phases: Sequence[Phase]) -> bool:
    moved = sum(int(getattr(phase, MOVED[access])) for phase in phases)
    return bool(moved) and direct_bytes(access, phases) >= NEARLY_ALL * moved


def growth_of(phases: Sequence[Phase]) -> Growth:
    """The growth of several phases together."""
    parts = [phase.growth for phase in phases]
    if len(parts) == 1:
        return parts[0]
    return Growth(
        known_sum(one.fetched_bytes for one in parts),
        known_sum(one.by_reads_bytes for one in parts),
        sum(one.ahead_bytes for one in parts),
        sum(one.ahead_before_bytes for one in parts),
        min((one.ahead_from_ns for one in parts if one.ahead_from_ns), default=0),
        known_sum(one.dirtied_bytes for one in parts),
        known_sum(one.cancelled_bytes for one in parts),
        _sums([one.device for one in parts]),
        tuple(
            tuple(known_sum(column) for column in zip(*observer, strict=True))
            for observer in zip(*(one.servers for one in parts), strict=False)
        ),
    )


def _sums(values: Sequence[tuple[int, ...] | None]) -> tuple[int, ...] | None:
    known = [value for value in values if value is not None]
    return tuple(map(sum, zip(*known, strict=True))) if known and len(known) == len(values) else None


def facts_of(
    mount: Mount, access: str, phases: Sequence[Phase], processes: Sequence[Process]
) -> dict[str, Any]:
    """The facts that the rules look at, in the form in which weir-io and the witness of a suite give them."""
    growth = growth_of(phases) if phases else mount.whole
    moved = sum(int(getattr(phase, MOVED[access])) for phase in phases)
    device = growth.device
    facts: dict[str, Any] = {
        "file_system": mount.file_system,
        "compressing": _compresses(mount),
        "fetched_bytes": growth.by_reads_bytes if phases and access == "read" else growth.fetched_bytes,
        "dirtied_bytes": growth.dirtied_bytes,
        "cancelled_bytes": growth.cancelled_bytes,
        "device_read_bytes": device[0] if device else None,
        "device_written_bytes": device[1] if device else None,
        "device": device_facts(mount, device),
        "servers": _servers(mount, growth),
        "group": mount.group,
        "processors": mount.processors,
        "direct": _is_direct(access, phases),
        "open_flags": list(mount.flags),
        "called_bytes": moved,
        "beside_bytes": sum(phase.beside[access == "write"] for phase in phases) or None,
        "beside_on_disk": [sum(phase.beside_on_disk[way] for phase in phases) for way in (0, 1)],
        "interposed": interposed(processes),
    }
    if access == "write":
        facts["syncs_answered"] = any(one["syncs_answered"] for one in processes) or None
        syncs = sum(phase.calls["sync"] for phase in phases)
        through = synced_share(phases) >= NEARLY_ALL and not syncs
        facts["sync_calls"] = facts["called_syncs"] = max(syncs, int(through))
        if through:  # each call synchronises what it writes
            facts["synced_writes"] = sum(phase.calls["write"] for phase in phases)
        facts["tasks"] = 1
        facts["payload"] = _payload(processes)
        facts["unwritten"] = mount.unwritten
        facts |= _synchronisation_off(mount)
    return {name: value for name, value in facts.items() if value is not None or name == "servers"}


def without_counts(subject: Subject, names: Sequence[str], why: str) -> Subject:
    """The subject without counts that belong, or may belong, to something else than the result."""
    facts = {name: value for name, value in subject.observed.items() if name not in names}
    row = subject.row | {name: None for name in names if name in subject.row}
    return replace(subject, row=row, observed=facts | {"of_calls": False, "calls_unclear": why})


def device_facts(mount: Mount, grown: Sequence[int] | None) -> dict[str, Any]:
    """Beside the bytes read and written."""
    copies, flushes = mount.device_copies, mount.device_flushes
    known = mount.device, mount.device_reason
    return facts_of_device(*known, grown, copies, flushes, mount.device_mirrors)


def _compresses(mount: Mount) -> bool | None:
    """Whether the mount compresses, by its options and by the flags of the files; None where neither is
    known."""
    if mount.file_system != "btrfs":
        return None
    if mount.compresses:
        return True
    options = (mount_of(Path(mount.point)) or {}).get("super_options", "").split(",")
    return any(option.partition("=")[0] in ("compress", "compress-force") for option in options)


def _servers(mount: Mount, growth: Growth) -> dict[str, Any] | None:
    if not mount.observers:
        return None
    counts = growth.servers or ((),) * len(mount.observers)
    seen = [counts_of_observer(*pair) for pair in zip(mount.observers, counts, strict=True)]
    return {"idle_s": 0.0, "observers": seen}


def _payload(processes: Sequence[Process]) -> Mapping[str, Any] | None:
    """The redundancy that the process measured which wrote most."""
    samples = [one for one in processes if one["payload"]]
    written = [sum(mount["written_bytes"] for mount in one["mounts"]) for one in samples]
    return samples[written.index(max(written))]["payload"] if samples else None


_OF_A_RESULT = (TRANSFERS, SYNCHRONISATION, CLOCKS, MAPPINGS)


def interposed(processes: Sequence[Process]) -> list[dict[str, Any]]:
    """Calls that another object than the C library and the witness provides, once each: those that a result
    rests on."""
    found = {
        (call["call"], call["object"], call["behind"])
        for process in processes
        if any(mount["phases"] for mount in process["mounts"])
        for call in process["calls"]
        if does(call["call"], _OF_A_RESULT) or call["call"] == "ptrace"
    }
    return [{"call": call, "object": name, "behind": behind} for call, name, behind in sorted(found)]


def watched_paths(command: Sequence[str], only: Sequence[str]) -> Iterator[str]:
    """Directories whose mounts may be used: those of --on, the current one, and those that the command
    names."""
    names = list(only) or [".", *(word.rpartition("=")[2] for word in command[1:] if "/" in word)]
    seen = set()
    for name in names:
        folder = os.path.realpath(name)
        while not os.path.isdir(folder):
            folder = os.path.dirname(folder)
        device = os.stat(folder).st_dev
        if device not in seen:
            seen.add(device)
            yield folder


def told_of_syncs(row: Row, mount: Mount, phases: Sequence[Phase]) -> dict[str, Any]:
    """Synchronisations of each file or each write, as a program tells them and as they were counted; nothing
    where it tells of none."""
    told: Mapping[str, Any] = row.get("observed") or {}
    found = {name: told[name] for name in _TOLD if told.get(name)}
    if not phases and found.get("syncs_reported"):
        return {"synced_writes": found["syncs_reported"]}  # by a queue
    if told.get("writes_through") and phases and not {"O_SYNC", "O_DSYNC"} & {*mount.flags}:
        found["syncs_reported"] = row.get("ops")
    if not found or not phases:
        return {}
    found["syncs_at_once"] = max(phase.syncs_at_once for phase in phases)
    return found | _synchronisation_off(mount)


def _synchronisation_off(mount: Mount) -> dict[str, Any]:
    """The option that prevents synchronisations; nothing where the mount is not here any more."""
    found = synchronisation_off(Path(mount.point)) if is_here(mount.point, mount.file_system) else None
    return {"synchronisation_off": found} if found else {}


def synchronised_files(row: Row, mount: Mount) -> dict[str, Any]:
    """The same of files that are created, with what was counted below them."""
    found = told_of_syncs(row, mount, mount.phases)
    if not found:
        return {}
    device = growth_of(mount.phases).device
    found["called_syncs"] = found["sync_calls"] = sum(phase.calls["sync"] for phase in mount.phases)
    if seen := mount.unwritten:
        left = seen["dirty_bytes"] + seen["writeback_bytes"]
        found["entries"] = {"sampled": 0, "there": 0, "cached_files": seen["files"], "unwritten_bytes": left}
    return found | {"device": device_facts(mount, device), "device_written_bytes": device and device[1]}
