"""Synchronisations of each file or each write that did nothing, as in findings.py."""

from __future__ import annotations

from typing import Any

from tests.unit.audit.subjects import each_file, subject
from weir.audit import Subject


def flushed(count: int | None) -> dict[str, Any]:
    return {"device": {"name": "vda", "flushes": count}}


def each_write(**observed: Any) -> Subject:
    return subject({"syncs_reported": 800, **observed}, cell=None, tool="fio")


FINDS: list[tuple[str, Subject, str, str]] = [
    (
        "syncs-not-at-device",
        each_file(**flushed(40)),
        "INVALID",
        "40 flushes of vda for 400 synchronisations",
    ),
    ("syncs-not-at-device", each_write(**flushed(9)), "INVALID", "9 flushes of vda for 800"),
    (
        "syncs-not-at-device",
        each_write(**flushed(9000), called_syncs=1),
        "INVALID",
        "800 synchronisations were reported, 1 left the program",
    ),
    ("syncs-not-at-device", each_write(**flushed(49), syncs_at_once=8), "INVALID", "8 at a time"),
]
