"""Results about operations on names: of benchmarks of metadata, and of searches."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from weir.audit.subject import SPAN_SHARE, Subject
from weir.prove.counters import searched
from weir.prove.mounts import Mount
from weir.prove.records import row_of, synchronised_files
from weir.prove.results import Claim
from weir.prove.shared_calls import named_s
from weir.records.model import Row, tasks_of
from weir.witness.spans import kind_of

SEARCH = "find"  # an access: entries of directories are read
_NEARLY_ALL_NAMES = 0.9
_OF_A_STONEWALL = ("stonewall", "status_file")  # facts of a program that was to end early


def of_names(claim: Claim, mount: Mount, command: Sequence[str], others: Sequence[Claim]) -> Subject:
    row: Row = dict.fromkeys(row_of(mount, "read", [], command))
    row |= {name: value for name, value in claim.row.items() if name in row}
    row |= {"emulated": False, "target": mount.point, "source": shlex.join(command)}
    row |= {"iteration": 0, "cell": ""}
    facts: dict[str, Any] = {"file_system": mount.file_system, "of_calls": True}
    if mount.processors:
        facts["processors"] = mount.processors
    told: Mapping[str, Any] = claim.row.get("observed") or {}
    facts |= {name: told[name] for name in _OF_A_STONEWALL if told.get(name)}
    facts |= synchronised_files(claim.row, mount)
    kind = kind_of(claim.row)
    if claim.row["access"] == SEARCH:
        listed = searched(str(claim.row.get("program")), mount.listed)
        if listed.entries is not None:
            facts |= {"called_operations": listed.entries, "shortest_span_s": listed.busy_s}
    elif kind:
        # Files and directories are looked at by the same calls: each result needs operations of its own.
        alike = [one for one in others if kind_of(one.row) == kind]
        called = sum(phase.names[kind] for phase in mount.phases) - sum(map(_operations, alike))
        facts["called_operations"] = max(called, 0) // _iterations(claim)
        ops, tasks = claim.row.get("ops") or 0, tasks_of(claim.row) or 1
        ops += sum(map(_operations, alike))
        least_s = named_s(kind, ops, tasks, mount)
        if least_s is not None and not alike:
            facts["shortest_span_s"] = least_s
        elif least_s is not None and _told_s([claim, *alike]) < SPAN_SHARE * least_s:
            del facts["called_operations"]  # which of them is too quick is not known
    return Subject(row, facts, claim.messages, claim.complete)


def have_time(claims: Sequence[Claim], mount: Mount) -> bool:
    """Whether results of operations on names lasted as long as the busiest process was in such calls, where
    nearly all of these are theirs. Which of them is too quick is not known."""
    named = [one for one in claims if kind_of(one.row) is not None and one.row.get("ops_s")]
    ops = sum(_operations(one) for one in named)
    if ops < _NEARLY_ALL_NAMES * sum(sum(phase.names.values()) for phase in mount.phases):
        return True
    return _told_s(named) >= SPAN_SHARE * sum(phase.quickest_ns["name"] for phase in mount.phases) / 1e9


def _told_s(claims: Sequence[Claim]) -> float:
    return float(sum(_operations(one) / one.row["ops_s"] for one in claims if one.row.get("ops_s")))


def _iterations(claim: Claim) -> int:
    return int((claim.row.get("observed") or {}).get("mean_of") or 1)


def _operations(claim: Claim) -> int:
    return int(claim.row.get("ops") or 0) * _iterations(claim)
