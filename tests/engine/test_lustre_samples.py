"""Counters and stripes as a real Lustre 2.10 client printed them."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import beside
from weir.measure.stripes import stripe
from weir.model import Target


def test_the_counters_of_a_real_client_are_read(build: Path, tmp_path: Path) -> None:
    snapshot = beside("reference/lustre/proc_snapshot_llite.txt").read_text().splitlines()
    names = [number for number, line in enumerate(snapshot) if line.startswith("/proc/")]
    first = next(number for number in names if snapshot[number].endswith("/stats"))
    last = next(number for number in names if number > first)
    stats = tmp_path / "stats"
    stats.write_text("\n".join(snapshot[first + 1 : last]) + "\n")
    program = build / "unit" / "unit-llite"
    done = subprocess.run([program, stats], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("skipped_lines", [0, 2])
def test_the_stripes_of_a_real_client_are_read(tmp_path: Path, skipped_lines: int) -> None:
    """From the line of a directory and from the layout of a file."""
    printed = beside("reference/lustre/lfs_getstripe_head.txt").read_text().splitlines(keepends=True)
    (tmp_path / "layout").write_text("".join(printed[skipped_lines:]))
    target = replace(Target("files", "parallel", "/files"), get_stripes=("cat", "{folder}/layout"))
    assert stripe(tmp_path, {}, target) == 2
