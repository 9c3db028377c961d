"""Claims of programs whose transfers pass queues and mappings, which no call shows."""

from typing import Any

import pytest

from tests.unit.prove.reports import MIB, claimed, fio, mount, phase, process
from weir.prove.results import expected


@pytest.mark.parametrize("means", ["mappings", "rings"])
def test_of_queues_and_mappings_the_kernel_must_have_seen_the_bytes(means: str) -> None:
    def unseen(**facts: Any) -> dict[str, Any]:
        more = {"mappings": 3} if means == "mappings" else {}
        return process(mount(phase(), **facts | more), rings=int(means == "rings"))

    device = {"device": (0, 100), "io": {"write_bytes": 100}}
    assert claimed(fio(sync=False), unseen(**device)) == ("VALID", "")
    half = {"device": (0, 60), "io": {"write_bytes": 60}}
    assert claimed(fio(sync=False), unseen(**half)) == ("UNPROVEN", "file")
    assert claimed(fio(sync=False), unseen(file_system="tmpfs")) == ("UNPROVEN", "file")


def test_a_number_without_a_time_of_calls_is_not_believed() -> None:
    """Nobody but the program has the time of its queues and mappings, and nobody that of its streams."""
    counted: dict[str, Any] = {"device": (0, 100), "io": {"write_bytes": 100, "wchar": 100}}
    queues = process(mount(phase(), **counted), rings=1)
    assert claimed(expected("write 200 MiB/s"), queues) == ("UNPROVEN", "file")
    assert claimed(expected("write 900 GiB/s"), queues)[0] != "VALID"
    streams = process(mount(phase(), **counted, stdio_opens=1), io={"rchar": 0, "wchar": 100 * MIB})
    assert claimed(fio(sync=False), streams) == ("UNPROVEN", "file")


def test_a_file_that_is_laid_out_first_is_not_that_of_the_result() -> None:
    """fio writes the file by calls, and then maps it, or gives it to a queue in another process."""
    both = {"device": (0, 200), "io": {"wchar": 100, "write_bytes": 200}}
    mapped = process(mount(phase(written=100, lasted_s=9), **both, mappings=1))
    for details in ({}, {"xfer_bytes": MIB}):
        assert claimed(fio(sync=False, **details), mapped) == ("VALID", "")
    lays = process(mount(phase(written=100, lasted_s=9), device=(0, 200), io={"write_bytes": 100}, opens=1))
    queue = mount(phase(), device=(0, 200), io={"write_bytes": 100}, opens=1, direct_kernel=1)
    for more, found in (({}, ("VALID", "")), ({"opens": 2}, ("VALID", ""))):
        assert claimed(fio(sync=False, direct=True), lays, process(queue | more, rings=1)) == found


def test_a_file_may_be_laid_out_where_the_kernel_counts_no_writes() -> None:
    """As on FUSE: nobody knows whether the calls or the mapping moved the bytes of the result."""
    slow = phase(written=100, lasted_s=9)
    for more, found in (({"mappings": 1}, "UNPROVEN"), ({}, "INVALID")):
        on_fuse = process(mount(slow, file_system="fuse", counted=False, **more))
        assert claimed(fio(sync=False), on_fuse)[0] == found


def test_what_a_queue_moved_is_on_the_mount_with_its_file() -> None:
    """A few bytes of settings on another mount, where the kernel counts for the process as much."""
    counted: dict[str, Any] = {"device": (0, 100), "io": {"wchar": 0, "write_bytes": 100}}
    settings = mount(phase(), **counted, point="/", opens=0)
    settings["phases"][0]["read_bytes"] = settings["read_bytes"] = 4096
    data = mount(phase(), **counted, opens=1, direct_kernel=1) | {"device": "sdy"}
    for order in ((settings, data), (data, settings)):
        assert claimed(fio(sync=False, direct=True), process(*order, rings=1)) == ("VALID", "")


def test_a_queue_that_nobody_saw_is_known_by_what_the_kernel_counted() -> None:
    """liburing maps its queues by system calls of its own, and since Linux 6.5 a queue needs no mapping."""
    written = process(mount(phase(), device=(0, 100), io={"write_bytes": 100}, opens=1))
    assert claimed(fio(sync=False), written) == ("VALID", "")
    read = process(mount(phase(), device=(100, 0), io={"read_bytes": 100}, opens=1))
    assert claimed(fio(access="read"), read) == ("UNPROVEN", "fetched")
    nothing = process(mount(phase(written=2), device=(0, 2), io={"write_bytes": 2}, opens=1))
    assert claimed(fio(sync=False), nothing)[0] == "INVALID"


def in_pages(calls: int, **more: Any) -> dict[str, Any]:
    """A page is written by each call, and the kernel counts as much as if all of its folio were."""
    small = phase(written=calls)
    for name in ("written_bytes", "synced_bytes"):
        small[name] = calls * 4096
    return process(mount(small, io={"write_bytes": 100}, opens=1, **more))


@pytest.mark.parametrize("means", [{}, {"mappings": 1}])
def test_whole_folios_that_small_writes_touched_are_no_bytes_of_a_queue(means: dict[str, int]) -> None:
    """The result is of 100 MiB."""
    few, device = in_pages(1600, **means, device=(0, 7)), in_pages(1600, **means, device=(0, 100))
    verdict, missing = claimed(fio(sync=False), few)
    assert verdict == ("UNPROVEN" if means else "INVALID")
    assert not means or "stored" in missing
    assert claimed(fio(sync=False), device)[0] == ("VALID" if means else "INVALID")


def test_a_file_of_a_launcher_that_is_removed_was_not_withdrawn_from_the_result() -> None:
    """MPI shares memory by files, on the same mount where that has its /tmp; no synchronisation was seen."""
    for given, verdict in ((120, "UNPROVEN"), (100, "INVALID")):
        io = {"write_bytes": given, "cancelled_write_bytes": 20}
        queue = process(mount(phase(), device=(0, 100), io=io, opens=1, mappings=1))
        assert claimed(fio(sync=True), queue)[0] == verdict
