"""Whose the kernel's counts of a process are, where it uses several mounts."""

from typing import Any

from tests.unit.prove.reports import MIB, S, mount, phase, process
from weir.prove.judged import judged_mounts
from weir.prove.mounts import mounts_of

ROOT_DISK = "/"


def fuse(*phases: dict[str, Any], **more: Any) -> dict[str, Any]:
    facts: dict[str, Any] = {"file_system": "fuse", "source": "/data", "counted": False}
    return mount(*phases, point="/fuse", **facts | more)


def given(*processes: dict[str, Any]) -> dict[str, tuple[int | None, int | None]]:
    """MiB that the kernel fetched and was given, by mount."""
    return {
        one.point: tuple(  # type: ignore[misc]
            None if count is None else count // MIB
            for count in (one.whole.fetched_bytes, one.whole.dirtied_bytes)
        )
        for one in mounts_of(processes)
    }


def test_what_went_to_fuse_is_not_of_the_disk_whichever_kernel_counts_it() -> None:
    """Linux 6.18 has writes to FUSE in write_bytes of the process, older ones have not."""
    for counted in (0, 100):
        io = {"wchar": 100, "write_bytes": counted}
        both = process(fuse(phase(written=100), io=io), mount(phase(), point=ROOT_DISK, io=io))
        assert given(both) == {"/fuse": (None, None), ROOT_DISK: (0, 0)}


def test_mappings_and_queues_are_of_the_mount_that_has_them() -> None:
    io = {"write_bytes": 100}
    disk = mount(phase(), point=ROOT_DISK, io=io, opens=0)
    assert given(process(fuse(phase(), io=io, mappings=1), disk))[ROOT_DISK] == (0, 0)
    assert given(process(fuse(phase(), io=io), disk, rings=1))[ROOT_DISK] == (0, 0)
    assert given(process(fuse(phase(), io=io), disk | {"mappings": 1}))[ROOT_DISK] == (0, 100)


def test_a_program_that_reads_one_mount_and_writes_another_has_both_counts() -> None:
    io = {"read_bytes": 100, "write_bytes": 100}
    copied = process(
        mount(phase(read=100), point="/from", io=io), mount(phase(written=100), point="/to", io=io)
    )
    assert given(copied) == {"/from": (100, 0), "/to": (0, 100)}


def test_two_programs_on_two_mounts_have_counts_of_their_own() -> None:
    """A shell that starts both uses neither."""
    one = process(mount(phase(written=100, synced=100), device=(0, 100), io={"write_bytes": 100}))
    other_mount = mount(
        phase(written=40, synced=40), point="/other", device=(0, 40), io={"write_bytes": 40}
    ) | {"device": "sdy", "source": "/dev/sdy1"}
    other = process(other_mount)
    assert given(one, other) == {"/scratch": (0, 100), "/other": (0, 40)}
    judged = judged_mounts(mounts_of([one, other]), [one, other], ["sh"])
    assert [row.row["verdict"] for row in judged] == ["VALID", "VALID"]


def test_what_a_process_moves_on_several_mounts_at_once_is_told_of_none() -> None:
    io = {"write_bytes": 200}
    both = process(mount(phase(written=100), point="/a", io=io), mount(phase(written=100), point="/b", io=io))
    assert given(both) == {"/a": (0, None), "/b": (0, None)}
    memory = mount(phase(written=100), point="/shm", file_system="tmpfs", io=io)
    assert given(process(mount(phase(written=100), point="/a", io=io), memory))["/a"] == (0, 200)


def test_what_a_process_moves_on_one_mount_after_another_is_told_apart() -> None:
    first, second = phase(written=100), phase(written=50)
    second |= {"first_ns": 5 * S, "last_ns": 6 * S}
    end = {"wchar": 150, "write_bytes": 150}
    one = mount(first, point="/a", io=end)
    one["end"] |= {"raw_ns": 7 * S}
    other = mount(second, point="/b", io=end)
    other["end"] |= {"raw_ns": 7 * S}
    before = other["phases"][0]["before"]
    io = before["io"] | {"write_bytes": 100 * MIB}
    other["phases"][0]["before"] = other["start"] = before | {"raw_ns": 5 * S - 1, "io": io}
    found = {one.point: one.phases[0].growth.dirtied_bytes for one in mounts_of([process(one, other)])}
    assert found == {"/a": 100 * MIB, "/b": 50 * MIB}
