"""What is unknown proves nothing: a device that cannot be told gives no evidence, and no finding either."""

from __future__ import annotations

import pytest

from tests.unit.audit.subjects import MIB, subject
from weir.audit import Subject, judge

KNOWN = {"device": {"name": "vda", "reason": None}, "device_read_bytes": 0, "device_written_bytes": 800 * MIB}
UNKNOWN = {
    "device": {"name": None, "reason": "what is below loop3 (/srv/image (deleted)) is unknown"},
    "device_read_bytes": None,
    "device_written_bytes": None,
}


def written(observed: dict[str, object], **row: object) -> Subject:
    return subject({"dirtied_bytes": 800 * MIB} | observed, cell=None, **row)


def read(observed: dict[str, object], **row: object) -> Subject:
    return subject(observed, access="read", cell=None, **row)


ALL_FETCHED = {"device_read_bytes": 800 * MIB}
EVIDENCE: dict[str, tuple[Subject, str, bool]] = {
    "a synchronised write": (written(KNOWN), "stored", True),
    "on an unknown device": (written(UNKNOWN), "stored", False),
    "a log of a write to a device in memory": (
        written(KNOWN | {"device": {"name": "loop0 in memory"}}, run=None),
        "stored",
        False,
    ),
    "O_DIRECT on an unknown device": (
        written(UNKNOWN | {"direct": True}, sync=False, direct=True),
        "stored",
        False,
    ),
    "the kernel took what was not synchronised": (written(UNKNOWN, sync=False), "stored", True),
    "counted twice as often as touched, on a known device": (
        written(KNOWN | {"dirtied_bytes": 8000 * MIB}),
        "stored",
        True,
    ),
    "and without a synchronisation": (
        written(KNOWN | {"dirtied_bytes": 8000 * MIB}, sync=False),
        "stored",
        False,
    ),
    "fetched from a known device": (read(KNOWN | ALL_FETCHED, fetched_bytes=800 * MIB), "fetched", True),
    "fetched from an unknown device": (read(UNKNOWN, fetched_bytes=800 * MIB), "fetched", False),
    "no page in the cache, on an unknown device": (
        read(UNKNOWN | {"residency": {"before": 0.0}, "file_system": "overlay"}),
        "fetched",
        False,
    ),
    "a daemon fetches, and the device gave it": (
        read(KNOWN | ALL_FETCHED | {"residency": {"before": 0.0}, "file_system": "fuse"}),
        "fetched",
        True,
    ),
}


@pytest.mark.parametrize("name", EVIDENCE)
def test_evidence_needs_a_known_device(name: str) -> None:
    about, evidence, is_given = EVIDENCE[name]
    judged = judge(about)
    assert judged.findings == ()
    assert (evidence not in judged.missing) == is_given
