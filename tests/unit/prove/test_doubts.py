"""A program that writes the library's reports itself, or changes them, proves nothing."""

from typing import Any

import pytest

from tests.unit.prove.reports import MIB, S, counters, mount, phase, process
from weir.prove.judged import doubts, judged_mounts, without_reports
from weir.prove.mounts import mounts_of

TREE = {"rchar": 2 * MIB, "wchar": 102 * MIB, "read_bytes": 0, "write_bytes": 101 * MIB}


def writer(written: int = 100, device: int = 100, **more: Any) -> dict[str, Any]:
    io = {"wchar": written, "write_bytes": written}
    whole = mount(phase(written=written, synced=written), device=(0, device), io=io)
    return process(
        whole, **{"io": {"rchar": 0, "read_bytes": 0} | {k: n * MIB for k, n in io.items()}} | more
    )


def watcher(device: int = 101) -> dict[str, Any]:
    return process(mount(device=(0, device), watched=True), pid=8)


def test_reports_within_the_counts_of_the_kernel_are_believed() -> None:
    assert doubts([writer(), watcher()], TREE) == []
    assert doubts([writer()], None) == []
    queued = writer(io=None, uncounted_written_bytes=100 * MIB)
    assert doubts([queued], dict.fromkeys(TREE, 0)) == []


def test_more_than_the_kernel_counted_is_not_believed() -> None:
    little = TREE | {"wchar": 3 * MIB, "write_bytes": 2 * MIB}
    assert [text.partition(" as ")[2] for text in doubts([writer()], little)] == [
        "wchar, the kernel counted 3 MiB",
        "write_bytes, the kernel counted 2 MiB",
    ]
    assert doubts([writer(io=None)], little)  # calls alone
    assert doubts([writer(started=False)], little) == []  # srun started it
    assert doubts([writer(host="another-node")], little) == []


def test_a_device_that_nobody_else_saw_grow_is_not_believed() -> None:
    assert doubts([writer(device=1100), watcher()], TREE) == [
        "process 7 reports counts of sdz that nobody else saw"
    ]


@pytest.mark.parametrize(
    ("times", "is_believed"),
    [({}, True), ({"first_ns": 0}, False), ({"last_ns": 9 * S}, False), ({"first_ns": 4 * S}, False)],
)
def test_times_at_which_the_program_did_not_run_are_not_believed(
    times: dict[str, int], is_believed: bool
) -> None:
    program, around = writer(), watcher()
    around["mounts"][0]["start"]["raw_ns"], around["mounts"][0]["end"] = S // 2, counters({}, (0, 101))
    around["mounts"][0]["end"]["raw_ns"] = 3 * S
    program["mounts"][0]["phases"][0] |= times
    found = doubts([program, around], TREE)
    assert found == ([] if is_believed else ["process 7 reports calls at times when it did not run"])


def test_nothing_is_valid_by_reports_that_are_not_believed() -> None:
    for file_system in ("ext4", "tmpfs"):
        program = writer()
        program["mounts"][0]["file_system"] = file_system
        (one,) = judged_mounts(mounts_of([program]), [program], ["app"])
        assert one.row["verdict"] == "VALID"
        assert without_reports(one, "why").row["verdict"] == "UNPROVEN"
