"""fio: workers and servers that ran at once, and reports of a run that went on."""

import json
from typing import Any

import pytest

from tests.unit.imported import run_of
from tests.unit.tools.test_fio import MIB, document
from weir.collect.importing import runs_in
from weir.tools.fio.parse import documents, parse_document


def test_servers_of_fio_report_to_one_client() -> None:
    """Entries have the shape of those of jobs, without group_reporting one for each worker; the last one adds
    them up. Ten of two hosts were ten iterations of one cell."""
    of_servers = document()
    (job,) = of_servers.pop("jobs")
    job["job options"] = job["job options"] | {"numjobs": "5"}
    whole = job | {"jobname": "All clients"}
    of_servers["client_stats"] = [job | {"hostname": name} for name in ("a", "b") for _ in range(5)] + [whole]
    (row,) = run_of(json.dumps(of_servers)).rows
    assert (row["moved_bytes"], row["iteration"], row["nn"]) == (160 * MIB, 0, 2)
    assert (row["observed"]["workload"]["workers"], row["requested_bytes"]) == (10, 160 * MIB)
    assert row["bw_mib_s"] == pytest.approx(160 / row["total_s"])
    of_servers["client_stats"] = [job | {"hostname": name} for name in "abcde"] + [whole]  # groups of five
    assert run_of(json.dumps(of_servers)).rows[0]["observed"]["workload"]["workers"] == 25


def test_workers_with_a_result_each_are_what_fio_prints_of_their_group() -> None:
    """The bytes of all over the time of the longest; percentiles of one worker are none of all."""
    one = document()
    (job,) = one["jobs"]
    job["job options"]["numjobs"] = "2"
    slow = json.loads(json.dumps(job))
    slow["write"] |= {"runtime": 2 * job["write"]["runtime"], "bw_bytes": job["write"]["bw_bytes"] // 2}
    slow["write"]["lat_ns"] |= {"max": 9 * job["write"]["lat_ns"]["max"]}
    one["jobs"] = [job, slow]
    (row,) = parse_document(one).rows
    (alone,) = parse_document(document()).rows
    assert (row["total_s"], row["ops"]) == (2 * alone["total_s"], 512)
    assert row["bw_mib_s"] == pytest.approx(32 / row["total_s"])
    assert (row["lat_min_us"], row["lat_max_us"]) == (alone["lat_min_us"], 9 * alone["lat_max_us"])
    assert (row.get("lat_p50_us"), row["layout"], row["observed"]["in_flight"]["count"]) == (None, None, 2)
    assert sum(map(int, row["lat_histogram"].partition(":")[2].split(";"))) == 512
    assert row["lat_histogram"].partition(":")[0] == alone["lat_histogram"].partition(":")[0]


@pytest.mark.parametrize(
    "changed", [{"name": "reads"}, {"rw": "randread", "bs": "4k"}, {"rw": "write", "verify": "0"}]
)
def test_a_group_of_several_sections_has_no_request(changed: dict[str, str]) -> None:
    """fio gives the options of the last section alone: all had its size and order."""
    one = document()
    (job,) = one["jobs"]
    one["global options"] = {"runtime": "60"}
    job["job options"] |= {"numjobs": "4", "group_reporting": "1"} | changed
    job["read"] = job["write"]
    write, read = parse_document(one).rows
    for row in (write, read):
        assert [row[name] for name in ("xfer_bytes", "order", "direct", "requested_bytes")] == [None] * 4
        assert "workers" not in row["observed"]["workload"]
        assert row["observed"]["workload"]["options"]["runtime"] == "60"
    job["job options"] |= {"name": job["jobname"], "rw": "randrw"}
    assert {row["order"] for row in parse_document(one).rows} == {"random"}


def reported_at(seconds: int) -> dict[str, Any]:
    """The document so many seconds after fio began."""
    one = document()
    one |= {"timestamp_ms": 1760000000000 + 1000 * seconds, "timestamp": 1760000000 + seconds}
    counted = one["jobs"][0]["write"]
    counted |= {"io_bytes": seconds * 64 * MIB, "runtime": 1000 * seconds, "total_ios": seconds * 1024}
    counted["bw_bytes"] = 64 * MIB
    one["jobs"][0]["elapsed"] = seconds + 1
    return one


def test_reports_before_the_last_are_of_the_same_run() -> None:
    """--status-interval prints counts since the start: each report was an iteration."""
    reports = [reported_at(seconds) for seconds in (1, 2, 3)]
    (last,) = documents("\n".join(map(json.dumps, reports)))
    assert last == reports[-1]
    again = reported_at(3)
    again |= {"timestamp_ms": again["timestamp_ms"] + 4000, "timestamp": again["timestamp"] + 4}
    assert len(documents("\n".join(map(json.dumps, [*reports, again])))) == 2  # another run, later
    beside = reported_at(3)
    beside["jobs"][0]["write"]["io_bytes"] -= MIB
    # One that ran at the same time.
    assert len(documents("\n".join(map(json.dumps, [*reports, beside])))) == 2


@pytest.mark.parametrize("apart_ms", [700, 1400])
def test_short_runs_one_after_the_other_are_runs_of_their_own(apart_ms: int) -> None:
    """Each lasts half a second: fio, by its whole seconds, seems to begin them at once."""
    first, second = reported_at(1), reported_at(1)
    for number, one in enumerate((first, second)):
        one |= {"timestamp_ms": 1760000001000 + number * apart_ms, "timestamp": 1760000001 + number}
        one["jobs"][0]["write"] |= {"runtime": 500 + 20 * number, "io_bytes": 64 * MIB}
    assert len(documents("\n".join(map(json.dumps, [first, second])))) == 2


REPORT = """\
randrw: (groupid=0, jobs=1): err= 0: pid={pid}: Tue May  7 17:39:0{second} 2019
   read: IOPS=510, BW=2040KiB/s (2089kB/s)({read}KiB/{ms}msec)
     issued rwt: total={reads},0,0, short=0,0,0, dropped=0,0,0

Run status group 0 (all jobs):
   READ: bw=2040KiB/s (2089kB/s), 2040KiB/s-2040KiB/s (2089kB/s-2089kB/s), io={read}KiB, run={ms}-{ms}msec

"""
STARTS = """\
randrw: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=1
fio-3.1
Starting 1 process
"""


def test_a_table_that_is_printed_again_is_of_the_same_run() -> None:
    """The process has one number for all of its reports; in a container the next run may have it, too."""

    def report(pid: int, second: int) -> str:
        reads = 510 * second
        return REPORT.format(pid=pid, second=second, read=4 * reads, ms=1000 * second, reads=reads)

    first = STARTS + report(7, 1) + report(7, 2)
    rows = [row for _, run in runs_in(first + STARTS + report(7, 3)) for row in run.rows]
    assert [(row["ops"], row["iteration"]) for row in rows] == [(1020, 0), (1530, 1)]
    parts = report(7, 1) + report(7, 2)  # quoted without what was printed before them
    assert [row["ops"] for _, run in runs_in(parts) for row in run.rows] == [510, 1020]


def test_a_process_behind_the_end_of_a_run_is_of_another_one() -> None:
    """Two hours apart and without the first lines of the second, they were workers of one run."""
    first, second = (REPORT.format(pid=n, second=n, read=4 * n, ms=n, reads=n) for n in (1, 2))
    rows = run_of(STARTS + first + second).rows
    assert [row["ops"] for row in rows] == [1, 2]
    assert not any("workers" in row["observed"]["workload"] for row in rows)
    assert [row["xfer_bytes"] for row in rows] == [4096, None]  # the request of the second is unknown
    assert rows[0]["observed"] != rows[1]["observed"]


def test_tables_of_servers_of_fio() -> None:
    """A client prints the request of each with its name, a result of each, and then the sum."""
    starts = f"<a> {STARTS.splitlines()[0]}\n<b> {STARTS.splitlines()[0]}\nhostname=a, be=0, fio=fio-3.7\n"
    reports = [REPORT.format(pid=pid, second=1, read=2040, ms=1000, reads=510) for pid in (5, 5, 0)]
    tables = list(reports)
    tables[2] = tables[2].replace("randrw: (groupid=0, jobs=1", "All clients: (groupid=0, jobs=2")
    tables[1] = tables[1].replace("pid=5", "pid=6")
    (row,) = run_of(starts + "".join(tables)).rows
    assert (row["api"], row["ops"], row["observed"]["workload"]["workers"]) == ("POSIX", 1020, 2)
