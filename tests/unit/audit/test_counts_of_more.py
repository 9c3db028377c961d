"""A count that is large enough is not always one of the bytes of the result."""

from typing import Any

import pytest

from tests.unit.audit.subjects import MIB, behind, interposed, observer, on_disk, read, subject
from weir.audit import Judgement, judge

WITHOUT_CALLS = {"device": {"name": "vda"}, "device_read_bytes": 800 * MIB}


def found(judgement: Judgement) -> dict[str, str]:
    return {one.rule: one.verdict for one in judgement.findings}


def read_of(fetched_mib: int, seen: dict[str, Any], **row: Any) -> Judgement:
    facts = WITHOUT_CALLS | {"device_read_bytes": fetched_mib * MIB} | seen
    return judge(read(facts, fetched_mib=fetched_mib, **row))


def test_what_is_read_again_from_a_small_file_comes_from_the_cache() -> None:
    """io-model with cache: uncached reads 800 MiB at random places of 8 MiB: 8 are fetched."""
    scattered = {"scattered": True, "tasks": 8}
    assert found(read_of(8, scattered, file_bytes=8 * MIB))["read-from-cache"] == "DEGRADED"
    written = scattered | {"written_bytes": 800 * MIB}
    assert found(read_of(8, written, file_bytes=8 * MIB))["read-from-cache"] == "DEGRADED"
    compressed = read_of(100, {"written_bytes": 800 * MIB}, file_bytes=100 * MIB, api="HDF5", deflate_level=1)
    assert "read-from-cache" in compressed.passed


@pytest.mark.parametrize(
    ("seen", "fetched_mib", "verdict"),
    [
        ({"file_system": "squashfs"}, 300, "missing"),
        ({"file_system": "squashfs"}, 0, "DEGRADED"),
        ({"file_system": "squashfs", "residency": {"before": 0.0}}, 300, None),
        ({"file_system": "squashfs", "residency": {"before": 0.6}}, 300, "DEGRADED"),
        ({"file_system": "btrfs", "compressing": True, "direct": True}, 300, "missing"),
        ({"file_system": "btrfs", "compressing": False, "residency": {"before": 0.0}}, 300, "DEGRADED"),
    ],
)
def test_compressed_data_are_more_when_they_are_read(
    seen: dict[str, Any], fetched_mib: int, verdict: str | None
) -> None:
    judgement = read_of(fetched_mib, seen)
    assert found(judgement).get("read-from-cache") == (None if verdict == "missing" else verdict)
    assert ("fetched" in judgement.missing) == (verdict is not None)
    cached_below = read_of(fetched_mib, seen | {"device_read_bytes": 0})
    assert "fetched" in cached_below.missing


def test_writes_again_to_a_small_file_are_calls_all_the_same() -> None:
    """The device need not get them, but each was to reach the kernel."""
    few = subject({"scattered": True, "called_bytes": 100 * MIB}, file_bytes=8 * MIB)
    assert found(judge(few))["bytes-not-in-calls"] == "INVALID"
    library = interposed("libx.so", "pwrite") | {"called_bytes": 100 * MIB}
    assert "calls" in judge(subject({"scattered": True} | library, file_bytes=8 * MIB)).missing


def test_the_size_of_one_of_many_files_is_not_what_the_device_needs() -> None:
    seen = {"device": {"name": "vda"}, "device_read_bytes": 0, "device_written_bytes": 100 * MIB}
    of_one = subject(seen, layout="file-per-process", file_bytes=100 * MIB)
    assert found(judge(of_one))["sync-not-effective"] == "INVALID"


@pytest.mark.parametrize(("before", "verdict"), [(0.9, "DEGRADED"), (0.1, None), (None, "missing")])
def test_a_read_ahead_does_not_make_up_for_a_cache(before: float | None, verdict: str | None) -> None:
    """Of 4 KiB at random places of mapped files 128 KiB are fetched, wherever a page is not there."""
    judgement = read_of(2400, {} if before is None else {"residency": {"before": before}})
    assert found(judgement).get("read-from-cache") == (None if verdict == "missing" else verdict)
    assert ("fetched" in judgement.missing) == (before is None or before > 0.2)


@pytest.mark.parametrize(("fetched_mib", "is_proven"), [(800, False), (1400, False), (1600, True)])
def test_what_other_calls_fetched_is_no_evidence(fetched_mib: int, is_proven: bool) -> None:
    """Of the 1,600 MiB that the calls read, the result has 800: after a ramp, or beside another job."""
    seen = {"of_calls": True, "called_bytes": 1600 * MIB}
    assert ("fetched" in read_of(fetched_mib, seen, cell=None).missing) != is_proven


def test_what_other_calls_wrote_is_no_evidence() -> None:
    def missing(stored_mib: int) -> bool:
        seen = {"of_calls": True, "called_bytes": 1600 * MIB, "dirtied_bytes": 1600 * MIB, "tasks": 1}
        device = on_disk(0, stored_mib * MIB) | {"device_read_bytes": 0}
        counts = {"device_written_bytes": stored_mib * MIB, "sync_calls": 2}
        return "stored" in judge(subject(seen | device | counts, cell=None)).missing

    assert missing(800)
    assert missing(1500)
    assert not missing(1600)


@pytest.mark.parametrize(
    ("stored_mib", "syncs", "total_s", "verdict"),
    [
        (14, 4, 1.0, "missing"),  # measured: four ranks wrote the same 4 MiB, on a cached loop device
        (4, 4, 1.0, "missing"),
        (3, 4, 1.0, "INVALID"),
        (14, 1, 1.0, "INVALID"),  # a page is dirtied again once it was written back
        (14, 1, 12.0, "missing"),  # as the kernel does by itself every 5 s
        (16, 4, 1.0, None),
    ],
)
def test_a_cache_below_may_join_what_was_written_again(
    stored_mib: int, syncs: int, total_s: float, verdict: str | None
) -> None:
    """The kernel was given 16 MiB; a loop device joins those of one offset in its own cache."""
    seen = {"of_calls": True, "called_bytes": 16 * MIB, "dirtied_bytes": 16 * MIB, "tasks": 1}
    seen |= on_disk(0, stored_mib * MIB) | {"device_read_bytes": 0, "device_written_bytes": stored_mib * MIB}
    moved = dict.fromkeys(("requested_bytes", "moved_bytes", "file_bytes"), 16 * MIB)
    times = {"total_s": total_s, "bw_mib_s": 16 / total_s}
    judgement = judge(subject(seen | {"sync_calls": syncs}, cell=None, **moved, **times))
    assert found(judgement).get("sync-not-effective") == (None if verdict == "missing" else verdict)
    assert verdict == "INVALID" or ("stored" in judgement.missing) == (verdict is not None)


def test_servers_must_have_the_bytes_of_all_calls() -> None:
    def missing(name: str, sent: int, received: int, **row: Any) -> bool:
        seen = behind(observer(sent * MIB, received * MIB), of_calls=True, called_bytes=1600 * MIB)
        return name in judge(subject(seen, cell=None, **row)).missing

    assert missing("stored", 900, 0)
    assert not missing("stored", 1600, 0)
    assert missing("fetched", 0, 900, access="read")
    assert not missing("fetched", 0, 1600, access="read")
