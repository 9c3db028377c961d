"""The targets of site local: each interface of the burst buffer and the memory pool moves bytes."""

from __future__ import annotations

import csv
import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.workflow.conftest import ROOT, Checkout
from weir.measure.processes import started

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
    done = checkout.weir("run", "--plan", "plan.json", "--results", "results/local", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    batches = {each["batch"].removesuffix("-debian-1x2"): each for each in json.loads(done.stdout)["batches"]}
    collected = checkout.weir(
        "collect", "--plan", "plan.json", "--results", "results/local", "--out", "r.csv"
    )
    assert collected.returncode == 0, collected.stderr
    with (checkout.root / "r.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    # 2 MiB take milliseconds, others use the disk, and of the emulated burst buffer there is no device.
    reasons = {reason for row in rows for reason in row["reasons"].split(";")}
    assert reasons <= {"", "phase-too-short", "others-on-device"}, [row["evidence"] for row in rows]
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
    mounted = os.access("/dev/fuse", os.R_OK | os.W_OK)
    reason = batches["ime-fuse"]["unavailable"]
    assert reason is None if mounted else "fuse" in reason
    assert (("ime-fuse", "POSIX", "true") in interfaces) == mounted


def burst_buffer(action: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Called by a process that is not its owner."""
    command = [ROOT / "config/sites/local/burst-buffer", action, ROOT, folder / "fast", folder]
    return subprocess.run(
        ["sh", "-c", '"$@"; exit $?', "sh", *command], capture_output=True, text=True, check=False
    )


def test_a_pid_that_now_belongs_to_another_process_owns_nothing(tmp_path: Path) -> None:
    (tmp_path / "owner").write_text(f"{os.getpid()} 1 /home/me/weir\n")
    done = burst_buffer("down", tmp_path)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "owner").exists()


def test_a_burst_buffer_that_another_checkout_uses_is_left_alone_and_says_whose_it_is(tmp_path: Path) -> None:
    owner = os.getpid()  # lives, and is not the caller's parent
    (tmp_path / "owner").write_text(f"{owner} {started(owner)} /home/me/weir\n")
    done = burst_buffer("up", tmp_path)
    assert done.returncode == 1
    assert f"/home/me/weir uses it (process {owner})" in done.stderr
    assert f"end it by: kill {owner}" in done.stderr
    assert f"other folders than {tmp_path} and {tmp_path}/fast in config/sites/local/targets" in done.stderr
    assert sorted(file.name for file in tmp_path.iterdir()) == ["owner"]
