"""Records as rules look at them: a good one, and helpers that change what a rule is about."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from weir.audit import RunFacts, Subject
from weir.model import Cell, Message, Row

MIB = 2**20
GOOD_ROW: Row = {
    "tool": "ior",
    "api": "POSIX",
    "access": "write",
    "nn": 2,
    "ppn": 4,
    "xfer_bytes": MIB,
    "layout": "shared",
    "order": "sequential",
    "block_bytes": 100 * MIB,
    "stonewall_s": 0.0,
    "segments": 1,
    "collective": False,
    "sync": True,
    "direct": False,
    "requested_bytes": 800 * MIB,
    "moved_bytes": 800 * MIB,
    "file_bytes": 800 * MIB,
    "open_s": 0.1,
    "io_s": 1.8,
    "close_s": 0.1,
    "total_s": 2.0004,
    "bw_mib_s": 399.92,
    "ops_s": 400.0,
    "program": "IOR",
    "tool_version": "4.1.0",
}
CELL = Cell(
    cell="0123456789ab",
    label="",
    suite="quick",
    experiment="test",
    tool="ior",
    site="local",
    target="disk",
    stack="debian",
    partition="here",
    nodes=2,
    ppn=4,
    rounds=1,
    iterations=1,
    timeout_s=60.0,
    params={
        "api": "POSIX",
        "layout": "shared",
        "order": "sequential",
        "xfer_bytes": MIB,
        "block_bytes": 100 * MIB,
        "segments": 1,
        "stonewall": 0.0,
        "collective": False,
        "sync": True,
        "direct": False,
        "hints": {},
    },
)
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


def alone(**facts: Any) -> Subject:
    """A record of which no plan is known."""
    return subject(cell=None, **facts)


def passes_of(times: float, first_s: float = 1.0) -> Subject:
    """A read of three passes; the later two are so many times as fast as the first one."""
    io_s = first_s * (1 + 2 / times)
    return subject(
        {
            "passes": {"count": 3, "first_bytes": 250 * MIB, "first_s": first_s},
            "written_bytes": 250 * MIB,
        },
        access="read",
        moved_bytes=750 * MIB,
        file_bytes=250 * MIB,
        fetched_bytes=750 * MIB,
        io_s=io_s,
        open_s=0.0,
        close_s=0.0,
        total_s=io_s,
        bw_mib_s=750 / io_s,
    )


def in_calls(rchar: int = 0, wchar: int = 0, file_system: str | None = "tmpfs") -> dict[str, Any]:
    """What the kernel counted, in MiB."""
    return {"file_system": file_system, "process_io": {"rchar": rchar * MIB, "wchar": wchar * MIB}}


def placed(**changes: Any) -> Subject:
    """A record of a job that got nodes."""
    host = {"slow_nodes": [], "placement": PLACED | changes}
    return subject(run=replace(DONE, host=host))


def printed(text: str, level: str = "error") -> tuple[Message, ...]:
    return (Message(level, text),)


def on_disk(read_bytes: int, written_bytes: int) -> dict[str, Any]:
    return {"device": {"name": "vda", "disk_read_bytes": read_bytes, "disk_written_bytes": written_bytes}}


def from_disk(mib: int, name: str = "vda") -> Subject:
    """A read whose bytes were all fetched, some of them from the disk."""
    seen = {"device": {"name": name}, "device_read_bytes": mib * MIB}
    return subject(seen, access="read", fetched_bytes=800 * MIB)
