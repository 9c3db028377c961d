"""Synchronisations of each file or each write that did nothing, as in findings.py."""

from typing import Any

from tests.unit.audit.subjects import cases, each_file, invalid, subject
from weir.audit import Subject


def flushed(count: int | None) -> dict[str, Any]:
    return {"device": {"name": "vda", "flushes": count}}


def each_write(**observed: Any) -> Subject:
    return subject({"syncs_reported": 800, **observed}, cell=None, tool="fio")


FOUND = {
    "syncs-not-at-device": [
        invalid("40 flushes of vda for 400 synchronisations", each_file(**flushed(40))),
        invalid("9 flushes of vda for 800", each_write(**flushed(9))),
        invalid(
            "800 synchronisations were reported, 1 left the program",
            each_write(**flushed(9000), called_syncs=1),
        ),
        invalid("8 at a time", each_write(**flushed(49), syncs_at_once=8)),
    ]
}
FINDS = cases(FOUND)
