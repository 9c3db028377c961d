"""Observations of libweir-witness about a launch, as observed facts of its rows."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from weir.base.files import json_of
from weir.records.model import Row
from weir.records.shapes import check_of
from weir.witness.document import LIBRARY
from weir.witness.nodes import facts_of_device, groups, known_sum, mirrors_of, processors, servers_of
from weir.witness.spans import (
    MOVED,
    Span,
    called,
    clocks,
    contents,
    facts_of_turns,
    in_files,
    kind_of,
    longest_halt_s,
    paused_s,
    places,
    total_of,
    turns_of,
)

# Reads the witness of release 0.2.0, which listed the provider of each call.
_SYSTEM = ("libc.so", "libc-", "ld-linux", "ld-musl", "linux-vdso", "libpthread")
_COUNTS = {
    "opens": "opens",
    "direct_opens": "direct_requested",
    "direct_reported": "direct_reported",
    "direct_kernel": "direct_kernel",
    "read_bytes": "read_bytes",
    "written_bytes": "written_bytes",
    "reads_failed": "reads_failed",
    "writes_failed": "writes_failed",
    "dontneed": "dontneed",
    "truncations": "truncations",
    "mappings": "mappings",
}
_TRANSFERS_BY_CALLS = ("POSIX", "MPIIO")  # with these every byte passes unchanged through a call


@dataclass(frozen=True)
class Witnessed:
    """Reports of the processes of a launch; empty without the witness."""

    processes: Sequence[Mapping[str, Any]] = ()

    def common(self) -> dict[str, Any]:
        """Facts of the whole launch: all accesses and iterations together."""
        if not self.processes:
            return {}
        records = [record for process in self.processes for record in (*process["files"], process["others"])]
        seen = {name: sum(int(record[key]) for record in records) for name, key in _COUNTS.items()}
        for name, key in (("syncs", "done"), ("syncs_failed", "failed")):
            seen[name] = sum(int(call[key]) for record in records for call in record["syncs"].values())
        seen["ranks"] = len(self._ranks())
        seen["measuring"] = len(self._measuring())
        of_nodes = groups(self.processes) | processors(self.processes)
        return {"witness": seen, "interposed": list(_interposed(self.processes)), **of_nodes}

    def of_row(self, row: Row, accesses: Sequence[str], iterations: int, ranks: int) -> dict[str, Any]:
        """Facts of one access of one iteration; none unless all ranks reported, each with phases that can be
        told apart. row["iteration"] counts within the launch."""
        by_rank = self._ranks()
        if len(by_rank) == ranks and kind_of(row):
            return _facts_of_names(row, by_rank, iterations)
        if len(by_rank) != ranks or row.get("access") not in MOVED:
            return {}
        spans = {rank: _spans_of(process, row, accesses, iterations) for rank, process in by_rank.items()}
        if not all(spans.values()):
            return {}
        facts = _facts(row, by_rank, {rank: list(part or ()) for rank, part in spans.items()})
        if row["access"] == "read" and "write" in accesses and "called_bytes" in facts:
            write: Row = {**row, "access": "write"}
            parts = [_spans_of(process, write, accesses, iterations) for process in by_rank.values()]
            if all(parts):
                facts["written_in_calls"] = in_files([span for part in parts for span in part or ()])
        return facts

    def _measuring(self) -> list[Mapping[str, Any]]:
        """Processes that ran the same program as a rank's busiest process and did as much: each is a
        measurement. A rank's helpers and what prepares its files run other programs, or do less."""
        most: dict[tuple[int, str], tuple[int, int]] = {}
        for process in self.processes:
            key, (moved, named) = (process["rank"], process["program"]), _work(process)
            top = most.get(key, (0, 0))
            most[key] = (max(top[0], moved), max(top[1], named))
        return [process for process in self.processes if process["rank"] >= 0 and _did_half(process, most)]

    def _ranks(self) -> dict[int, Mapping[str, Any]]:
        """Processes by rank; helper processes that a rank started do not count as ranks."""
        found: dict[int, Mapping[str, Any]] = {}
        for process in self.processes:
            rank = process["rank"]
            if rank >= 0 and (rank not in found or (process["spans"] and not found[rank]["spans"])):
                found[rank] = process
        return found


def _work(process: Mapping[str, Any]) -> tuple[int, int]:
    """Bytes and names of a process."""
    records = (*process["files"], process["others"])
    moved = sum(record["read_bytes"] + record["written_bytes"] for record in records)
    return moved, sum(process.get("names", {}).values())


def _did_half(process: Mapping[str, Any], most: Mapping[tuple[int, str], tuple[int, int]]) -> bool:
    """Whether the process did half of what the busiest process of its rank and program did."""
    (moved, named), (most_moved, most_named) = _work(process), most[process["rank"], process["program"]]
    return bool(moved or named) and 2 * moved >= most_moved and 2 * named >= most_named


def read_witness(outputs: Mapping[str, Path]) -> Witnessed:
    """A file that was changed after the library wrote it is not evidence."""
    file = outputs.get("witness")
    document = json_of(file) if file else None
    return Witnessed(document["processes"]) if document and not check_of("witness")(document) else Witnessed()


def _spans_of(
    process: Mapping[str, Any], row: Row, accesses: Sequence[str], iterations: int
) -> list[Span] | None:
    """The spans of the row's access and iteration: by their order where each phase opens its files once, else
    by what they moved."""
    spans: list[Span] = process["spans"]
    if process["more_spans"] or not spans:
        return None
    at = row["iteration"]
    in_order = [access for _ in range(iterations) for access in accesses]
    if row["access"] in accesses and len(spans) == len(in_order) and all(map(_may_be, spans, in_order)):
        return [spans[at * len(accesses) + list(accesses).index(row["access"])]]
    moved = [span for span in spans if _is_of(span, row["access"])]
    if not moved:
        return _empty_spans(spans, row, accesses, iterations)
    return _share(moved, at, iterations)


def _share(spans: list[Span], at: int, iterations: int) -> list[Span] | None:
    """The spans of one iteration; None where they cannot be shared out evenly."""
    count = len(spans) // iterations
    return spans[at * count : (at + 1) * count] if count and len(spans) == count * iterations else None


def _empty_spans(spans: list[Span], row: Row, accesses: Sequence[str], iterations: int) -> list[Span] | None:
    """The spans of an access whose calls never reached the system: those between the spans of the other
    access."""
    others = [other for other in accesses if other != row["access"] and other in MOVED]
    moved = [index for index, span in enumerate(spans) if others and _is_of(span, others[0])]
    if not moved:
        return _share(spans, row["iteration"], iterations)
    count = len(moved) // iterations
    if row["access"] not in accesses or len(moved) != count * iterations:
        return None
    is_later = accesses.index(row["access"]) > accesses.index(others[0])
    passed = (row["iteration"] + is_later) * count  # spans of the other access that came before
    begin = moved[passed - 1] + 1 if passed else 0
    end = moved[passed] if passed < len(moved) else len(spans)
    return spans[begin:end] or None


def _may_be(span: Span, access: str) -> bool:
    """A phase whose calls never reached the system has no bytes, and none of the other access either."""
    other = "read_bytes" if access == "write" else "written_bytes"
    return not span[other] or bool(span[MOVED[access]])


def _is_of(span: Span, access: str) -> bool:
    """A write may read too (data sieving, headers of HDF5); a read does not write. An open and a close for
    nothing, as rank 0 of MPI-IO makes them before a phase, are of none."""
    return bool(
        span["written_bytes"] if access == "write" else span["read_bytes"] and not span["written_bytes"]
    )


def _facts(
    row: Row, processes: Mapping[int, Mapping[str, Any]], spans: Mapping[int, Sequence[Span]]
) -> dict[str, Any]:
    every = [span for part in spans.values() for span in part]
    first = processes[min(processes)]
    facts: dict[str, Any] = {
        **_file_systems(processes),
        "fetched_bytes": known_sum(span["fetched_bytes"] for span in every),
        "dirtied_bytes": known_sum(span["dirtied_bytes"] for span in every),
        **clocks(every),
        "paused_s": paused_s(spans.values()),
        "longest_halt_s": longest_halt_s(spans.values()),
        **_device(processes, spans),
        "servers": servers_of(processes, spans),
        **_opened(processes),
    }
    if row["access"] == "write":
        facts["sync_calls"] = facts["called_syncs"] = _syncs(spans.values())
        facts["payload"] = first["payload"]
        facts["existing_bytes"] = _existing_bytes(processes)
        facts["unwritten"] = _unwritten(processes, spans)
    facts |= places(every, row["access"]) | contents(every, row["access"]) | _cancelled(every)
    moved = [sum(span[MOVED[row["access"]]] for span in part) for part in spans.values()]
    if row.get("api") in _TRANSFERS_BY_CALLS and not _mappings(processes):
        facts["called_bytes"] = called(every, row["access"])
    lengths = [span["ended_ns"] - span["began_ns"] for span in every if span[MOVED[row["access"]]]]
    if lengths:
        facts["shortest_span_s"], facts["longest_span_s"] = min(lengths) / 1e9, max(lengths) / 1e9
    if len(set(moved)) == 1 and moved[0]:
        times = [sum(span["transfers_end_ns"] - span["began_ns"] for span in part) for part in spans.values()]
        facts["rank_io_s"] = [min(times) / 1e9, max(times) / 1e9]
    return facts


def _cancelled(spans: Sequence[Span]) -> dict[str, Any]:
    counted = [span["cancelled_bytes"] for span in spans if "cancelled_bytes" in span]
    return {"cancelled_bytes": sum(counted)} if len(counted) == len(spans) else {}


def _file_systems(processes: Mapping[int, Mapping[str, Any]]) -> dict[str, Any]:
    """The file system of the first rank, and those of all, since a node may lack the mount."""
    every = sorted({process["file_system"] for process in processes.values() if process["file_system"]})
    return {"file_system": processes[min(processes)]["file_system"], "file_systems": every}


def _facts_of_names(row: Row, processes: Mapping[int, Mapping[str, Any]], iterations: int) -> dict[str, Any]:
    """The facts of a row of metadata."""
    facts = total_of(row, processes, iterations) | _file_systems(processes)
    turns = turns_of(row, processes, iterations)
    if turns:
        spans = {rank: [turn["span"]] for rank, turn in turns.items()}
        every = [turn["span"] for turn in turns.values()]
        facts |= {"fetched_bytes": known_sum(span["fetched_bytes"] for span in every), **clocks(every)}
        facts |= {**_device(processes, spans), "servers": servers_of(processes, spans)}
        facts |= facts_of_turns(row, [*turns.values()])
    return facts


def _syncs(spans: Collection[Sequence[Span]]) -> int:
    """The synchronisations of all ranks. If a rank wrote and made none, it is the number of ranks that made
    some, because those of one rank do not replace another's."""
    made = [sum(span["syncs"] for span in part) for part in spans]
    wrote = [any(span["written_bytes"] for span in part) for part in spans]
    lacking = any(wrote and not made for wrote, made in zip(wrote, made, strict=True))
    return sum(map(bool, made)) if lacking else sum(made)


def _device(
    processes: Mapping[int, Mapping[str, Any]], spans: Mapping[int, Sequence[Span]]
) -> dict[str, Any]:
    """Growth of the counters of each node from its first rank's begin to its last rank's end. Nodes that
    share a kernel have one count of a device."""
    by_disk: dict[tuple[str, str | None], list[Span]] = {}
    for rank, part in spans.items():
        process = processes[rank]
        kernel = process.get("kernel") or process["host"]
        by_disk.setdefault((kernel, process["device"]), []).extend(part)
    total = [0] * 5
    name, reason = (processes[min(processes)][key] for key in ("device", "device_reason"))
    for part in by_disk.values():
        before, after = ([span[key] for span in part] for key in ("device_before", "device_after"))
        if None in before or None in after:
            name, reason = None, reason or "a node shows no device with counters"
            continue
        grown = [max(column) for column in zip(*after, strict=True)]
        least = [min(column) for column in zip(*before, strict=True)]
        total = [sum(parts) for parts in zip(total, grown, [-one for one in least], strict=False)]
    known = None if name is None else total
    copies = processes[min(processes)].get("device_copies")
    mirrors = mirrors_of(processes.values())
    has_flushes = all(process.get("device_flushes") for process in processes.values())
    return {
        "device_read_bytes": known and known[0],
        "device_written_bytes": known and known[1],
        "device": facts_of_device(name, reason, known, copies, has_flushes, mirrors),
    }


def _opened(processes: Mapping[int, Mapping[str, Any]]) -> dict[str, Any]:
    """O_DIRECT, where all opens of all ranks have it and the kernel confirms it."""
    records = [record for process in processes.values() for record in (*process["files"], process["others"])]
    opens = sum(record["opens"] for record in records)
    confirmed = sum(min(record["direct_requested"], record["direct_kernel"]) for record in records)
    flags = sorted({flag for record in records for flag in record["flags"]})
    return {"direct": bool(opens) and confirmed == opens, "open_flags": flags}


def _existing_bytes(processes: Mapping[int, Mapping[str, Any]]) -> int:
    """The bytes that the files had before. In a shared file a rank may find what a faster rank has written,
    so the minimum counts."""
    found: dict[str, int] = {}
    for process in processes.values():
        for record in process["files"]:
            if not record["opens"]:
                continue
            size = record["existing_bytes"]
            found[record["path"]] = min(size, found.get(record["path"], size))
    return sum(found.values())


def _unwritten(
    processes: Mapping[int, Mapping[str, Any]], spans: Mapping[int, Sequence[Span]]
) -> dict[str, int] | None:
    """The unwritten pages of files that several ranks of a node share: the look of the rank that closed last,
    because the others still wrote when an earlier one looked."""
    by_host: dict[str, list[int]] = {}
    for rank in spans:
        by_host.setdefault(processes[rank]["host"], []).append(rank)
    looks = []
    for ranks in by_host.values():
        paths = [file["path"] for rank in ranks for file in processes[rank]["files"] if file["written_bytes"]]
        if len(set(paths)) < len(paths):
            ranks = [max(ranks, key=lambda rank: max(span["ended_ns"] for span in spans[rank]))]
        looks += [max(spans[rank], key=lambda span: span["ended_ns"]).get("unwritten") for rank in ranks]
    seen = [look for look in looks if look]
    return {key: sum(look[key] for look in seen) for key in seen[0]} if seen else None


def _mappings(processes: Mapping[int, Mapping[str, Any]]) -> int:
    return sum(record["mappings"] for process in processes.values() for record in process["files"])


def _interposed(processes: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Calls that another object than the C library and the witness provides, once each."""
    calls = [call for process in processes for call in process["calls"]]
    found = {(call["call"], call["object"], bool(call.get("behind"))) for call in calls if "object" in call}
    found |= {
        (call["call"], call[place], place == "next")
        for call in calls
        for place in ("first", "next")
        if call.get(place) and not PurePath(call[place]).name.startswith((*_SYSTEM, LIBRARY.stem))
    }
    for name, provider, behind in sorted(found):
        yield {"call": name, "object": provider, "behind": behind}
