"""What is unknown proves nothing: a device that cannot be told gives no evidence, and no finding either."""

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
TWICE = {"dirtied_bytes": 8000 * MIB}
PROVEN: dict[str, Subject] = {
    "a synchronised write": written(KNOWN),
    "the kernel took what was not synchronised": written(UNKNOWN, sync=False),
    "counted twice as often as touched, on a known device": written(KNOWN | TWICE),
    "fetched from a known device": read(KNOWN | ALL_FETCHED, fetched_bytes=800 * MIB),
    "a daemon fetches, and the device gave it": read(
        KNOWN | ALL_FETCHED | {"residency": {"before": 0.0}, "file_system": "fuse"}
    ),
}
NOT_PROVEN: dict[str, Subject] = {
    "a write to an unknown device": written(UNKNOWN),
    "a log of a write to a device in memory": written(
        KNOWN | {"device": {"name": "loop0 in memory"}}, run=None
    ),
    "O_DIRECT on an unknown device": written(UNKNOWN | {"direct": True}, sync=False, direct=True),
    "counted twice as often as touched, without a synchronisation": written(KNOWN | TWICE, sync=False),
    "fetched from an unknown device": read(UNKNOWN, fetched_bytes=800 * MIB),
    "no page in the cache, on an unknown device": read(
        UNKNOWN | {"residency": {"before": 0.0}, "file_system": "overlay"}
    ),
}


@pytest.mark.parametrize("name", [*PROVEN, *NOT_PROVEN])
def test_evidence_needs_a_known_device(name: str) -> None:
    about = {**PROVEN, **NOT_PROVEN}[name]
    evidence = "fetched" if about.row["access"] == "read" else "stored"
    judged = judge(about)
    assert judged.findings == ()
    assert (evidence not in judged.missing) == (name in PROVEN)
