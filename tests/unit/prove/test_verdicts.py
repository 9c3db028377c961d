"""Programs that claim more than a storage did, each with a verdict that is not VALID."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.prove.reports import MIB, ZEROS, S, claimed, fio, judged_of, mount, phase, process
from weir.base.errors import WeirError
from weir.prove import counters as memory
from weir.prove.judged import disk_of, judged_mounts, with_others
from weir.prove.mounts import mounts_of
from weir.prove.reports import read_reports, unreported_bytes
from weir.prove.results import Claim, expected
from weir.witness.nodes import SERVER_COUNTS

ROOT = Path(__file__).parents[3]


def verdict(*processes: dict[str, Any]) -> tuple[str, str]:
    """Of the only phase, with its reasons or what it lacks."""
    (one,) = judged_mounts(mounts_of(processes), processes, ["app"])
    return one.row["verdict"], one.row["reasons"] or one.row["missing"] or ""


def written(**more: Any) -> dict[str, Any]:
    """100 MiB to a disk, with a synchronisation, and all arrived."""
    facts: dict[str, Any] = {"device": (0, 100), "io": {"wchar": 100, "write_bytes": 100}}
    return mount(phase(written=100, synced=100), **facts | more)


def test_what_arrived_at_the_device_is_valid() -> None:
    assert verdict(process(written())) == ("VALID", "")
    assert verdict(process(written(file_system="btrfs"), payload=ZEROS)) == ("VALID", "")


def test_data_that_the_storage_reduced_is_degraded() -> None:
    reduced = written(file_system="btrfs", device=(0, 3))
    assert verdict(process(reduced, payload=ZEROS)) == ("DEGRADED", "payload-reducible")
    assert verdict(process(reduced)) == ("INVALID", "sync-not-effective")
    assert verdict(process(written(device=(0, 3)), payload=ZEROS)) == ("INVALID", "sync-not-effective")


def test_a_synchronisation_that_a_library_answers_was_perhaps_requested() -> None:
    """dd conv=fsync under eatmydata makes none that the kernel sees."""
    calls = [{"call": "fsync", "object": "libeatmydata.so", "behind": False}]
    unsynced = written()
    unsynced["phases"][0]["synced_bytes"] = 0
    assert verdict(process(unsynced, calls=calls)) == ("VALID", "")
    assert verdict(process(unsynced, calls=calls, syncs_answered=True)) == ("UNPROVEN", "calls")


def test_a_program_that_writes_over_its_own_bytes_is_no_liar() -> None:
    over = written(device=(0, 2), io={"wchar": 100, "write_bytes": 2})
    assert verdict(process(over)) == ("DEGRADED", "bytes-not-stored")
    cloned = written(device=(0, 0), io={"wchar": 100})  # copy_file_range, then fsync, on XFS
    assert verdict(process(cloned)) == ("DEGRADED", "bytes-not-stored")


def test_bytes_that_are_taken_away_before_they_are_stored_are_no_write() -> None:
    """ftruncate or a punched hole before the synchronisation, beside another writer."""
    withdrawn = written(io={"wchar": 100, "write_bytes": 100, "cancelled_write_bytes": 90})
    assert verdict(process(withdrawn)) == ("INVALID", "bytes-withdrawn")


def test_a_disk_in_memory_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def mount_of(folder: Path) -> dict[str, str]:
        return {"mount_point": str(folder), "type": "ext4"}

    monkeypatch.setattr(memory, "mount_of", mount_of)
    monkeypatch.setattr(memory, "memory_below", lambda folder: None)
    assert verdict(process(written())) == ("VALID", "")
    monkeypatch.setattr(memory, "memory_below", lambda folder: "the memory device zram0")
    assert verdict(process(written())) == ("UNPROVEN", "stored")
    assert verdict(process(written(), host="another-node")) == ("VALID", "")
    seen_there = written() | {"device": "loop0 in memory"}
    assert verdict(process(seen_there, host="another-node")) == ("UNPROVEN", "stored")


def test_two_mounts_at_one_point_of_a_node_are_two() -> None:
    """As a container has its own root beside that of the node."""
    inside = mount(phase(written=100, synced=100), file_system="tmpfs", io={"wchar": 100}, point="/")
    outside = mount(phase(written=2), device=(0, 2), io={"wchar": 2, "write_bytes": 2}, point="/")
    other_disk = outside | {"source": "/dev/sdy1"}
    both = [process(outside), process(inside), process(other_disk)]
    assert [(one.file_system, one.source) for one in mounts_of(both)] == [
        ("tmpfs", "/dev/sdz1"),
        ("ext4", "/dev/sdz1"),
        ("ext4", "/dev/sdy1"),
    ]
    nodes = [process(outside), process(other_disk, host="another-node")]
    assert [one.hosts for one in mounts_of(nodes)] == [2]


def test_a_claim_without_any_call_is_unproven() -> None:
    assert claimed(expected("write 3 GiB/s"), process()) == (None, "")


def test_a_claim_whose_bytes_others_may_have_moved_is_unproven() -> None:
    """Services of elbencho and fio run before their client starts, which itself moves a few bytes."""
    client = mount(phase(), device=(0, 100), io={"wchar": 0})
    client["phases"][0]["written_bytes"] = client["written_bytes"] = 4096
    for access in ("write", None):  # dd does not tell it
        assert claimed(fio(access=access), process(client)) == (None, "")
    assert claimed(fio(moved_bytes=4096, total_s=1.0, bw_mib_s=4096 / MIB), process(client))[0] is not None


def test_a_result_of_an_unknown_access_may_be_of_the_other_one() -> None:
    """`dd of=/dev/shm/f 2>/dev/null; dd if=/dev/shm/f`: what is printed is of the read."""
    writes, reads = phase(written=100, lasted_s=4), phase(read=100, lasted_s=0.5)
    writes["write"]["busy_ns"], reads["first_ns"], reads["last_ns"] = 4 * S, 6 * S, 6 * S + S // 2
    reads["read"] = {"calls": 100, "busy_ns": S // 2, "first_ns": 6 * S, "last_ns": 6 * S + S // 2}
    both = [process(mount(one, file_system="tmpfs"), pid=pid) for pid, one in enumerate((writes, reads), 1)]
    for total_s, found in ((0.5, "VALID"), (0.1, "INVALID"), (4.0, "VALID")):
        claim = fio(access=None, total_s=total_s, bw_mib_s=100 / total_s)
        assert claimed(claim, *both)[0] == found


def test_a_result_of_a_copy_is_of_its_write_too() -> None:
    """`dd if=/dev/shm/f of=/scratch/f conv=fsync`: the read stands for no bytes that were not stored."""
    memory_ = mount(phase(read=100), point="/dev/shm", file_system="tmpfs")
    for stored, found in ((100, "VALID"), (2, "INVALID")):
        copies = process(written(device=(0, stored)), memory_)
        assert claimed(fio(access=None), copies)[0] == found


def test_an_interface_that_moves_nothing_proves_no_rate() -> None:
    """IOR -a DUMMY, whose MPI maps files."""
    idle = mount(phase(), device=(0, 0), mappings=19)
    for access in ("write", "read"):
        assert claimed(fio(api="NULL", access=access, bw_mib_s=11_200_000.0), process(idle)) == (None, "")
    assert claimed(fio(api="NULL", access="create", item="file", ops=9, ops_s=9.0), process(idle)) == (
        None,
        "",
    )


def test_reads_of_files_by_name_are_operations() -> None:
    """mdtest -E prints no bytes."""
    reads = mount(phase(), device=(0, 0))
    reads["phases"][0]["names"]["open"] = 400
    row = {"api": "POSIX", "access": "read", "item": "file", "ops": 400, "requested_ops": 400, "ops_s": 1e3}
    assert claimed(Claim("mdtest", row), process(reads)) == ("VALID", "")
    assert claimed(Claim("mdtest", row | {"ops": 800, "requested_ops": 800}), process(reads))[0] == "INVALID"
    # The calls took 0.25 s.
    assert claimed(Claim("mdtest", row | {"ops_s": 3e3}), process(reads)) == ("UNPROVEN", "operations")
    others = mount(phase(), device=(0, 0))
    others["phases"][0]["names"] |= {"open": 400, "stat": 900}
    assert claimed(Claim("mdtest", row | {"ops_s": 3e3}), process(others)) == ("VALID", "")


def test_operations_on_names_are_those_of_the_mount_that_has_them() -> None:
    """`mdtest -n 100` on a storage: MPI looked at more names below its directory for sessions."""
    named = {"create": 100, "stat": 101, "unlink": 100}
    storage = mount(phase() | {"names": phase()["names"] | named}, file_system="tmpfs")
    others = mount(phase() | {"names": phase()["names"] | {"stat": 420, "create": 8}}, point="/")
    mpi = process(others, storage)
    row = {"api": "POSIX", "item": "file", "ops": 100, "requested_ops": 100, "ops_s": 400.0}
    accesses = ("create", "stat", "remove")
    claims = [Claim("mdtest", row | {"access": access}) for access in accesses]
    found = [(one.mount.point, one.row["verdict"]) for one in judged_of(claims, mpi)]
    assert found == [("/scratch", "VALID")] * 3


def test_a_mount_that_compresses_gives_no_valid_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """The device got as many bytes, of whoever: others write to it, too."""
    found = {"super_options": "rw,compress=zstd:3,subvol=/"}
    monkeypatch.setattr("weir.prove.records.mount_of", lambda _: found)
    compressed = written(file_system="btrfs")
    assert verdict(process(compressed, payload=ZEROS)) == ("DEGRADED", "payload-reducible")
    assert verdict(process(compressed)) == ("VALID", "")
    found["super_options"] = "rw,subvol=/"
    assert verdict(process(compressed, payload=ZEROS)) == ("VALID", "")
    by_flag = written(file_system="btrfs", compresses=True)
    assert verdict(process(by_flag, payload=ZEROS)) == ("DEGRADED", "payload-reducible")
    # The first bytes of the file were sampled, and the others may compress.
    late = written(file_system="btrfs", compresses=True, device=(0, 3))
    assert verdict(process(late)) == ("UNPROVEN", "stored")


def test_what_processes_without_a_report_did_accuses_nobody() -> None:
    """A shell that wrote 2 MiB starts a program of Go that wrote the rest, and prints its rate."""
    shell = process(mount(phase(written=2), device=(0, 100), io={"wchar": 2, "write_bytes": 2}))
    whole = {"wchar": 102 * MIB, "write_bytes": 102 * MIB, "rchar": 0}
    lacks = unreported_bytes(whole, [shell | {"io": dict.fromkeys(whole, 2 * MIB)}])
    assert lacks == {"wchar": 100 * MIB, "write_bytes": 100 * MIB}
    assert claimed(fio(sync=True), shell)[0] == "INVALID"
    assert claimed(fio(sync=True), shell, unreported=lacks) == ("UNPROVEN", "file;sync")


def test_reads_of_the_device_may_be_of_anybody() -> None:
    reader = process(mount(phase(read=2), device=(100, 0), io={"rchar": 2, "read_bytes": 2}))
    claim = fio(access="read")
    assert claimed(claim, reader, unreported={"rchar"}) == ("UNPROVEN", "fetched")


def test_a_write_and_a_read_through_one_descriptor_have_a_time_each() -> None:
    """Two seconds of writing with the synchronisation, then half a second of reading."""
    both = phase(read=100, written=100, synced=100)
    second = {"calls": 100, "busy_ns": S // 4}
    both["write"] = second | {"first_ns": S, "last_ns": 2 * S}
    both["sync"] = second | {"first_ns": 2 * S, "last_ns": 3 * S}
    both["read"] = second | {"first_ns": 3 * S, "last_ns": 3 * S + S // 2}
    io = {"rchar": 100, "wchar": 100, "read_bytes": 100, "write_bytes": 100}
    program = process(mount(both, device=(100, 100), io=io))
    (whole,) = mounts_of([program])
    assert [whole.phases[0].access_s(one) for one in ("write", "read")] == [2.0, 0.5]
    assert whole.phases[0].lasted_s == 2.5
    judged = judged_mounts([whole], [program], ["app"])
    assert [(one.access, one.row["verdict"], one.row["bw_mib_s"]) for one in judged] == [
        ("write", "VALID", 50.0),
        ("read", "VALID", 200.0),
    ]
    assert claimed(fio(access="read", total_s=0.5, bw_mib_s=200.0), program) == ("VALID", "")
    assert claimed(fio(access="read", total_s=0.3, bw_mib_s=333.333), program)[0] == "INVALID"


def test_other_bytes_on_the_mount_do_not_lengthen_an_access() -> None:
    """A rank writes a little when it starts, its launcher throughout; 100 MiB took a quarter of a second."""
    rank, launcher = phase(written=101, synced=101, lasted_s=1.5), phase(written=1, lasted_s=3.0)
    io = {"wchar": 102, "write_bytes": 102}
    both = [
        process(mount(rank, device=(0, 102), io=io)),
        process(mount(launcher, device=(0, 102), io={}), pid=8),
    ]
    claim = fio(total_s=0.5, bw_mib_s=200.0)
    assert claimed(claim, *both)[0] == "VALID"
    assert claimed(fio(total_s=0.2, bw_mib_s=500.0), *both)[0] == "INVALID"
    assert claimed(claim, process(written()))[0] == "INVALID"


def on_network(*counts: int) -> dict[str, Any]:
    """100 MiB to a network file system; counts: how each of the observer's grew."""
    whole = mount(phase(written=100, synced=100), file_system="nfs4", counted=False)
    observer = {"observer": "connections", "counted": "traffic", "known": True, "what": "1 connection"}
    grown = {"start": [0] * len(counts), "end": list(counts)}
    ends = {name: whole[name] | {"servers": [of]} for name, of in grown.items()}
    phases = [one | {"before": ends["start"]} for one in whole["phases"]]
    return process(whole | ends | {"observers": [observer], "phases": phases})


def test_servers_must_have_got_the_bytes() -> None:
    sent = (101 * MIB, 4096, 100, 100, 1, 0)
    assert verdict(on_network(*sent)) == ("VALID", "")
    assert verdict(on_network(*sent, 20)) == ("VALID", "")
    assert verdict(on_network(*sent, 900)) == ("DEGRADED", "network-stood-still")
    assert verdict(on_network(*sent, None, 5)) == ("VALID", "")  # a note, of a kernel without times
    assert verdict(on_network(3 * MIB, *sent[1:], 0)) == ("INVALID", "not-at-servers")


def test_a_report_with_all_counts_of_the_library_is_whole(tmp_path: Path) -> None:
    header = (ROOT / "src/engine/core/observer.h").read_text()
    counts = header.partition("WEIR_SERVERS_COUNTS\n")[0].rpartition("enum weir_server_count {")[2]
    names = [line.split()[0].rstrip(",") for line in counts.splitlines() if line.strip()]
    assert len(names) == len(SERVER_COUNTS)
    report = on_network(*range(len(names)))
    (tmp_path / "prove.node.7.json").write_text(json.dumps(report))
    assert read_reports(tmp_path) == ([report], 0)


def looked_at(*counts: int, **more: Any) -> list[tuple[str, str]]:
    """mdtest's results for its files and its directories; counts: looks at names that reached the kernel."""
    looks = phase() | {"names": phase()["names"] | {"stat": sum(counts)}}
    row = {"access": "stat", "ops": 100, "requested_ops": 100, "ops_s": 1e5, "total_s": 0.001, "api": "POSIX"}
    row |= {"observed": more}
    claims = [Claim("mdtest", row | {"item": item, "tool": "mdtest"}) for item in ("file", "directory")]
    judged = judged_of(claims, process(mount(looks)))
    return [(one.row["verdict"], one.row["reasons"] or "") for one in judged]


def test_looks_at_directories_are_none_at_files() -> None:
    honest = looked_at(100, 100)
    assert all("operations-not-in-calls" not in reasons for _, reasons in honest)
    assert all("operations-not-in-calls" in reasons for _, reasons in looked_at(0, 100))
    assert all("operations-not-in-calls" in reasons for _, reasons in looked_at(100, 100, mean_of=3))
    assert all("operations-not-in-calls" not in reasons for _, reasons in looked_at(300, 300, mean_of=3))


def test_one_job_does_not_stand_for_another() -> None:
    """Two jobs of fio in one phase: nobody knows whose calls took the time, nor whose bytes were fetched."""

    def judged(fetched: int) -> list[tuple[str, str]]:
        both = mount(phase(read=200), device=(fetched, 0), io={"rchar": 200, "read_bytes": fetched})
        claims = [fio(access="read", total_s=at, bw_mib_s=100.0 / at) for at in (0.1, 0.9)]
        return [(one.row["verdict"], one.row["missing"]) for one in judged_of(claims, process(both))]

    assert judged(200) == [("VALID", "")] * 2
    assert judged(120) == [("UNPROVEN", "fetched")] * 2


def test_a_device_of_several_mounts_has_the_bytes_of_all(tmp_path: Path) -> None:
    """What one of them took from a cache, the other took from the disk: both moved as many."""

    def verdicts(*mounts: dict[str, Any]) -> list[str]:
        processes = [process(*mounts)]
        found = judged_mounts(with_others(mounts_of(processes)), processes, ["app"])
        return [
            f"{one.row['verdict']} {one.row['reasons'] or one.row['missing'] or ''}".strip() for one in found
        ]

    read = {"device": (100, 0), "io": {"rchar": 200, "read_bytes": 100}}
    bound = mount(phase(read=100), **read), mount(phase(read=100), point="/bound", **read)
    assert verdicts(*bound) == ["UNPROVEN fetched", "UNPROVEN fetched"]
    wrote = {"device": (0, 200), "io": {"wchar": 200, "write_bytes": 200}}
    whole = phase(written=100, synced=100)
    assert verdicts(mount(whole, **wrote), mount(whole, point="/bound", **wrote)) == ["VALID", "VALID"]
    lost = wrote | {"device": (0, 100)}
    assert verdicts(mount(whole, **lost), mount(whole, point="/bound", **lost)) == ["UNPROVEN stored"] * 2


def test_nodes_that_share_a_kernel_share_the_counts_of_a_disk() -> None:
    def written(*kernels: str | None) -> tuple[int, ...] | None:
        wrote = [mount(phase(written=50, synced=50), device=(0, end)) for end in (60, 100)]
        nodes = [
            process(one, host=f"node{at}", kernel=kernel)
            for at, (one, kernel) in enumerate(zip(wrote, kernels, strict=True))
        ]
        (found,) = mounts_of(nodes)
        assert found.hosts == 2
        return found.phases[0].growth.device

    assert written("a", "a") == (0, 100 * MIB, 0, 100 * MIB)
    assert written("a", "b") == written(None, None) == (0, 160 * MIB, 0, 160 * MIB)


def test_another_partition_of_the_disk_is_of_the_same_program() -> None:
    own, other = mount(phase(written=100, synced=100)), mount(phase(written=100, synced=100), point="/home")
    disk = {"raw_ns": 0, "io": None, "servers": [], "device": [0, 100 * MIB, 0, 200 * MIB]}
    before = disk | {"device": [0, 0, 0, 0]}
    for one, name in ((own, "nvme0n1p1"), (other, "nvme0n1p2")):
        one["phases"][0]["before"] = before
        one |= {"device": name, "device_reason": None, "start": before, "end": disk}
    processes = [process(own, other)]
    found = judged_mounts(with_others(mounts_of(processes)), processes, ["app"])
    assert [one.row["verdict"] for one in found] == ["VALID", "VALID"]
    disks = [disk_of(name) for name in ("nvme0n1p2", "sda3", "dm-0", "loop3")]
    assert disks == ["nvme0n1", "sda", "dm-0", "loop3"]


def test_a_mount_that_is_watched_alone_has_no_phase() -> None:
    """Of a static program; its device is still counted."""
    watched = process(mount(device=(0, 100), watched=True))
    (one,) = with_others(mounts_of([watched]))
    assert one.phases == ()


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("write 3.2", "'3.2' has no unit", "such as: --expect 'write 3.2 GiB/s'"),
        ("read 900", "'900' has no unit", "such as: --expect 'read 900 GiB/s'"),
        ("read 900 GiB", "'900 GiB' is not a bandwidth", "such as: --expect 'read 3.2 GiB/s'"),
        (
            "read 900 gib/s",
            "the unknown unit 'gib'",
            "did you mean '900 GiB' (966367641600 bytes)?; such as: --expect 'read 3.2 GiB/s'",
        ),
        ("3.2 GiB/s", "is not understood", "such as: --expect 'write 3.2 GiB/s'"),
    ],
)
def test_a_claim_that_is_not_understood_has_what_is_missing_and_the_whole_form(
    text: str, message: str, hint: str
) -> None:
    with pytest.raises(WeirError) as caught:
        expected(text)
    problem = caught.value.problems[0]
    assert message in problem.message
    assert hint in str(problem.hint)
