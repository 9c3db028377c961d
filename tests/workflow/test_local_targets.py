"""The targets of site local as they are: each door of the burst buffer and the memory pool moves bytes."""

from __future__ import annotations

import csv
import json
import os

import pytest

from tests.workflow.conftest import Checkout

SUITE = {
    "suite": "doors",
    "question": "Do all doors open?",
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
    checkout.write("config/suites/doors.yaml", SUITE)
    assert checkout.weir("plan", "--suite", "doors", "--out", "plan.json").returncode == 0
    done = checkout.weir("run", "--plan", "plan.json", "--results", "results/local", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    batches = {each["batch"].removesuffix("-debian-1x2"): each for each in json.loads(done.stdout)["batches"]}
    collected = checkout.weir(
        "collect", "--plan", "plan.json", "--results", "results/local", "--out", "r.csv"
    )
    assert collected.returncode == 0, collected.stderr
    with (checkout.root / "r.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert {row["verdict"] for row in rows} == {"VALID"}, [row["evidence"] for row in rows]
    doors = {(row["target"], row["api"], row["emulated"]) for row in rows}
    expected = {
        ("disk", "POSIX", "false"),
        ("memory", "MPIIO", "false"),
        ("backing", "POSIX", "true"),
        ("ime-native", "IME", "true"),
        ("memory-pool", "MPIIO", "true"),
    }
    assert expected <= doors
    # Without a usable /dev/fuse the mount is left out, with the reason.
    mounted = os.access("/dev/fuse", os.R_OK | os.W_OK)
    assert batches["ime-fuse"]["left_out"] is None if mounted else "fuse" in batches["ime-fuse"]["left_out"]
    assert (("ime-fuse", "POSIX", "true") in doors) == mounted
