"""What stands between results and no program printed: a script's announcements, changes in notes."""

from pathlib import Path

import pytest

from tests.unit.audit.ior_log import log
from tests.unit.imported import rows_of
from tests.unit.tools.test_mdtest_tables import DATE, V3
from weir.records.model import Row

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
    runs = [JOB.format(rate=110 + at, minute=at) for at in range(len(between))]
    log = "".join(line + command + run for line, run in zip(between, runs, strict=True))
    return _letters(rows_of(tmp_path, log))


def _letters(rows: list[Row]) -> str:
    """One for the cell of each result."""
    cells = [row["cell"] for row in rows]
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


IOR = log().replace("/scratch/data", "/net/a/f").replace("07:0", "0{n}:0").replace("1637.91", "163{n}.91")
MDTEST = (DATE + V3).replace("/scratch/tree", "/net/a/t").replace("12:46", "12:4{n}").replace("877", "87{n}")
ELBENCHO = """\
elbencho -w -t 4 -s 1g -b 1m /net/a/f
OPERATION   RESULT TYPE         FIRST DONE   LAST DONE
=========== ================    ==========   =========
WRITE       Elapsed time     :      3.241s      5.755s
            IOPS             :       33{n}5       33{n}2
            Throughput MiB/s :       33{n}5       33{n}2
            Total MiB        :        1020        1024
---
"""
DD = """\
$ dd if=/dev/zero of=/net/a/f bs=1M count=1024
1024+0 records in
1024+0 records out
1073741824 bytes (1.1 GB) copied, {n}.28482 s, 836 MB/s
"""
FIO = COMMAND + JOB.replace("{rate}", "11{n}").replace("{minute}", "{n}")


def _cells_of(tmp_path: Path, page: str, result: str) -> str:
    """A letter for the cell of each result of a page, which has a number where the results are."""
    parts = (result.replace("{n}", part) if part.isdecimal() else part for part in page.split("%"))
    return _letters(rows_of(tmp_path, "".join(parts)))


@pytest.mark.parametrize(
    "result", [IOR, MDTEST, ELBENCHO, DD, FIO], ids=["ior", "mdtest", "elbencho", "dd", "fio"]
)
@pytest.mark.parametrize(
    ("page", "cells"),
    [
        ("Quotas are off.\n\nIt prints:\n```\n%1%```\nQuotas are on now.\n\nIt prints:\n```\n%2%```\n", "ab"),
        ("On a disk:\n```\n./run\n```\n```\n%1%```\nOn a tape:\n```\n./run\n```\n```\n%2%```\n", "ab"),
        ("```\n# lfs setstripe -c 1 /net/a\n%1%# lfs setstripe -c 4 /net/a\n%2%%3%```\n", "abb"),
        ("## Disk\n\nA\n```\n%1%```\n## Tape\n\nA\n```\n%2%```\n## Disk\n\nA\n```\n%3%```\n", "aba"),
        ("It prints:\n```\n%1%```\n![](1.png)\n\nIt prints:\n```\n# sync\n%2%# sync\n%3%```\n", "aaa"),
        ("It prints:\n```\n%1%\n%2%```\nAnd again.\n\nIt prints:\n```\n%3%```\n", "aaa"),
    ],
)
def test_what_the_author_of_a_page_wrote_tells_results_apart(
    tmp_path: Path, page: str, cells: str, result: str
) -> None:
    """A page had results before and after a change of the file system as repetitions."""
    assert _cells_of(tmp_path, page, result) == cells


@pytest.mark.parametrize("result", [IOR, MDTEST, ELBENCHO])
@pytest.mark.parametrize(
    ("page", "cells"),
    [
        ("Disk\n----\n\n%1%\nTape\n----\n\n%2%%3%", "abb"),
        ("== Disk ==\n%1%== Tape ==\n%2%", "ab"),
        ("[root@n1 ~]# mount -o sync /net/a\n%1%[root@n1 ~]# mount -o async /net/a\n%2%", "ab"),
        ("[root@n1 ~]# sync\n%1%Again:\n[root@n1 ~]# sync\n%2%", "aa"),
        ("Loading modules\n%1%Waiting for nodes\n%2%", "aa"),
    ],
)
def test_titles_and_notes_tell_results_apart(tmp_path: Path, page: str, cells: str, result: str) -> None:
    """Headings of reStructuredText and of a wiki are none of Markdown."""
    assert _cells_of(tmp_path, page, result) == cells
