"""Results of fio that somebody pasted into a page, with the commands before them and some of the lines."""

from pathlib import Path

import pytest

from tests.unit.imported import cells_of, rows_of, run_of
from tests.unit.tools.test_fio import GROUPS
from weir.collect.importing import runs_in

DD = (
    "$ dd if=/mnt/f of=/dev/null bs=1M\n1+0 records in\n1+0 records out\n1048576 bytes copied, {} s, 2 MB/s\n"
)
FIO = """\
$ fio --name=test --rw=read
test: (g=0): rw=read, bs=4K-4K/4K-4K/4K-4K, ioengine=sync, iodepth=1
test: (groupid=0, jobs=1): err= 0: pid=4: Tue Mar 22 21:43:37 2016
  read : io=102332KB, bw=117491KB/s, iops=29372, runt=  {}msec

"""


def test_lines_of_other_runs_are_no_workers_of_a_result() -> None:
    """A page quotes the head of the first run alone: its rate was the sum of all runs."""
    text = """\
# fio --name=test --filename=/dev/ada1 --bs=1m --iodepth=1 --rw=read
...
test: (groupid=0, jobs=1): err= 0: pid=1559: Mon Jan  5 20:39:06 2026
  read: IOPS=45, BW=45.7MiB/s (47.9MB/s)(958MiB/20975msec)

# fio --name=test --filename=/dev/ada1 --bs=1m --iodepth=32 --rw=read
  read: IOPS=94, BW=94.5MiB/s (99.1MB/s)(1918MiB/20296msec)

  write: IOPS=96, BW=96.0MiB/s (101MB/s)(1022MiB/10647msec); 0 zone resets

  write: IOPS=86, BW=86.0MiB/s (90.2MB/s)(871MiB/10127msec); 0 zone resets

"""
    rows = run_of(text).rows
    rates = [(row["access"], round(row["bw_mib_s"])) for row in rows]
    assert rates == [("read", 46), ("read", 94), ("write", 96), ("write", 86)]
    workloads = [row["observed"]["workload"] for row in rows]
    assert not [one for one in workloads if "workers" in one]
    assert ["job" in one for one in workloads] == [True, True, False, False]
    assert len({str(one) for one in workloads}) == 4
    command = text.partition("\n# fio")[2]
    rows = run_of(text.replace(command, command.partition("\n")[2].partition("\n")[2])).rows
    assert rows[0]["bw_mib_s"] == pytest.approx(45.7, rel=0.002)


@pytest.mark.parametrize("end", ["  \n# fio\n", "Run status group 0 (all jobs):\n"])
def test_a_page_may_leave_out_lines_behind_a_rate(end: str) -> None:
    """It had no result: the line of what was issued was not there, as in an output that was cut."""
    text = """\
randrw2.dat: (groupid=0, jobs=1): err= 0: pid=22508: Tue Oct 18 18:57:40 2022
  write: IOPS=3637, BW=28.4MiB/s (29.8MB/s)(854MiB/30045msec)
   iops        : min= 3262, max= 4006, avg=3638.33, stdev=270.04, samples=60
"""
    assert [row["bw_mib_s"] for row in run_of(text + end).rows] == [pytest.approx(28.4, rel=0.002)]
    assert not [row for _, cut in runs_in(text) for row in cut.rows]


def test_a_command_begins_another_run(tmp_path: Path) -> None:
    """Without the lines above its result, a run had the request of the one before, and was its worker."""
    result = """\
test: (groupid=0, jobs=1): err= 0: pid={pid}: Sat Dec  6 16:12:59 2025
  write: IOPS=24, BW=96.6KiB/s (98.9kB/s)(2040KiB/21124msec); 0 zone resets

"""
    head = "test: (g=0): rw=randwrite, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, "
    command = "root@n1:{place}# fio --name=test --filename=test --bs={size} --rw=randwrite\n"
    first = command.format(place="/mnt/a", size="4k") + head + "ioengine=psync, iodepth=1\nfio-3.28\n"
    second = command.format(place="/mnt/a", size="1m")
    other = first.replace("/mnt/a", "/mnt/b")
    longer = first.replace("fio --name=test", "fio \\\n --name=test --direct=1 \\  \n --fallocate={}")
    heads = (first, second, other, longer.format("none"), longer.format("posix"))
    rows = rows_of(tmp_path, "".join(text + result.format(pid=pid) for pid, text in enumerate(heads, 1)))
    assert [row["xfer_bytes"] for row in rows] == [4096, 2**20, 4096, 4096, 4096]
    assert {row["iteration"] for row in rows} == {0}
    assert len({row["cell"] for row in rows}) == 5


def test_results_of_unknown_requests_are_no_repetitions(tmp_path: Path) -> None:
    """A page names the depth of each in a sentence."""
    result = """\
iodepth={depth}
    mytest: (groupid=0, jobs=1): err= 0: pid={depth}: Sat Jul  6 14:16:34 2019
      write: IOPS=189, BW=756KiB/s (775kB/s)(443MiB/600014msec)

    Run status group 0 (all jobs):
"""
    rows = rows_of(tmp_path, "".join(result.format(depth=depth) for depth in (2, 32)))
    assert len({row["cell"] for row in rows}) == len(rows) == 2


@pytest.mark.parametrize("indent", ["", "  "])
@pytest.mark.parametrize("end", ["\n", "```\n", "Run status group 0 (all jobs):\n"])
def test_an_access_without_the_line_of_its_job_is_read(indent: str, end: str, tmp_path: Path) -> None:
    """Nine results of a page about Ceph had no record, and one before the end of a block."""
    result = (
        "{}read: IOPS=26.0k, BW=407MiB/s (426MB/s)(119GiB/300005msec)\n{}   lat (usec): min=1, max=9, avg=3\n"
    )
    result = result.format(indent, indent) + end
    command = "```\nfio --ioengine=libaio --bs=16384 --iodepth=128 --rw=randread --name=/dev/vda2 \n```\n"
    old = f"```\n{indent}write: io=44900MB, bw=153016KB/s, iops=37 , runt=300475msec\n{end}"
    page = f"# Ceph\n\n## a\n\n{command}\n```\n{result}\n## b\n\n{command}\n```\n{result}\n{old}"
    rows = rows_of(tmp_path, page)
    assert [(row["bw_mib_s"], row["ops_s"], row["lat_max_us"]) for row in rows] == [
        (pytest.approx(407, rel=0.002), 26000, 9),
        (pytest.approx(407, rel=0.002), 26000, 9),
        (pytest.approx(149.43, rel=0.001), 37, None),
    ]
    assert [(row["api"], row["order"], row["xfer_bytes"], row["iodepth"]) for row in rows] == [
        *[("POSIX", "random", 16384, 128)] * 2,
        ("not printed", None, None, None),
    ]
    assert len({row["cell"] for row in rows}) == 3
    assert not [row["reasons"] for row in rows if row["reasons"]]


@pytest.mark.parametrize(
    ("before", "known"),
    [
        ("fio --name=a --rw=randwrite --bs=1m\n", [True, False]),
        ("fio --name=a --rw=write --bs=1m\nfio --name=a --rw=randwrite --bs=1m\n", [False, False]),
        ("fio --name=a --rw=write --bs=1m\n$ fio --name=a --rw=randwrite --bs=1m\n", [True, False]),
        ("fio --name=a --rw=write\n```\n```\nfio --name=a --rw=randwrite --bs=1m\n", [True, False]),
        ("fio --name=a --rw=randread --bs=1m\n", [False, False]),
        ("fio --name=a --rw=randrw --bs=1m\n", [True, False]),
    ],
)
def test_results_below_several_commands_have_no_request(before: str, known: list[bool]) -> None:
    """A page of a file system has four commands, and below them the sums of all: each had the last one."""
    line = "WRITE: bw=703MiB/s (737MB/s), 703MiB/s-703MiB/s (737MB/s-737MB/s), io=4096MiB (4295MB), "
    line += "run=5825-{}msec\n"
    rows = run_of(f"{before}\n# Sequential\n{line.format(5825)}\n# Random\n{line.format(5826)}\n").rows
    assert [row["xfer_bytes"] == 2**20 for row in rows] == known
    assert len({str(row["observed"]["workload"]) for row in rows}) == 2


def test_a_title_between_two_accesses_is_of_another_run() -> None:
    """What a script took from four outputs was read as one that reads and writes at once."""
    read = "  read: IOPS=43, BW=43.0MiB/s (45MB/s)(1290MiB/30000msec)\n"
    group = "   READ: bw=43.0MiB/s (45MB/s), 43.0MiB/s-43.0MiB/s (45MB/s-45MB/s), io=1290MiB (1352MB), "
    group += "run=30000-30000msec\n"
    first = f"--- read\n{read}{group}"
    pair = first + first.replace("read", "write").replace("READ", "WRITE")
    rows = run_of(f"$ ./all.sh\n{pair}{pair.replace('30000', '30001')}Results saved\n\n").rows
    assert [row["access"] for row in rows] == ["read", "write"] * 2
    assert len({str(row["observed"]["workload"]) for row in rows}) == 4
    mixed = f"{read}    clat (usec): min=1, max=9, avg=3\n{read.replace('read', 'write')}\n"
    assert len({str(row["observed"]["workload"]) for row in run_of(mixed).rows}) == 1


@pytest.mark.parametrize(
    "line",
    [
        "\tREAD: io=51200MB, aggrb=444067KB/s, minb=3469KB/s, maxb=3760KB/s, mint=108931msec, "
        "maxt=118065msec",
        "   READ: bw=434MiB/s (455MB/s), 3469KiB/s-3760KiB/s (3552kB/s-3850kB/s), io=50.0GiB (53.7GB), "
        "run=108931-118065msec",
    ],
)
def test_the_sum_of_a_group_alone_is_a_result(line: str) -> None:
    """11 logs of a simulator of flash had no result, and no message."""
    write = line.replace("READ", "WRITE").replace("118065", "118066")
    text = f"started\nRun status group 0 (all jobs):\n{line}\n{write}\n\n350 ~ 660\n"
    rows = run_of(text).rows
    assert [(row["access"], row["total_s"]) for row in rows] == [("read", 118.065), ("write", 118.066)]
    assert [row["bw_mib_s"] for row in rows] == [pytest.approx(433.7, rel=0.001)] * 2
    rows = run_of("$ fio --name=a --rw=rw --bs=8k\n" + text).rows
    assert {(row["xfer_bytes"], row["observed"]["workload"]["job"]) for row in rows} == {(8192, "a")}
    assert len(run_of(GROUPS).rows) == 3


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ("  read : io=1104.8GB, bw=321739KB/s, iops=314, runt=3600299msec\n", 321739 / 1024),
        ("  read: IOPS=802, BW=802MiB/s (841MB/s)(10.0GiB/12406msec)\n", 802),
        ("  read: IOPS=3060, BW=11.0MiB/s (12.5MB/s)(719MiB/60172msec)\n", 719 / 60.172),  # 11.95 of fio 3.1
    ],
)
def test_the_bandwidth_counts_where_the_size_contradicts_it(line: str, printed: float) -> None:
    """The size gave 821 MiB/s for 802; in fio 2 it may be a digit higher than what was read."""
    (row,) = run_of(f"a: (groupid=0, jobs=1): err= 0: pid=4: Tue\n{line}\n").rows
    assert row["bw_mib_s"] == pytest.approx(printed, rel=0.001)


@pytest.mark.parametrize("head", ["", "a: (groupid=0, jobs=1): err= 0: pid={}: Tue\n"])
def test_lines_that_stand_close_together_are_results(head: str) -> None:
    """What grep left of outputs, or a page: only the last one had a result, or none."""
    line = "  read: IOPS=26, BW=104KiB/s (106kB/s)(6240KiB/{}msec)\n"
    rows = run_of("".join(head.format(at) + line.format(60000 + at) for at in range(3)) + "\n").rows
    assert [row["total_s"] for row in rows] == [60, 60.001, 60.002]
    assert len({str(row["observed"]["workload"]) for row in rows}) == 3


@pytest.mark.parametrize("line", ["**write: IOPS=26k**, BW", "  **_write:IOPS=26k_** , BW"])
@pytest.mark.parametrize("issued", ["issued rwts: total=0,1597440,0,0 short=0,0,0,0 dropped=0,0,0,0\n", ""])
def test_a_page_may_have_a_rate_in_bold(line: str, issued: str) -> None:
    """It had no result, and was refused."""
    head = "a: (groupid=0, jobs=1): err= 0: pid=4: Tue\n"
    end = f"=104MiB/s (109MB/s)(6240MiB/60000msec)\n{issued}\nRun status group 0 (all jobs):\n"
    (row,) = run_of(head + line + end).rows
    assert (row["access"], row["bw_mib_s"]) == ("write", pytest.approx(104, rel=0.001))


def test_each_result_has_the_version_that_printed_it(tmp_path: Path) -> None:
    """The first one of a page was of all its runs; fio 1 writes a blank."""
    runs = {"fio-3.36": "3.36", "fio 1.55": "1.55", "Starting 1 process": None, "fio-3.28": "3.28"}
    result = FIO.format(871)
    page = "".join(result.replace("\ntest: (group", f"\n{one}\ntest: (group") for one in runs)
    assert [row["tool_version"] for row in rows_of(tmp_path, page)] == [*runs.values()]
    page = result.replace("\ntest: (group", "\nfio-3.36\ntest: (group") + result
    assert [row["tool_version"] for row in rows_of(tmp_path, page)] == ["3.36"] * 2


@pytest.mark.parametrize(("heading", "results"), [("## ssd", 1), ("## hdd", 2)])
def test_a_result_that_a_page_quotes_above_its_whole_output_is_one(heading: str, results: int) -> None:
    """Those of a summary were counted twice; below another heading the same numbers are of another run."""
    result = FIO.format(871)
    line = next(line for line in result.splitlines() if "runt=" in line).strip()
    text = f"# Notes\n\n{heading}  \n```\n{line}\n```\n\n## ssd\n```\n{line}\n```\n```\n{result}```\n"
    assert len(run_of(text).rows) == results


@pytest.mark.parametrize(
    ("operations", "cells"), [((32768, 524288, 32768), [0, 1, 0]), ((32771, 524289, 32768), [0, 0, 2])]
)
def test_runs_of_other_sizes_are_no_repetitions(
    operations: tuple[int, ...], cells: list[int], tmp_path: Path
) -> None:
    """Jobs of 4 and of 64 GiB had one cell; those that a time ends move what they can."""
    log = "".join(
        "a: (g=0): rw=write, bs=128K-128K/128K-128K/128K-128K, ioengine=sync, iodepth=1\nfio-2.1.9\n"
        f"a: (groupid=0, jobs=1): err= 0: pid={ops}: Tue\n"
        f"  write: io={ops / 8:.1f}MB, bw={ops * 128}KB/s, iops={ops}, runt=  1000msec\n"
        f"     issued    : total=r=0/w={ops}/d=0, short=r=0/w=0/d=0\n\n"
        for ops in operations
    )
    assert cells_of(rows_of(tmp_path, log)) == cells


def test_a_margin_hides_no_job(tmp_path: Path) -> None:
    """Accesses match with blanks before them, lines of jobs do not: the margin is taken away first."""
    found = []
    for indent in ("", "    "):
        rows = rows_of(tmp_path, "".join(indent + line for line in GROUPS.splitlines(keepends=True)))
        found.append([(row["label"], row["bw_mib_s"], row["cell"]) for row in rows])
    assert found[0] == found[1]


@pytest.mark.parametrize("result", [DD, FIO])
def test_the_line_above_a_block_of_a_page_tells_results_apart(tmp_path: Path, result: str) -> None:
    """One command on a Lustre and on an SSD, each below its name, was repeated, at 42 and 1,308 MiB/s."""
    names = ("lustre", "ssd", "lustre", "## b\n\nlustre", "# Notes\n```\n\n```")
    blocks = [f"{name}\n```\n{result.format(871 + at)}```\n" for at, name in enumerate(names)]
    behind = ["## c\n\n" + result.format(901) + "\n" + result.format(903)]
    rows = rows_of(tmp_path, "# Notes\n\n" + "\n".join(blocks + behind))
    assert cells_of(rows) == [0, 1, 0, 3, 4, 5, 5]


@pytest.mark.parametrize("result", [DD, FIO])
def test_a_heading_that_counts_runs_tells_no_results_apart(tmp_path: Path, result: str) -> None:
    """Five runs below 'Run 1' to 'Run 5' were five cells, and in a history five series of one value each."""
    runs = "### Run 1", "### Run #2:", "3rd run:", "**Second run**"
    names = f"## ssd\n\n{runs[0]}", *runs[1:], f"## hdd\n\n{runs[0]}", "### Run 1 GiB"
    blocks = [f"{name}\n```\n{result.format(871 + at)}```\n" for at, name in enumerate(names)]
    rows = rows_of(tmp_path, "# Notes\n\n" + "\n".join(blocks))
    assert cells_of(rows) == [0, 0, 0, 0, 4, 5]


@pytest.mark.parametrize("result", [DD, FIO])
def test_a_heading_above_those_of_a_lower_level_tells_results_apart(tmp_path: Path, result: str) -> None:
    """A page with and without a RAID has the same headings below both."""
    parts = "# Without RAID", "# RAID 0\n\n## Prepare", "# Without RAID\n\n```\n# mount\n```"
    blocks = [f"{part}\n\n## 4 KiB\n```bash\n{result.format(871 + at)}```\n" for at, part in enumerate(parts)]
    rows = rows_of(tmp_path, "# i3\n\n" + "\n".join(blocks))
    assert cells_of(rows) == [0, 1, 0]


def test_pages_may_drop_blanks_before_lines_or_keep_them_as_no_break_spaces(tmp_path: Path) -> None:
    """Neither had a result."""
    found = []
    for page in (GROUPS, "\n".join(map(str.strip, GROUPS.splitlines())), GROUPS.replace("  ", "\u00a0 ")):
        rows = rows_of(tmp_path, page)
        found.append([{name: row[name] for name in row if name != "source"} for row in rows])
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("fio -rw=randread -iodepth 8 -ioengine=libaio -bs=256K -name=a", ("POSIX", "random", 2**18, 8)),
        ("fio --name=a --readwrite=read --blocksize=8k", ("POSIX", "sequential", 8192, 1)),
        ("fio --name=a --bs=$((4*2 *1024)) --rw=read", ("POSIX", "sequential", 8192, 1)),
        ("fio --name=a --bs=$(( $k * 1024 )) --rw=read", ("POSIX", "sequential", None, 1)),
        ("fio --name=b --rw=read --bs=8k", ("not printed", None, None, None)),  # of another job
        ("fio --name=a --rw=read --name=b --rw=write", ("not printed", None, None, None)),
    ],
)
def test_a_command_tells_what_a_page_has_no_line_of(command: str, found: tuple[object, ...]) -> None:
    """The interface was 'not printed' below 'fio -ioengine=libaio -bs=256K -iodepth 8'."""
    result = "a: (groupid=0, jobs=1): err= 0: pid=4: Tue\n  read: IOPS=24, BW=6144KiB/s (6.3MB/s)"
    result += "(6144KiB/1000msec)\n\n"
    (row,) = run_of(f"$ {command}\n{result}").rows
    assert tuple(row[key] for key in ("api", "order", "xfer_bytes", "iodepth")) == found


OF_GROUP = "  READ: bw=6144KiB/s (6MB/s), 1MiB/s-2MiB/s (1MB/s-2MB/s), io=6144KiB (6MB), run=1000-1000msec"
OF_JOB = "  read: IOPS=24, BW=6144KiB/s (6.3MB/s)(6144KiB/1000msec)\n"


@pytest.mark.parametrize(
    ("options", "line", "workers"),
    [
        ("--numjobs=4", OF_GROUP, 4),
        ("-numjobs 4 -group_reporting", OF_JOB, 4),
        ("--numjobs=4", OF_JOB, None),
        ("--numjobs=$n --group_reporting", OF_JOB, None),
    ],
)
def test_the_sum_of_a_group_has_the_workers_of_its_command(
    options: str, line: str, workers: int | None
) -> None:
    """Below a command with numjobs=8 the sum of all was a result of one worker."""
    (row,) = run_of(f"$ fio --name=a --rw=read --bs=256k {options}\n{line}\n").rows
    assert row["observed"]["workload"].get("workers") == workers
