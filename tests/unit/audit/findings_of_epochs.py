"""As findings.py: rules about epochs of a training."""

from __future__ import annotations

from tests.unit.audit.subjects import MIB, subject
from weir.audit import Subject

FINDS: list[tuple[str, Subject, str, str]] = [
    (
        "epoch-from-memory",
        subject(
            {"memory_bytes": 4096 * MIB},
            access="read",
            tool="dlio",
            program="DLIO",
            iteration=1,
            nn=2,
            file_bytes=1024 * MIB,
        ),
        "DEGRADED",
        "each host read 512 MiB in an epoch and has 4 GiB of memory",
    ),
]
