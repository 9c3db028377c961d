"""Records as rules look at them: a good one, and helpers that change what a rule is about."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tests.checkout import plain_cell
from weir.audit import RunFacts, Subject
from weir.records.model import Cell, Message, Row

MIB = 2**20
GOOD_ROW: Row = {
    "tool": "ior", "api": "POSIX", "access": "write", "nn": 2, "ppn": 4, "xfer_bytes": MIB,
    "layout": "shared", "order": "sequential", "block_bytes": 100 * MIB, "stonewall_s": 0.0, "segments": 1,
    "collective": False, "sync": True, "direct": False, "requested_bytes": 800 * MIB,
    "moved_bytes": 800 * MIB, "file_bytes": 800 * MIB, "open_s": 0.1, "io_s": 1.8, "close_s": 0.1,
    "total_s": 2.0004, "bw_mib_s": 399.92, "ops_s": 400.0, "program": "IOR", "tool_version": "4.1.0",
}  # fmt: skip
CELL = plain_cell(
    nodes=2, ppn=4,
    params={
        "api": "POSIX", "layout": "shared", "order": "sequential", "xfer_bytes": MIB,
        "block_bytes": 100 * MIB, "segments": 1, "stonewall": 0.0, "collective": False, "sync": True,
        "direct": False, "hints": {},
    },
)  # fmt: skip
PLACED: dict[str, Any] = {
    "requested": {"switches": 1, "constraint": "nvme&ib", "exclude": ["n3"], "alone": True},
    "alone": True,
    "groups": [{"switch": "s1", "features": ["nvme", "ib"], "nodes": ["n1", "n2"]}],
}
SLOW = {"node": "n2", "kind": "storage", "time_s": 0.3, "median_s": 0.1}
DONE = RunFacts(exit_code=0, timed_out=False, timeout_s=60.0, error=None)
CUT = {"moved_bytes": 80 * MIB, "bw_mib_s": 39.992}
# A read of more than its files hold, in passes.
PASSES = {"access": "read", "moved_bytes": 750 * MIB, "bw_mib_s": 374.925, "file_bytes": 300 * MIB}
SHORT = {"io_s": 29.5, "total_s": 29.6, "open_s": 0.01, "close_s": 0.01, "stonewall_s": 30.0}
RANDOM = {"order": "random"}
# Of metadata there is a rate, and mostly no bytes and no open or close of its own.
NAMES: Row = dict.fromkeys(GOOD_ROW) | {"api": "POSIX", "access": "create", "io_s": 0.5, "total_s": 0.5}
NAMES |= {"item": "file", "directories": "shared", "ops": 400, "requested_ops": 400, "ops_s": 800.0}


def subject(
    observed: dict[str, Any] | None = None,
    messages: tuple[Message, ...] = (),
    complete: bool = True,
    run: RunFacts | None = DONE,
    cell: Cell | None = CELL,
    **row: Any,
) -> Subject:
    return Subject(GOOD_ROW | row, observed or {}, messages, complete, cell, run)


def ran(kind: str | None = None, elapsed_s: float | None = None, **host: Any) -> RunFacts:
    """A run that ended well, on such a host, of a target that declares a kind."""
    return replace(DONE, host=host, target={"kind": kind} if kind else {}, elapsed_s=elapsed_s)


def planned(**params: Any) -> Cell:
    """The cell of the good record with other parameters."""
    return replace(CELL, params={**CELL.params, **params})


# A verdict, the record that it is of, and a part of the evidence.
Found = tuple[str, Subject, str]


def invalid(evidence: str, about: Subject | dict[str, Any] | None = None, **facts: Any) -> Found:
    """about: the record, or what was observed of a good record that is changed by these facts."""
    return "INVALID", about if isinstance(about, Subject) else subject(about, **facts), evidence


def degraded(evidence: str, about: Subject | dict[str, Any] | None = None, **facts: Any) -> Found:
    return "DEGRADED", *invalid(evidence, about, **facts)[1:]


def noted(evidence: str, about: Subject | dict[str, Any] | None = None, **facts: Any) -> Found:
    return "NOTE", *invalid(evidence, about, **facts)[1:]


def cases(found: Mapping[str, Found | list[Found]]) -> list[tuple[str, Subject, str, str]]:
    """As findings.py has them, from what each rule must find."""
    of_rules = {rule: each if isinstance(each, list) else [each] for rule, each in found.items()}
    return [(rule, about, verdict, seen) for rule, each in of_rules.items() for verdict, about, seen in each]


def alone(**facts: Any) -> Subject:
    """A record of which no plan is known."""
    return subject(cell=None, **facts)


def read(observed: dict[str, Any] | None = None, fetched_mib: int | None = None, **facts: Any) -> Subject:
    """A read, of which so many MiB came from the storage."""
    fetched = {} if fetched_mib is None else {"fetched_bytes": fetched_mib * MIB}
    return subject(observed, access="read", **fetched, **facts)


def passes_of(times: float, first_s: float = 1.0) -> Subject:
    """A read of three passes; the later two are so many times as fast as the first one."""
    io_s = first_s * (1 + 2 / times)
    return read(
        {"passes": {"count": 3, "first_bytes": 250 * MIB, "first_s": first_s}, "written_bytes": 250 * MIB},
        fetched_mib=750,
        moved_bytes=750 * MIB,
        file_bytes=250 * MIB,
        io_s=io_s,
        open_s=0.0,
        close_s=0.0,
        total_s=io_s,
        bw_mib_s=750 / io_s,
    )


def in_passes(count: int, written_mib: int) -> dict[str, Any]:
    """A stonewall ended the passes over a file of so many MiB."""
    return {"passes": {"count": count}, "written_bytes": written_mib * MIB, "stonewall": {"hit": True}}


def unwritten(files: int, dirty_bytes: int, writeback_bytes: int = 0) -> dict[str, Any]:
    """Pages of files that are in the cache after the synchronisation."""
    counts = {"files": files, "pages": 9, "dirty_bytes": dirty_bytes, "writeback_bytes": writeback_bytes}
    return {"unwritten": counts}


def interposed(by: str, *calls: str) -> dict[str, Any]:
    """Another object than the C library provides these calls."""
    return {"interposed": [{"call": call, "object": by} for call in calls]}


def at_device(written_mib: float | None = None, name: str = "vda", **device: Any) -> dict[str, Any]:
    written = {} if written_mib is None else {"device_written_bytes": int(written_mib * MIB)}
    return {"device": {"name": name, **device}, **written}


def in_calls(rchar: int = 0, wchar: int = 0, file_system: str | None = "tmpfs") -> dict[str, Any]:
    """What the kernel counted, in MiB."""
    return {"file_system": file_system, "process_io": {"rchar": rchar * MIB, "wchar": wchar * MIB}}


def placed(**changes: Any) -> Subject:
    """A record of a job that got nodes."""
    host = {"slow_nodes": [], "placement": PLACED | changes}
    return subject(run=ran(**host))


def printed(text: str, level: str = "error") -> tuple[Message, ...]:
    return (Message(level, text),)


def on_disk(read_bytes: int, written_bytes: int) -> dict[str, Any]:
    return {"device": {"name": "vda", "disk_read_bytes": read_bytes, "disk_written_bytes": written_bytes}}


def from_disk(mib: int, name: str = "vda") -> Subject:
    """A read whose bytes were all fetched, some of them from the disk."""
    seen = {"device": {"name": name}, "device_read_bytes": mib * MIB}
    return read(seen, fetched_mib=800)


def observer(sent: int = 0, received: int = 0, **more: Any) -> dict[str, Any]:
    """TCP connections of a mount, as weir-io and the witness report them."""
    counts = {
        "sent_bytes": sent,
        "received_bytes": received,
        "requests": 800,
        "writes": None,
        "commits": None,
    }
    idle = {"ended_connections": 0, "idle_sent_bytes": 0, "idle_received_bytes": 0}
    named = {"observer": "connections", "counted": "traffic", "what": "2 TCP connections", "reason": None}
    return {**named, **counts, **idle, **more}


def behind(*observers: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Observed facts of an access to a network file system."""
    return {"file_system": "nfs4", "servers": {"idle_s": 0.02, "observers": list(observers)}, **more}


def servers(*each: dict[str, Any], cpu_waited_s: float | None = None) -> dict[str, Any]:
    """Observed facts of an access to several servers, told apart by their addresses."""
    facts = behind(observer(sent=900 * MIB, received=900 * MIB))
    facts["servers"]["by_address"] = list(each)
    facts["servers"]["cpu_waited_us"] = None if cpu_waited_s is None else cpu_waited_s * 1e6
    return facts


def server(
    number: int, waited_s: float = 0.0, closed_s: float = 0.0, late_ms: float = 0.0, here: bool = False
) -> dict[str, Any]:
    """One that took and gave 400 MiB."""
    times = {"outstanding_us": waited_s * 1e6, "closed_us": closed_s * 1e6, "answer_us": late_ms * 1e3}
    moved = {"sent_bytes": 400 * MIB, "received_bytes": 400 * MIB}
    return {"address": f"10.0.0.{number}:9422", "here": here, **moved, **times}


def blind(name: str = "lustre") -> dict[str, Any]:
    """A source that could not count."""
    counts = dict.fromkeys(observer(), None) | {"counted": "payload", "observer": name}
    return counts | {"reason": "the counters are not readable"}


ON_NETWORK = RunFacts(
    0, False, 60.0, None, {"links_mbit_s": 1000.0}, {"kind": "network", "sent_per_byte": 2.0}
)


def provided(call: str, by: str, **row: Any) -> Subject:
    return subject(interposed(by, call), **row)


def named(observed: dict[str, Any], **row: Any) -> Subject:
    """A record of metadata."""
    return subject(observed, **NAMES | row)


def each_file(**observed: Any) -> Subject:
    """400 files of 4 KiB that were to be synchronised one by one."""
    return named({"sync_files": True, **observed}, xfer_bytes=4096, cell=None)


def on_file_system(kind_seen: str, source: str, kind: str = "disk", below: str | None = None) -> Subject:
    """A write on a mount, of a target that declares a kind."""
    mount = {"type": kind_seen, "device": source, "in_memory": None, "below": below}
    run = ran(kind=kind, file_system=mount)
    return subject({"file_system": kind_seen}, run=run)
