"""What stands between results and no program printed: a script's announcements, changes in notes."""

from __future__ import annotations

from pathlib import Path

import pytest

from weir.records.imported_files import Facts
from weir.records.importing import import_files

JOB = """\
read_1m: (g=0): rw=read, bs=(R) 1024KiB-1024KiB, (W) 1024KiB-1024KiB, (T) 1024KiB-1024KiB, \
ioengine=psync, iodepth=1
fio-3.35
Starting 1 process
Jobs: 1 (f=1): [R(1)][100.0%][r={rate}MiB/s][r={rate} IOPS][eta 00m:00s]
read_1m: (groupid=0, jobs=1): err= 0: pid={rate}: Tue Mar  5 10:0{minute}:28 2024
  read: IOPS={rate}, BW={rate}MiB/s (8MB/s)({rate}MiB/1000msec)
    clat (usec): min=27804, max=52022, avg=36091.93, stdev=1258.84
  cpu          : usr=0.02%, sys=0.91%, ctx=4107, majf=0, minf=1069
     issued rwts: total={rate},0,0,0 short=0,0,0,0 dropped=0,0,0,0

Run status group 0 (all jobs):
   READ: bw={rate}MiB/s (8MB/s), {rate}MiB/s-{rate}MiB/s (8MB/s-8MB/s), io={rate}MiB (8MB), run=1000-1000msec

Disk stats (read/write):
  sda: ios=1/2, merge=0/0, ticks=1/2, in_queue=3, util=9.00%
"""
COMMAND = "# fio --name=read_1m --rw=read --bs=1m --filename=/dev/sdx\n"


def _cells(tmp_path: Path, between: list[str], command: str = "") -> str:
    """A letter for the cell of each result."""
    log = tmp_path / "log"
    runs = [JOB.format(rate=110 + at, minute=at) for at in range(len(between))]
    log.write_text("".join(line + command + run for line, run in zip(between, runs, strict=True)))
    cells = [row["cell"] for row in import_files([log], Facts()).rows]
    assert len(cells) == len(between)
    return "".join("abcdef"[list(dict.fromkeys(cells)).index(cell)] for cell in cells)


@pytest.mark.parametrize(
    ("between", "cells"),
    [
        (["Running read on /net/nfs/a\n", "Running read on /net/smb/a\n"], "ab"),
        (
            ["Testing /net/nfs\nJob read\n", "Job read\n", "Testing /net/smb\nJob read\n", "Job read\n"],
            "aabb",
        ),
        (["== /dev/sda ==\n", "== /dev/vda ==\n", "== /dev/sda ==\n", "== /dev/vda ==\n"], "abab"),
        (["Installing /usr/bin/fio\n", "Removing /net/a/f\n", "Removing /net/a/f\n"], "aaa"),
        (["Log is /tmp/run_1.log\n", "Log is /tmp/run_2.log\n"], "aa"),
        (["Tue Mar 5 10:00:28 CET 2024\n", "Wed Mar 6 00:01:28 CET 2024\n", "sleeping\n"], "aaa"),
        (["Without cache\n-------------\n\n", "", "With cache\n----------\n\n", ""], "aabb"),
        (["* Without cache\n", "* With cache\n"], "ab"),
        (["=== Warm up ===\n", "", "=== Run 1 ===\n", "=== Run 2 ===\n"], "aaaa"),
        (["Installed:\n  fio 3.35\nDone.\n", "Waiting a minute.\n"], "aa"),
        (["", "Average: 93 MB/s\n", "Average: 98 kB/s\n"], "aaa"),
    ],
)
def test_a_script_announces_where_it_runs_next(tmp_path: Path, between: list[str], cells: str) -> None:
    """A log of the same jobs on NFS and on SMB had one cell for both."""
    assert _cells(tmp_path, between) == cells


@pytest.mark.parametrize(
    ("between", "cells"),
    [
        (["now without look-ahead:\n", "\n", "now with it:\n", ""], "aabb"),
        (["", "# smartctl -s lookahead,off /dev/sdx\n"], "ab"),
        (["how fast is it?\n", "real\t0m1.003s\nuser\t0m0.004s\nsys\t0m0.1s\n", "[root@n1 ~]#\n"], "aaa"),
        (["# sync\n", "# sync\n", "# sync\n"], "aaa"),
        (["Run 1\n", "Run 2\n", "^Cbs: 1 (f=1): [R(1)][9%]\n"], "aaa"),
    ],
)
def test_notes_tell_what_was_changed(tmp_path: Path, between: list[str], cells: str) -> None:
    """Notes had results before and after a change of a setting of the disk as repetitions."""
    assert _cells(tmp_path, between, COMMAND) == cells
    assert _cells(tmp_path, between, COMMAND.replace("# ", "root@n1:~# taskset -c 0 ")) == cells
    assert set(_cells(tmp_path, between, COMMAND.removeprefix("# "))) == {"a"}
