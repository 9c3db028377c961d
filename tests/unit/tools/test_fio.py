"""fio: its JSON documents, whole, cut and changed, and the command of a cell."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.imported import cells_of, rows_of, run_of
from weir.audit import Subject, judge
from weir.collect.importing import runs_in
from weir.records.columns import columns
from weir.tools import tools
from weir.tools.fio.parse import documents, parse_document
from weir.tools.outputs import binary_size

GOLDEN = Path(__file__).resolve().parents[2] / "golden/fio/seq-write.json"
GROUPS = GOLDEN.with_name("groups.txt").read_text()
MIB = 2**20


def document() -> dict[str, Any]:
    return dict(json.loads(GOLDEN.read_text()))


def test_a_document_of_fio() -> None:
    ((tool, parsed),) = runs_in(GOLDEN.read_text())
    (row,) = parsed.rows
    assert (tool, parsed.program, parsed.tool_version) == ("fio", "fio", "3.33")
    assert (row["access"], row["api"], row["order"]) == ("write", "POSIX", "sequential")
    assert row["moved_bytes"] == row["requested_bytes"] == 16 * MIB
    assert (row["xfer_bytes"], row["ops"], row["sync"], row["direct"]) == (65536, 256, True, False)
    assert row["bw_mib_s"] == pytest.approx(16 / row["total_s"], rel=0.01)
    first, _, counts = row["lat_histogram"].partition(":")
    assert (int(first), sum(map(int, counts.split(";")))) == (4, 256)


def test_a_document_without_options_does_not_tell_what_was_requested() -> None:
    """As fio 2 prints those of a job file."""
    bare = document()
    bare.pop("global options", None)
    for job in bare["jobs"]:
        job.pop("job options", None)
    (row,) = parse_document(bare).rows
    assert (row["access"], row["sync"], row["direct"], row["order"]) == ("write", None, None, None)
    assert (row["xfer_bytes"], row["iodepth"], row["bw_mib_s"] > 0) == (None, None, True)


def test_messages_around_it_and_a_cut_one() -> None:
    text = GOLDEN.read_text()
    assert len(list(documents(f"fio: a note\n{text}\nand another\n{text}"))) == 2
    ((_, cut),) = [(name, one) for name, one in runs_in(text[:900]) if name == "fio"] or [("fio", None)]
    assert cut is None or not cut.complete


def test_a_job_without_a_time_has_no_rate() -> None:
    """--verify_only counts writes that it does not do."""
    verified = document()
    verified["jobs"][0]["write"] |= {"runtime": 0, "bw_bytes": 0, "bw": 0, "iops": 0.0}
    assert parse_document(verified).rows == ()


def test_options_decide_what_was_requested() -> None:
    one = document()
    options = one["jobs"][0]["job options"]
    options |= {"numjobs": "4", "ioengine": "io_uring", "rw": "randwrite", "direct": "1"}
    (row,) = parse_document(one).rows
    told = (64 * MIB, "URING", "random", True)
    assert (row["requested_bytes"], row["api"], row["order"], row["direct"]) == told
    options |= {"runtime": "10", "time_based": "1"}
    assert parse_document(one).rows[0]["requested_bytes"] is None
    del options["end_fsync"]
    assert parse_document(one).rows[0]["sync"] is False
    for every, is_synchronised in (("3", True), ("4", False)):  # of 256 writes, 4 jobs leave as many each
        options["fdatasync"] = every
        assert parse_document(one).rows[0]["sync"] is is_synchronised
    one["jobs"][0]["error"] = 5
    assert [message.level for message in parse_document(one).messages] == ["error"]


@pytest.mark.parametrize(
    ("entries", "moved", "requested"), [(2, 16, 32), (1, 32, 32), (4, 16, 64), (1, 48, None)]
)
def test_each_entry_has_its_own_request(entries: int, moved: int, requested: int | None) -> None:
    """Of two jobs: one entry each, or one of the group; two sections of one name; a group of two sections."""
    one = document()
    (job,) = one["jobs"]
    job["job options"]["numjobs"] = "2"
    job["write"]["io_bytes"] = moved * MIB
    one["jobs"] = [job] * entries
    (row,) = parse_document(one).rows
    assert row["requested_bytes"] == (requested and requested * MIB)
    assert row["moved_bytes"] == entries * moved * MIB


@pytest.mark.parametrize(
    ("text", "size"), [("64k", 65536), ("1m", MIB), ("4096", 4096), ("256ki", 2**18), ("2GiB", 2**31)]
)
def test_sizes(text: str, size: int) -> None:
    assert binary_size(text) == size


def test_it_is_found_by_its_directory() -> None:
    assert tools()["fio"].programs == (("fio",),)


def test_a_time_in_milliseconds_has_the_digits_that_fio_printed() -> None:
    """953 * 1e-3 is 0.9530000000000001, which 32 MiB over their rate are not."""
    job = {"jobname": "j", "write": {"io_bytes": 33554432, "runtime": 953, "bw_bytes": 35209267}}
    (row,) = parse_document({"fio version": "fio-3.33", "jobs": [job]}).rows
    assert row["total_s"] == 0.953
    judged = judge(Subject({name: row.get(name) for name in columns()} | {"tool": "fio"}, {}))
    assert "bandwidth-not-bytes-over-time" not in {finding.rule for finding in judged.findings}


def test_what_fio_prints_for_people_has_rows_too() -> None:
    """Bytes by requests of one size: sizes have three digits there."""
    ((tool, parsed),) = runs_in(GROUPS)
    assert (tool, parsed.program, parsed.tool_version, parsed.complete) == ("fio", "fio", "3.33", True)
    write, read, mixed = parsed.rows
    assert (write["access"], write["moved_bytes"], write["total_s"]) == ("write", 32 * 2**20, 0.063)
    assert (read["order"], read["xfer_bytes"], read["moved_bytes"]) == ("random", 4096, 722 * 4096)
    assert (mixed["access"], mixed["moved_bytes"], mixed["iteration"]) == ("write", 728 * 16384, 0)
    ranges = GROUPS.replace("(W) 16.0KiB-16.0KiB", "(W) 4096B-16.0KiB")
    assert 11.35 * 2**20 <= run_of(ranges).rows[2]["moved_bytes"] < 11.45 * 2**20
    failed = GROUPS.replace("jobs=2): err= 0", "jobs=2): err=28")
    assert [one.level for one in run_of(failed).messages] == ["error"]
    for length in range(0, len(GROUPS), 97):
        rows = [row | {"observed": {}} for _, run in runs_in(GROUPS[:length]) for row in run.rows]
        assert rows == [row | {"observed": {}} for row in parsed.rows[: len(rows)]]


def test_an_error_is_of_its_job_and_not_of_others_on_the_page() -> None:
    """A job that failed before it had a result is a record of its own, which has the error."""
    failed = "bad: (groupid=0, jobs=100): err= 5 (file:filesetup.c:223, error=Input/output error): pid=0\n"
    run = run_of(GROUPS.replace("\nRun status", f"\n{failed}\nRun status", 1))
    assert [row["access"] for row in run.rows] == ["write", "read", "write", "unknown"]
    assert [(one.text, one.row) for one in run.messages] == [("bad: error 5", 3)]
    assert [one.row for one in run_of(GROUPS.replace("jobs=1): err= 0", "jobs=1): err= 5")).messages] == [
        1,
        2,
    ]


def test_a_page_of_several_runs_with_jobs_of_one_name() -> None:
    """Each result has the request that was printed last before it; one without has what it prints."""
    sizes = "bs=(R) 64.0KiB-64.0KiB, (W) 64.0KiB-64.0KiB"
    second = GROUPS.replace(sizes, "bs=(R) 4096B-4096B, (W) 4096B-4096B")
    assert second != GROUPS
    assert [row["xfer_bytes"] for row in run_of(GROUPS + second).rows[:4:3]] == [65536, 4096]
    bare = run_of(GROUPS[GROUPS.index("seq: (groupid=0") : GROUPS.index("mix: (groupid=1")]).rows[0]
    assert (bare["api"], bare["xfer_bytes"]) == ("not printed", None)


QUOTED = """\
test: (g=0): rw=read, bs=(R) 1MiB-1MiB, (W) 1MiB-1MiB, (T) 1MiB-1MiB, ioengine=io_uring, iodepth=1
fio-3.33
Starting 1 process
test: (groupid=0, jobs=1): err= 0: pid=85478: Sun Jan  4 20:29:59 2026
  read: IOPS=91, BW=91.5MiB/s (96.0MB/s)(2750MiB/30043msec)

less than the disk gives
"""


def test_the_first_lines_of_a_result_that_a_page_quotes() -> None:
    parsed = run_of(QUOTED)
    (row,) = parsed.rows
    assert (row["api"], row["total_s"], row["ops"]) == ("URING", 30.043, None)
    assert row["bw_mib_s"] == pytest.approx(91.5, rel=1e-3)
    assert (parsed.complete, row["observed"]["all_results"]) == (False, True)
    cut = QUOTED[: QUOTED.index("\n\n") + 1]
    assert [run.rows for _, run in runs_in(cut)] == [()]


def test_a_job_that_reads_and_writes_is_another_cell_than_one_that_writes() -> None:
    assert [row["rw_mix"] for row in run_of(GROUPS).rows] == [None, 50, 50]
    one = document()
    options = one["jobs"][0]["job options"]
    for told, mix in (({}, 50), ({"rwmixread": "70"}, 70), ({"rwmixwrite": "10"}, 90)):
        one["jobs"][0]["job options"] = options | {"rw": "randrw"} | told
        assert parse_document(one).rows[0]["rw_mix"] == mix


OLD = """\
big: (g=0): rw=write, bs=64K-64K/64K-64K/64K-64K, ioengine=libaio, iodepth=16
mix: (g=1): rw=randrw, bs=4K-4K/4K-4K/4K-4K, ioengine=psync, iodepth=1
far: (g=2): rw=read, bs=4K-4K/4K-4K/4K-4K, ioengine=net, iodepth=8
fio-2.2.8
Starting 3 processes

big: (groupid=0, jobs=2): err= 0: pid=1: Fri Apr  7 18:42:49 2017
  write: io=20480MB, bw=524299KB/s, iops=8192, runt= 40000msec
    clat (usec): min=16, max=27859, avg=825.75, stdev=781.28
     issued    : total=r=0/w=327687/d=0, short=r=0/w=0/d=0
mix: (groupid=1, jobs=1): err= 0: pid=2: Fri Apr  7 18:42:49 2017
  read : io=65536B, bw=64000B/s, iops=15, runt=  1024msec
  write: io=4096.0KB, bw=4000.0KB/s, iops=1000, runt=  1024msec
     issued    : total=r=16/w=1024/d=0, short=r=0/w=0/d=0, drop=r=0/w=0/d=0
far: (groupid=2, jobs=1): err= 0: pid=3: Fri Apr  7 18:42:49 2017
  read : io=65536B, bw=512000Kbit/s, iops=16000, runt=     1msec
     issued    : total=r=16/w=0/d=0, short=r=0/w=0/d=0, drop=r=0/w=0/d=0

Run status group 0 (all jobs):
"""


@pytest.mark.parametrize("bytes_", ["B", " B"])  # fio 2.0 has a blank between a number and bytes
def test_what_fio_2_prints_for_people(bytes_: str) -> None:
    """Its units are powers of 1024, its sizes are cut; a job over the network moves nothing to storage."""
    parsed = run_of(OLD.replace("65536B", f"65536{bytes_}").replace("64000B", f"64000{bytes_}"))
    assert (parsed.tool_version, parsed.complete) == ("2.2.8", True)
    late = OLD.replace("4K-4K/4K-4K/4K-4K", "4096B-4096B,4096B-4096B,4096B-4096B")  # of fio 2.18
    late = late.replace("64K-64K/64K-64K/64K-64K", "64.0KiB-64.0KiB,64.0KiB-64.0KiB,64.0KiB-64.0KiB")
    assert run_of(late).rows == parsed.rows
    keys = ("access", "api", "order", "xfer_bytes", "moved_bytes", "ops", "total_s")
    assert [tuple(row[key] for key in keys) for row in parsed.rows] == [
        ("write", "POSIX", "sequential", 65536, 327687 * 65536, 327687, 40.0),
        ("read", "POSIX", "random", 4096, 65536, 16, 1.024),
        ("write", "POSIX", "random", 4096, 4 * MIB, 1024, 1.024),
    ]


def test_a_failed_job_over_the_network_is_no_record_of_storage() -> None:
    """fio's engine net ends with EISCONN over UDP: two INVALID records a log, for a job without a file."""
    failed = OLD.replace(
        "far: (groupid=2, jobs=1): err= 0:",
        "far: (groupid=2, jobs=1): err=106 (file:engines/net.c:901, func=sendto udp link close, error=x):",
    )
    assert failed != OLD
    parsed = run_of(failed)
    assert (len(parsed.rows), parsed.messages) == (3, ())
    one = document()
    one["jobs"][0]["error"] = 106
    one["jobs"][0]["job options"]["ioengine"] = "net"
    assert (parse_document(one).rows, parse_document(one).messages) == ((), ())


def test_what_fio_3_1_calls_issued() -> None:
    issued = "issued rwts: total=0,512,0,0 short=0,0,0,0"
    early = GROUPS.replace(issued, "issued rwt: total=0,512,0, short=0,0,0,")
    assert run_of(early).rows == run_of(GROUPS).rows


@pytest.mark.parametrize(
    ("issued", "syncs"),
    [
        ("total=0,512,0,0 short=0,0,0,0", None),
        ("total=0,512,0,511 short=0,0,0,0", 511),
        ("total=0,512,0,0 short=511,0,0,0", 511),  # fdatasync, which fio 3 counts behind its counts
    ],
)
def test_synchronisations_that_a_table_tells(issued: str, syncs: int | None) -> None:
    row = run_of(GROUPS.replace("total=0,512,0,0 short=0,0,0,0", issued)).rows[0]
    assert row["observed"].get("syncs_reported") == syncs


def test_runs_that_synchronise_are_no_repetitions_of_one_that_does_not(tmp_path: Path) -> None:
    """A log of runs without fsync, with fsync=1 and fdatasync=1 had one cell, of 679, 17 and 33 MiB/s."""
    run = GROUPS.partition("mix: (groupid")[0]
    counts = [(0, 0), (511, 0), (0, 511), (63, 0), (2, 0), (0, 0)]
    issued = [f"total=0,512,0,{fsyncs} short={fdatasyncs},0,0,0" for fsyncs, fdatasyncs in counts]
    log = "".join(run.replace("total=0,512,0,0 short=0,0,0,0", one) for one in issued)
    rows = [row for row in rows_of(tmp_path, log) if row["access"] == "write"]
    assert cells_of(rows) == [0, 1, 2, 3, 4, 0]
    assert [row["sync"] for row in rows] == [None, True, True, None, None, None]


def test_a_size_whose_fraction_lost_its_carry() -> None:
    """24.987 GiB as fio 3.1 prints them; the bandwidth was 4 % too low."""
    text = """\
near: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=32
fio-3.1
near: (groupid=0, jobs=1): err= 0: pid=1: Fri Jun 19 01:59:19 2020
   read: IOPS=109k, BW=426MiB/s (447MB/s)(24.0GiB/60001msec)
     issued rwt: total=6550034,0,0, short=0,0,0, dropped=0,0,0
"""
    assert run_of(text).rows[0]["moved_bytes"] == 6550034 * 4096
    other = run_of(text.replace("24.0GiB", "24.1GiB").replace("=426MiB", "=411MiB"))
    assert other.rows[0]["moved_bytes"] < 24.1 * 2**30


def test_operations_that_fio_did_not_count() -> None:
    """fio counted fewer operations than their bytes: the rate was 0.12 % below the one that it prints."""
    text = """\
sda: (g=0): rw=randwrite, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=8
fio-3.19
sda: (groupid=0, jobs=16): err= 0: pid=1: Fri Feb 27 13:24:36 2026
  write: IOPS=1648, BW=6601KiB/s (6760kB/s)(387MiB/60040msec); 0 zone resets
     issued rwts: total=0,98964,0,0 short=0,0,0,0 dropped=0,0,0,0
"""
    (row,) = run_of(text).rows
    assert row["bw_mib_s"] == pytest.approx(6600.5 / 1024, rel=1e-6)
    assert row["ops"] == 98964


def test_a_bandwidth_that_fio_cut_to_whole_bytes_is_that_of_bytes_and_time() -> None:
    """Over 38 minutes the missing fraction shows: the product was not the bytes moved, INVALID."""
    counts = {"io_bytes": 2**32, "runtime": 2278568, "bw_bytes": 1884941}
    exact, far = (
        parse_document({"fio version": "fio-3.12", "jobs": [{"jobname": "j", "read": counts | more}]}).rows[0]
        for more in ({}, {"bw_bytes": 1900000})
    )
    assert exact["bw_mib_s"] == pytest.approx(4096 / 2278.568, rel=1e-12)
    assert far["bw_mib_s"] == 1900000 / MIB


@pytest.mark.parametrize(("io_bytes", "version"), [(2**22, "fio-2.2.10"), (2**32, "fio-3.0")])
def test_documents_without_bytes_a_second(io_bytes: int, version: str) -> None:
    """What fio 2 calls io_bytes are KiB."""
    job = {"jobname": "j", "read": {"io_bytes": io_bytes, "runtime": 4000, "bw": 1048576, "iops": 262144.0}}
    (row,) = parse_document({"fio version": version, "jobs": [job]}).rows
    assert (row["moved_bytes"], row["bw_mib_s"]) == (2**32, 1024)


def test_a_document_behind_other_text_of_its_line() -> None:
    assert len(list(documents(">" + GOLDEN.read_text()))) == 1


@pytest.mark.parametrize("engine", ["null", "falloc", "ftruncate", "filecreate", "dirstat"])
def test_engines_that_move_no_bytes_have_no_bandwidth(engine: str) -> None:
    """falloc reserves space, filecreate makes names: fio counts the requested bytes."""
    told = document()
    assert run_of(json.dumps(told)).rows
    told["jobs"][0]["job options"]["ioengine"] = engine
    assert not [row for _, parsed in runs_in(json.dumps(told)) for row in parsed.rows]


MIXED = """\
a: (g=0): rw=randrw, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=psync, iodepth=1
fio-3.33
Starting 1 process

a: (groupid=0, jobs=1): err= 0: pid=20527: Sun Nov 29 15:44:32 2026
  mixed: IOPS=64.0k, BW=250MiB/s (262MB/s)(4096KiB/16msec)
     issued rwts: total=1024,0,0,0 short=0,0,0,0 dropped=0,0,0,0

Run status group 0 (all jobs):
  MIXED: bw=250MiB/s (262MB/s), 250MiB/s-250MiB/s (262MB/s-262MB/s), io=4096KiB (4194kB), run=16-16msec
"""


@pytest.mark.parametrize(("rw", "access"), [("randrw", "unknown"), ("randread", "read"), ("write", "write")])
def test_reads_and_writes_that_are_reported_as_one(rw: str, access: str) -> None:
    """unified_rw_reporting: 31 of 60 logs of a public repository were refused."""
    counts = {"io_bytes": 4 << 20, "bw_bytes": 262144000, "runtime": 16, "total_ios": 1024, "iops": 64000.0}
    options = {"rw": rw, "bs": "4k", "unified_rw_reporting": "1"}
    job = {"jobname": "a", "groupid": 0, "error": 0, "job options": options, "mixed": counts}
    names = ("access", "moved_bytes", "bw_mib_s", "ops", "xfer_bytes")
    document = json.dumps({"fio version": "fio-3.33", "jobs": [job]})
    for text in (document, MIXED.replace("rw=randrw", f"rw={rw}")):
        (row,) = run_of(text).rows
        assert [row[name] for name in names] == [access, 4 << 20, 250, 1024, 4096]
