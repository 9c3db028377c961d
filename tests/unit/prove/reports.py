"""Reports of the library as it writes them, of processes that moved what a test gives."""

import socket
from collections.abc import Container, Mapping, Sequence
from typing import Any

from weir.prove.claims import judged_claims
from weir.prove.mounts import mounts_of
from weir.prove.records import JudgedRecord
from weir.prove.results import Claim

MIB = 2**20
S = 1_000_000_000
NAMES = ("create", "open", "mkdir", "stat", "rename", "unlink", "rmdir")
PAYLOAD = {"compressed_share": 1.0, "unique_share": 1.0, "sampled_bytes": 65536}
ZEROS = {"compressed_share": 0.003, "unique_share": 0.0625, "sampled_bytes": 65536}


def counters(io: Mapping[str, int], device: tuple[int, int] | None) -> dict[str, Any]:
    """The kernel's at one moment, in MiB."""
    names = ("rchar", "wchar", "read_bytes", "write_bytes", "cancelled_write_bytes")
    counts = {name: io.get(name, 0) * MIB for name in names}
    disk = None if device is None else [count * MIB for count in (*device, *device)]
    return {"raw_ns": 0, "io": counts, "device": disk, "servers": []}


def phase(read: int = 0, written: int = 0, synced: int = 0, lasted_s: float = 1.0) -> dict[str, Any]:
    """Of calls of 1 MiB each."""
    ends = {"first_ns": S, "last_ns": S + int(lasted_s * S)}
    called = {"read": read, "write": written, "sync": int(synced > 0), "name": 1}
    return {
        **ends,
        "read_bytes": read * MIB,
        "written_bytes": written * MIB,
        "direct_read_bytes": 0,
        "direct_written_bytes": 0,
        "synced_bytes": synced * MIB,
        "most_at_once": 1,
        **{kind: _calls(calls, ends) for kind, calls in called.items()},
        "names": dict.fromkeys(NAMES, 0) | {"open": 1},
        "before": counters({}, None),
    }


def _calls(calls: int, ends: Mapping[str, int]) -> dict[str, int]:
    return {"calls": calls, "busy_ns": S // 4, **(ends if calls else dict.fromkeys(ends, 0))}


def mount(
    *phases: dict[str, Any],
    point: str = "/scratch",
    file_system: str = "ext4",
    device: tuple[int, int] | None = None,
    io: Mapping[str, int] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """device: MiB that it gave and was written; io: growth of the process's own counters, in MiB."""
    before = counters({}, None if device is None else (0, 0))
    return {
        "point": point,
        "file_system": file_system,
        "source": "/dev/sdz1",
        "counted": file_system != "tmpfs",
        "watched": False,
        "compresses": False,
        "device": "sdz" if device is not None else None,
        "device_reason": None if device is not None else "no device",
        "device_copies": 1,
        "observers": [],
        **dict.fromkeys(("opens_failed", "stdio_opens", "direct_requested", "direct_kernel", "mappings"), 0),
        **dict.fromkeys(("reads_failed", "writes_failed", "more_phases"), 0),
        "opens": len(phases),
        "reads": sum(one["read"]["calls"] for one in phases),
        "writes": sum(one["write"]["calls"] for one in phases),
        "read_bytes": sum(one["read_bytes"] for one in phases),
        "written_bytes": sum(one["written_bytes"] for one in phases),
        "flags": [],
        "syncs": {"fsync": {"done": sum(one["sync"]["calls"] for one in phases), "failed": 0}},
        "unwritten": None,
        "start": before,
        "end": counters(io or {}, device),
        "phases": [one | {"before": before} for one in phases],
        **more,
    }


def process(*mounts: dict[str, Any], **more: Any) -> dict[str, Any]:
    """On this node, with nothing in front of the C library."""
    return {
        "schema": 1,
        "rank": -1,
        "pid": 7,
        "host": socket.gethostname(),
        "program": "app",
        "rings": 0,
        "elsewhere_read_bytes": 0,
        "elsewhere_written_bytes": 0,
        "uncounted_read_bytes": 0,
        "uncounted_written_bytes": 0,
        "started": True,
        "syncs_answered": False,
        "io": counters({}, None)["io"],
        "payload": PAYLOAD,
        "preload": "",
        "calls": [],
        "mounts": list(mounts),
        **more,
    }


def judged_of(claims: Sequence[Claim], *processes: dict[str, Any]) -> list[JudgedRecord]:
    """The claims that are judged, with their verdicts."""
    found = judged_claims(claims, mounts_of(processes), processes, ["app"])
    return [one for _, one in found if one is not None]


def claimed(
    claim: Claim, *processes: dict[str, Any], unreported: Container[str] = ()
) -> tuple[str | None, str]:
    ((_, one),) = judged_claims([claim], mounts_of(processes), processes, ["app"], unreported)
    return (None, "") if one is None else (one.row["verdict"], one.row["missing"] or "")


def fio(**row: Any) -> Claim:
    whole = {"access": "write", "moved_bytes": 100 * MIB, "requested_bytes": 100 * MIB, "total_s": 1.0}
    return Claim("fio", whole | {"bw_mib_s": 100.0, "program": "fio", "tool": "fio"} | row)
