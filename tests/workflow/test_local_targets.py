"""The targets of site local: each interface of the burst buffer and the memory pool moves bytes."""

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.needs import fuse, mount_namespaces, need
from tests.programs import ran, write_program
from tests.workflow.conftest import ROOT, Checkout
from tests.workflow.processes import named_below
from weir.base.processes import started

SUITE = {
    "suite": "interfaces",
    "question": "Do all interfaces open?",
    "experiments": {
        "one": {
            "tool": "ior",
            "nodes": [1],
            "ppn": [2],
            "space": {"api": ["POSIX", "MPIIO", "IME"]},
            "fixed": {
                "access": ["write", "read"],
                "xfer": "64 KiB",
                "block": "1 MiB",
                "verify_read": True,
                "drop_caches": True,
            },
        }
    },
}


@pytest.mark.slow
def test_every_door_moves_bytes_and_leaves_nothing(checkout: Checkout) -> None:
    checkout.write("config/suites/interfaces.yaml", SUITE)
    assert checkout.weir("plan", "--suite", "interfaces", "--out", "plan.json").returncode == 0
    done = checkout.weir("run", "--plan", "plan.json", "--results", "results/local", "--json", code=0)
    batches = {each["batch"].removesuffix("-debian-1x2"): each for each in json.loads(done.stdout)["batches"]}
    rows = checkout.collect("r.csv")
    # 2 MiB take milliseconds, others use the machine, and of the emulated burst buffer there is no device.
    reasons = {reason for row in rows for reason in row["reasons"].split(";")}
    of_the_machine = {"others-on-device", "machine-busy", "neighbours"}
    assert reasons <= {"", "phase-too-short", *of_the_machine}, [row["evidence"] for row in rows]
    proven = {row["target"] for row in rows if not row["missing"]}
    assert proven >= {"disk", "memory"}
    interfaces = {(row["target"], row["api"], row["emulated"]) for row in rows}
    expected = {
        ("disk", "POSIX", "false"),
        ("memory", "MPIIO", "false"),
        ("backing", "POSIX", "true"),
        ("ime-native", "IME", "true"),
        ("memory-pool", "MPIIO", "true"),
    }
    assert expected <= interfaces
    # Without a usable /dev/fuse the mount is skipped, with the reason.
    mounted = not fuse()
    reason = batches["ime-fuse"]["unavailable"]
    assert reason is None if mounted else "fuse" in reason
    assert (("ime-fuse", "POSIX", "true") in interfaces) == mounted


@pytest.fixture
def place() -> Iterator[Path]:
    """For a burst buffer: its memory and its disk, deleted afterwards."""
    with tempfile.TemporaryDirectory(prefix="weir-test-", dir="/dev/shm") as name:
        yield Path(name)


# Shells that say so once they hold the mount $1, and then stay: in a copy of all mounts, or within it.
HOLDERS = {
    "another namespace": ["unshare", "--mount", "--propagation", "private", "sh", "-c"],
    "a shell": ["sh", "-c", 'cd "$1"; eval "$0"'],
}


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.row("another mount namespace, or a shell, holds the burst buffer's mount")
def test_a_mount_that_somebody_holds_hinders_neither_clean_up_nor_the_next_start(
    place: Path, holder: str
) -> None:
    """Its process ends, the holder does not: it keeps a mount that is dead."""
    need(fuse, mount_namespaces)
    mount = place / "mount"
    burst_buffer("mount", place, code=0)
    command = [*HOLDERS[holder], "echo holds; exec sleep 600", str(mount)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "holds\n"
            for action in ("down", "mount"):
                burst_buffer(action, place, code=0)
            (mount / "file").write_text("as new")
            assert (place / "backing" / "file").exists()
            assert process.poll() is None
        finally:
            burst_buffer("down", place)
            process.kill()
    assert str(mount) not in Path("/proc/self/mounts").read_text()
    assert named_below(place, "ime-fuse") == []


def burst_buffer(
    action: str, folder: Path, root: Path = ROOT, code: int | None = None
) -> subprocess.CompletedProcess[str]:
    """Called by a process that is not its owner."""
    command = [ROOT / "config/sites/local/burst-buffer", action, root, folder / "fast", folder]
    return ran(["sh", "-c", '"$@"; exit $?', "sh", *command], code=code)


@pytest.mark.row("a process that takes the PID of an ended one")
def test_a_pid_that_now_belongs_to_another_process_owns_nothing(tmp_path: Path) -> None:
    """And is not taken for the process behind the mount, which clean-up ends."""
    (tmp_path / "owner").write_text(f"{os.getpid()} 1 /home/me/weir\n")
    with subprocess.Popen(["sleep", "600"]) as other:
        (tmp_path / "mounter").write_text(f"{other.pid} 1\n")
        done = burst_buffer("down", tmp_path)
        is_alive = other.poll() is None
        other.kill()
    assert done.returncode == 0, done.stderr
    assert is_alive
    assert list(tmp_path.iterdir()) == []


def test_a_burst_buffer_that_another_checkout_uses_is_left_alone_and_says_whose_it_is(tmp_path: Path) -> None:
    owner = os.getpid()  # lives, and is not the caller's parent
    (tmp_path / "owner").write_text(f"{owner} {started(owner)} /home/me/weir\n")
    done = burst_buffer("up", tmp_path, code=1)
    assert f"/home/me/weir uses it (process {owner})" in done.stderr
    assert f"end it by: kill {owner}" in done.stderr
    assert f"other folders than {tmp_path} and {tmp_path}/fast in config/sites/local/targets" in done.stderr
    assert sorted(file.name for file in tmp_path.iterdir()) == ["owner"]


def test_a_store_that_could_not_be_made_is_not_looked_for_by_the_next(tmp_path: Path) -> None:
    """/dev/shm is too small: every target behind the burst buffer gives that reason, not only the first."""
    text = "[ $1 = create ] && echo has only 64 MiB free >&2 || echo no store here >&2; exit 1"
    write_program(tmp_path / "prefix" / "bin" / "imectl", f"#!/bin/sh\n{text}\n")
    for _ in range(2):
        done = burst_buffer("up", tmp_path / "store", tmp_path / "prefix")
        assert (done.returncode, done.stderr) == (1, "has only 64 MiB free\n")
