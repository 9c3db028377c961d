import os
from pathlib import Path

import pytest

from tests.programs import write_file
from weir.base.mounts import decoded, lower_folders, mount_of, named_mount, place_of
from weir.base.storage_calls import hangs
from weir.measure.machine.host import held_between, held_so_far, host_facts, pressure, running


def test_facts_of_this_machine(tmp_path: Path) -> None:
    facts = host_facts(tmp_path)
    assert facts["cores"] >= 1
    assert facts["memory_bytes"] > 2**28
    assert facts["kernel"]


def test_the_mount_of_a_folder_is_the_nearest_above() -> None:
    proc = mount_of(Path("/proc/self"))
    assert proc["type"] == "proc"
    root = mount_of(Path("/"))
    if root is None:
        pytest.skip("the root folder is no mount that this user may see, as in a chroot")
    assert root["mount_point"] == "/"


def table_of(proc: Path, *lines: str) -> Path:
    """The mounts of this process; {number} is that of the mount which has the folder."""
    known = Path(f"/proc/self/fdinfo/{os.open(proc, os.O_PATH)}").read_text().splitlines()
    number = next(line.split()[1] for line in known if line.startswith("mnt_id:"))
    table = write_file(proc / "self" / "mountinfo", "\n".join(lines).replace("{number}", number) + "\n")
    table.with_name("fdinfo").symlink_to("/proc/self/fdinfo")
    return table


def test_a_place_is_the_path_within_the_file_system(tmp_path: Path) -> None:
    line = f"{{number}} 1 8:1 /home\\040of {tmp_path.parent} rw - ext4 /dev/sda1 rw"
    table = table_of(tmp_path, line)
    assert place_of(tmp_path, tmp_path) == f"8:1 /home of/{tmp_path.name}"
    table.write_text("")
    assert place_of(tmp_path, tmp_path) == ""


def test_the_mount_above_a_chroot_is_that_of_its_device(tmp_path: Path) -> None:
    number = tmp_path.stat().st_dev
    for process, line in {
        "self": "23 21 0:5 / /proc rw - proc proc rw",
        "1": f"21 1 {os.major(number)}:{os.minor(number)} / / rw,relatime - ext4 /dev/vda rw",
    }.items():
        write_file(tmp_path / process / "mountinfo", f"22 21 0:99 / /other rw - xfs /dev/vdb rw\n{line}\n")
    found = mount_of(tmp_path, tmp_path)
    assert (found["type"], found["device"]) == ("ext4", "/dev/vda")
    (tmp_path / "1" / "mountinfo").unlink()  # another user may not read it
    assert mount_of(tmp_path, tmp_path) is None


def test_a_mount_is_found_by_its_number_and_not_by_its_device(tmp_path: Path) -> None:
    """The device of btrfs and of an overlay is one that no line has; a later mount hides longer paths."""
    later = f"7 1 0:9 / {tmp_path} rw - xfs /dev/vdb rw"
    table_of(tmp_path, later, "{number} 1 0:8 / /a\\040b rw - btrfs /dev/vdc rw")
    found = mount_of(tmp_path, tmp_path)
    assert (found["type"], found["device"], found["mount_point"]) == ("btrfs", "/dev/vdc", "/a b")


def test_octal_escapes_and_what_is_below() -> None:
    assert decoded(r"a\040b\011c\134d\054e\04") == "a b\tc\\d,e\\04"
    overlay = {"type": "overlay", "device": "overlay", "super_options": r"rw,lowerdir=/l,upperdir=/u\054p"}
    assert lower_folders(overlay) == [Path("/u,p")]
    assert lower_folders({"type": "fuse.mergerfs", "device": "/a:/b"}) == [Path("/a"), Path("/b")]
    assert lower_folders({"type": "fuse.sshfs", "device": "host:/a"}) == []
    assert lower_folders({"type": "ext4", "device": "/dev/sda"}) == []


def test_a_mount_is_named_without_a_look_at_its_path(tmp_path: Path) -> None:
    root = "22 1 8:1 / / rw - ext4 /dev/sda1 rw"
    table_of(tmp_path, root, "68 22 0:44 / /mnt/hangs rw - fuse.glusterfs 198.18.0.1:/scratch rw")
    assert named_mount("/mnt/hangs/weir/run", tmp_path) == "fuse.glusterfs of 198.18.0.1:/scratch"
    assert named_mount("/mnt/hangs-not", tmp_path) == "ext4 of /dev/sda1"
    assert named_mount("/mnt/hangs", tmp_path / "none") == ""


@pytest.mark.parametrize(
    ("mounted", "named"), [("nfs4 of server:/a", "nfs4 of server:/a"), ("", "the file system")]
)
def test_a_storage_that_hangs_is_named_by_its_mount(
    monkeypatch: pytest.MonkeyPatch, mounted: str, named: str
) -> None:
    """In a chroot the table of mounts lacks the file system of the root, so no mount may be found."""
    monkeypatch.setattr("weir.base.storage_calls.named_mount", lambda path: mounted)
    (problem,) = hangs("/", 1, 30.0, "scratch").problems
    assert problem.message.startswith("target scratch: / does not answer for 30 s: process 1 waits")
    assert problem.hint == f"look at {named}, or unmount it; then run again: finished runs are kept"


def files(top: Path, texts: dict[str, str]) -> Path:
    for name, text in texts.items():
        write_file(top / name, text)
    return top


VMSTAT = "nr_free_pages 41\npswpin 3\npswpout 40\noom_kill 2\npgfault 7\n"


@pytest.mark.parametrize(
    ("groups", "stats", "periods"),
    [
        ("0::/job/step\n", {"job/step/cpu.stat": 5, "job/cpu.stat": 31, "cpu.stat": 0}, 36),
        ("4:memory:/m\n1:cpu,cpuacct:/pod\n0::/\n", {"cpu/pod/cpu.stat": 7, "m/cpu.stat": 99}, 7),
        ("3:cpuset:/\n", {"cpu.stat": 4}, None),
        ("0::/job\n", {}, None),
    ],
    ids=["version 2, every level", "version 1", "another controller", "no counter"],
)
def test_throttled_periods(tmp_path: Path, groups: str, stats: dict[str, int], periods: int | None) -> None:
    waited = "some avg10=0.00 avg60=0.00 avg300=0.00 total=1234\nfull avg10=0.00 total=99\n"
    proc = files(tmp_path / "proc", {"self/cgroup": groups, "vmstat": VMSTAT, "pressure/memory": waited})
    texts = {name: f"usage_usec 8\nnr_periods 90\nnr_throttled {count}\n" for name, count in stats.items()}
    seen = held_so_far(proc, files(tmp_path / "cgroup", texts))
    assert seen == {
        "throttled_periods": periods,
        "swapped_pages": 43,
        "memory_kills": 2,
        "memory_stalled_us": 1234,
        "io_stalled_us": None,
        "paused_ms": 0,
    }


def test_what_held_a_run_back_is_what_was_counted_while_it_lasted(tmp_path: Path) -> None:
    names = ("throttled_periods", "swapped_pages", "memory_kills", "memory_stalled_us", "io_stalled_us")
    before = dict(zip(names, (31, 43, 2, 7, 1), strict=True))
    after = dict(zip(names, (36, 43, 3, 9, 4), strict=True))
    between = dict(zip(names, (5, 0, 1, 2, 3), strict=True))
    assert held_between(before, after) == between
    unknown = held_so_far(tmp_path, tmp_path)
    nothing = dict.fromkeys(names)
    assert unknown == nothing | {"paused_ms": 0}
    assert held_between(before, unknown) == nothing


def test_pressure_is_the_share_of_the_last_ten_seconds(tmp_path: Path) -> None:
    text = "some avg10=12.34 avg60=5.00 avg300=1.00 total=9\nfull avg10=0.50 avg60=0.00 avg300=0.00 total=1\n"
    assert pressure(files(tmp_path, {"pressure/cpu": text})) == {"cpu": 12.34}
    assert pressure(tmp_path / "none") is None


def test_what_runs_at_this_moment(tmp_path: Path) -> None:
    assert running(files(tmp_path, {"loadavg": "7.31 6.02 5.90 5/1234 4711\n"})) == 4
    assert running(files(tmp_path, {"loadavg": "7.31 6.02"})) is None
    assert running(tmp_path / "missing") is None
