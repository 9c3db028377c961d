import mmap
import os
import subprocess
from pathlib import Path

import pytest

from weir.base.processes import wall
from weir.measure.clean_up import shared_memory
from weir.measure.clean_up.shared_memory import no_segment, remove_orphans, remove_sessions
from weir.measure.launch import RunEnd, after


def test_only_orphans_of_this_batch_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rank of another launch may start meanwhile."""
    monkeypatch.setattr(shared_memory.time, "sleep", lambda _: (tmp_path / "vader_segment.new").touch())
    times = {
        "vader_segment.old": 100,
        "vader_segment.orphan": 1000,
        "vader_segment.mapped": 1000,
        "other": 1000,
    }
    for name, made in times.items():
        (tmp_path / name).write_bytes(bytes(4096))
        os.utime(tmp_path / name, (made, made))
    (tmp_path / "other").touch()
    with (tmp_path / "vader_segment.mapped").open("r+b") as stream, mmap.mmap(stream.fileno(), 0):
        assert remove_orphans(500, tmp_path) == [tmp_path / "vader_segment.orphan"]
    left = sorted(file.name for file in tmp_path.iterdir())
    assert left == ["other", "vader_segment.mapped", "vader_segment.new", "vader_segment.old"]


def test_a_segment_that_was_made_a_moment_before_the_kill_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(shared_memory.time, "sleep", pauses.append)
    monkeypatch.setattr(shared_memory.time, "time", lambda: 1000.0 + sum(pauses))
    (tmp_path / "sm_segment.young").touch()
    os.utime(tmp_path / "sm_segment.young", (1000, 1000))
    assert remove_orphans(1000, tmp_path) == [tmp_path / "sm_segment.young"]
    assert remove_orphans(1000, tmp_path) == []
    assert pauses == [2.0]


def test_sessions_of_launchers_that_are_gone_go(tmp_path: Path) -> None:
    sessions = tmp_path / f"ompi.node.{os.geteuid()}"
    gone = subprocess.Popen(["true"])
    os.waitid(os.P_PID, gone.pid, os.WEXITED | os.WNOWAIT)  # no other process gets its id before wait
    for pid in (gone.pid, os.getpid()):
        (sessions / f"pid.{pid}" / "0").mkdir(parents=True)
        os.utime(sessions / f"pid.{pid}", (1000, 1000))
    remove_sessions(2000, tmp_path)  # of a launch before this batch
    assert len([*sessions.iterdir()]) == 2
    remove_sessions(500, tmp_path)
    assert [entry.name for entry in sessions.iterdir()] == [f"pid.{os.getpid()}"]
    gone.wait()


# Captured: MPICH 4.0.2 over UCX with /dev/shm mounted read-only.
MPICH = (
    "[1795317045.105840] [n1:8880 :0]        mm_posix.c:219  UCX  ERROR   "
    "shm_open(file_name=/ucx_shm_posix_72f243ef flags=0xc2) failed: Read-only file system\n"
    "Abort(70897167) on node 1 (rank 1 in comm 0): Fatal error in internal_Init: Other MPI error\n"
)
# Captured: Open MPI 4.1.4 with 64 KiB in /dev/shm.
OPEN_MPI = (
    "--------------------------------------------------------------------------\n"
    "It appears as if there is not enough space for /dev/shm/vader_segment.n1.0.4e0a0001.0 "
    "(the shared-memory backing\nfile). It is likely that your MPI job will now either abort or experience\n"
    "performance degradation.\n"
)


@pytest.mark.parametrize(
    ("stderr", "reason"),
    [(MPICH, "Read-only file system"), (OPEN_MPI, "not enough space for /dev/shm/vader_segment")],
)
def test_a_launch_without_shared_memory_names_it_in_one_line(
    tmp_path: Path, stderr: str, reason: str
) -> None:
    (tmp_path / "stderr.txt").write_text(stderr)
    error = after({}, RunEnd(15, False, wall(), 1.0, None), tmp_path)["error"]
    assert error.startswith("exit code 15: MPI could not make its shared-memory segment (")
    assert reason in error
    assert "/dev/shm must be writable" in error
    assert "\n" not in error


def test_other_failures_are_not_put_down_to_shared_memory(tmp_path: Path) -> None:
    text = "weir-io: /dev/shm/data: No space left on device\nMPI_ABORT was invoked on rank 0\n"
    assert no_segment(text) is None
    (tmp_path / "stderr.txt").write_text(text)
    error = after({}, RunEnd(1, False, wall(), 1.0, None), tmp_path)["error"]
    assert error == "exit code 1: weir-io: /dev/shm/data: No space left on device"
