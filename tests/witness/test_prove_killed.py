"""Processes that come to no end of their own: what they had counted is read after them."""

import shutil
import sys
from pathlib import Path

import pytest

from tests.needs import USER_NAMESPACE, need, user_mount_namespaces
from tests.programs import ran
from tests.witness.conftest import MIB, Prove, counted, need_library, need_programs
from weir.prove.reports import prove_variables, read_reports
from weir.witness.document import LIBRARY

WRITE = f"""
import ctypes, os, signal, sys, time
def write(name, count):
    f = os.open(name, os.O_CREAT | os.O_WRONLY)
    for _ in range(count):
        os.write(f, os.urandom({MIB}))
    os.fsync(f)
"""
# Each makes 3 MiB of calls and then comes to its end.
ENDS = {
    "SIGKILL": "write('f', 3); os.kill(os.getpid(), signal.SIGKILL)",
    "abort": "write('f', 3); os.abort()",
    "exit_group": "write('f', 3); ctypes.CDLL(None).syscall(231, 0)",
    "_exit": "write('f', 3); os._exit(0)",
    "a child after a fork": "write('f', 1); os.fork() or (write('g', 2), os.kill(os.getpid(), 9)); os.wait()",
    "its other program": "write('f', 1); os.execv(sys.executable, [sys.executable, '-c', 'THEN'])",
    "after an exec that failed": (
        "write('f', 1)\ntry: os.execv('/nowhere', ['x'])\n"
        "except OSError: pass\nwrite('g', 2); os.kill(os.getpid(), 9)"
    ),
    "an empty environment": "ctypes.CDLL(None).clearenv(); write('f', 3); os.kill(os.getpid(), 9)",
    "an end with an empty environment": "ctypes.CDLL(None).clearenv(); write('f', 3)",
}
THEN = WRITE + "write('g', 2); os.kill(os.getpid(), 9)"


# How many files are written, each with a synchronisation.
WRITES = {"a child after a fork": 2, "its other program": 2, "after an exec that failed": 2}


@pytest.mark.parametrize("end", ENDS)
def test_what_a_process_did_before_its_end_counts(prove: Prove, tmp_path: Path, end: str) -> None:
    (tmp_path / "program.py").write_text(WRITE + ENDS[end].replace("'THEN'", repr(THEN)))
    script = f"'{sys.executable}' -S '{tmp_path}/program.py'; true"
    seen = prove("sh", "-c", script)
    assert counted(seen, "written_bytes") == 3 * MIB, seen["stderr"]
    killed = sum(one["killed"] for one in seen["processes"])
    assert killed == int(end not in ("_exit", "an end with an empty environment"))
    assert any("that left no report" in text for text in seen["not_seen"]) == bool(killed)
    assert not any("nothing is believed" in text or "MiB" in text for text in seen["not_seen"])
    mount = next(one for one in seen["mounts"] if one["phases"])
    assert mount["syncs"]["fsync"] == WRITES.get(end, 1)
    assert all(one["verdict"] != "INVALID" for one in seen["records"])
    if mount["whole"]["device"]:
        assert mount["whole"]["device"][1] >= 3 * MIB
    assert killed == 0 or mount["whole"]["dirtied_bytes"] is None


def test_a_killed_process_that_moved_nothing_needs_no_report(prove: Prove) -> None:
    """Scripts end their monitors and time limits so."""
    wait = "import time; held, begun = open('held', 'w'), open('begun', 'w'); time.sleep(100)"
    script = f"'{sys.executable}' -S -c \"{wait}\" & until [ -e begun ]; do sleep 0.1; done; kill -9 $!; wait"
    seen = prove("sh", "-c", script)
    assert sum(one["killed"] for one in seen["processes"]) == 1
    assert not any("left no report" in text for text in seen["not_seen"])


def test_a_signal_in_the_middle_of_a_benchmark(prove: Prove) -> None:
    """As `timeout` sends it."""
    loop = f"import os\nf = os.open('f', 65)\nwhile os.pwrite(f, bytes({MIB}), 0): open('begun', 'w')"
    script = f"'{sys.executable}' -S -c \"{loop}\" & until [ -e begun ]; do sleep 0.1; done; kill $!; wait"
    seen = prove("sh", "-c", script)
    assert counted(seen, "written_bytes") >= MIB
    assert [one["killed"] for one in seen["processes"]].count(True) == 1


def test_workers_of_a_pool_are_counted_that_are_terminated(prove: Prove, tmp_path: Path) -> None:
    """With tasks that do not end."""
    (tmp_path / "pool.py").write_text(f"""
import multiprocessing, os, time
def work(name):
    os.write(os.open(name, os.O_CREAT | os.O_WRONLY), bytes({MIB}))
    os.rename(name, name + ".done")
    time.sleep(600)
if __name__ == "__main__":
    with multiprocessing.Pool(3) as pool:
        pool.map_async(work, "abc", chunksize=1)
        while not all(os.path.exists(name + ".done") for name in "abc"):
            time.sleep(0.05)
""")
    seen = prove(sys.executable, str(tmp_path / "pool.py"))
    assert counted(seen, "written_bytes") == 3 * MIB, seen["stderr"]
    assert sum(one["killed"] for one in seen["processes"]) == 3


def test_synchronisations_that_a_library_took_away_are_none_of_a_killed_process(
    prove: Prove, tmp_path: Path
) -> None:
    need_programs("eatmydata", "timeout")
    (tmp_path / "program.py").write_text(WRITE + ENDS["SIGKILL"])
    seen = prove("sh", "-c", f"eatmydata '{sys.executable}' -S '{tmp_path}/program.py'; true")
    assert counted(seen, "written_bytes") == 3 * MIB
    assert all(one["verdict"] != "VALID" for one in seen["records"])


@pytest.mark.parametrize("full", [False, True])
def test_memory_without_room_harms_no_program(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, full: bool
) -> None:
    """The file of the counts has none, or gets none later; what it lacks is told."""
    need(user_mount_namespaces)
    need_library()
    # A link to a library below a path with spaces would be in the directory that is mounted over.
    shutil.copy(LIBRARY, tmp_path)
    monkeypatch.setattr("weir.prove.reports.LIBRARY", tmp_path / LIBRARY.name)
    (tmp_path / "program.py").write_text(WRITE + ENDS["SIGKILL"])
    (tmp_path / "reports").mkdir()
    (tmp_path / "data").mkdir()
    fill = "head -c 10m /dev/zero > full 2> /dev/null;" if full else ""
    code = (
        "import pathlib, weir.prove.reports as r; found, damaged = r.read_reports(pathlib.Path('reports')); "
        "files = [one for one in pathlib.Path('reports').iterdir() if not one.is_symlink()]; "
        "print([one['killed'] for one in found], damaged, len(files))"
    )
    variables = prove_variables(tmp_path / "reports", tmp_path / "data", "")
    own = " ".join(f"'{name}={value}'" for name, value in variables.items())
    script = f"""
        mount -t tmpfs -o size=512k tmpfs reports; (cd reports; {fill} true)
        (cd data; env {own} '{sys.executable}' -S ../program.py; echo $?)
        rm -f reports/full
        PYTHONPATH='{Path(__file__).parents[2]}' '{sys.executable}' -c "{code}"
        """
    done = ran([*USER_NAMESPACE, "sh", "-c", script], cwd=tmp_path, check=True)
    assert done.stdout.split("\n")[:2] == ["137", "[] 0 0" if full else "[True] 0 1"], done.stderr


def test_a_damaged_image_is_counted_as_one(tmp_path: Path) -> None:
    need_library()
    (tmp_path / "prove.h.1-0-1.image").write_bytes(b"\xff" * 5000)
    (tmp_path / "prove.h.2-0-1.image").write_bytes(bytes(5000))
    assert read_reports(tmp_path) == ([], 1)
    assert not list(tmp_path.glob("*.image"))
