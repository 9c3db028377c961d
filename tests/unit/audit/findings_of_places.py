"""Records whose bytes went elsewhere in their files, or did not stay there, as in findings.py."""

from __future__ import annotations

from typing import Any

from tests.unit.audit.subjects import MIB, alone, subject
from weir.audit import Subject


def placed(calls: int, distinct: int, **row: Any) -> Subject:
    return subject({"tasks": 2, "places": {"calls": calls, "distinct": distinct}}, **row)


def compared(looked: int, differing: int, **row: Any) -> Subject:
    seen = {"looked": looked, "differing": differing}
    return subject({"file_system": "tmpfs", "contents": seen}, **row)


def drawn(size_bytes: int) -> Subject:
    seen = {"drawn": {"bytes": size_bytes, "late_bytes": size_bytes, "late_share": 0.0}}
    return subject(seen, access="read", order="random")


FINDS: list[tuple[str, Subject, str, str]] = [
    (
        "files-in-memory",
        Subject(alone(tool="dd", nn=1).row, {"path": "/dev/shm/data"}),
        "NOTE",
        "/dev/shm/data is in the memory of the node",
    ),
    (
        "drawn-again",
        drawn(300 * MIB),
        "DEGRADED",
        "read 800 MiB at offsets drawn from 300 MiB",
    ),
    ("places-repeated", placed(128, 1), "INVALID", "128 calls began at about 1 places"),
    ("places-repeated", placed(128, 60, access="read", direct=True), "INVALID", "at about 60 places"),
    ("contents-differ", compared(32, 16), "INVALID", "other bytes than 16 of 32 transfers"),
    ("contents-differ", compared(32, 32, access="read"), "INVALID", "other bytes than 32 of 32 transfers"),
    (
        "bytes-withdrawn",
        subject({"cancelled_bytes": 700 * MIB}),
        "INVALID",
        "700 MiB of 800 MiB were taken away again",
    ),
    (
        "bytes-withdrawn",
        subject({"process_io": {"cancelled_write_bytes": 700 * MIB, "rchar": 0, "wchar": 800 * MIB}}),
        "INVALID",
        "were taken away again before they were stored",
    ),
]
