"""Records whose bytes went elsewhere in their files, or did not stay there, as in findings.py."""

from typing import Any

from tests.unit.audit.subjects import MIB, alone, cases, degraded, invalid, noted, read, subject
from weir.audit import Subject


def placed(calls: int, distinct: int, **row: Any) -> Subject:
    return subject({"tasks": 2, "places": {"calls": calls, "distinct": distinct}}, **row)


def compared(looked: int, differing: int, **row: Any) -> Subject:
    seen = {"looked": looked, "differing": differing}
    return subject({"file_system": "tmpfs", "contents": seen}, **row)


def drawn(size_bytes: int) -> Subject:
    seen = {"drawn": {"bytes": size_bytes, "late_bytes": size_bytes, "late_share": 0.0}}
    return read(seen, order="random")


FOUND = {
    "files-in-memory": noted(
        "/dev/shm/data is in the memory of the node",
        Subject(alone(tool="dd", nn=1).row, {"path": "/dev/shm/data"}),
    ),
    "drawn-again": degraded("read 800 MiB at offsets drawn from 300 MiB", drawn(300 * MIB)),
    "places-repeated": [
        invalid("128 calls began at about 1 places", placed(128, 1)),
        invalid("at about 60 places", placed(128, 60, access="read", direct=True)),
    ],
    "contents-differ": [
        invalid("other bytes than 16 of 32 transfers", compared(32, 16)),
        invalid("other bytes than 32 of 32 transfers", compared(32, 32, access="read")),
    ],
    "bytes-withdrawn": [
        invalid("700 MiB of 800 MiB were taken away again", {"cancelled_bytes": 700 * MIB}),
        invalid(
            "were taken away again before they were stored",
            {"process_io": {"cancelled_write_bytes": 700 * MIB, "rchar": 0, "wchar": 800 * MIB}},
        ),
    ],
}
FINDS = cases(FOUND)
