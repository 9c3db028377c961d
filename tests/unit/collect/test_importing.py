"""Third-party measurements: tables, logs, sidecars, and what is wrong with them."""

import json
import re
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.unit.conftest import RunWeir
from tests.unit.imported import rows_of
from tests.unit.report.test_logs import another_run
from weir.base.errors import WeirError
from weir.cli import main
from weir.collect.imported_files import Facts, read_facts
from weir.collect.importing import import_files
from weir.collect.table import read_records
from weir.records.columns import columns

CAPTURES = ROOT / "tests" / "golden" / "ior"
DDN = ROOT / "reference" / "ddn-lustre-2018.csv"
HEADER = "campaign,api,access,nn,ppn,xfer_bytes,block_bytes,iteration,moved_bytes,total_s,bw_mib_s,began\n"
LINE = "first,POSIX,write,1,2,1024,2048,0,4096,2.0001,0.00195,Sat Oct 20 19:29:21 2018\n"


PAGE = """\
# Set up

## Run IOR

      IOR-3.4.0+dev: MPI Coordinated Test of Parallel I/O

## Run fio

    $ cd /scratch

\t$ fio --name=four --rw=write --bs=4k --size=40m
\tfour: (g=0): rw=write, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=psync, iodepth=1
\tfio-3.7
\tStarting 1 process

\tfour: (groupid=0, jobs=1): err= 0: pid=4711: Sat Apr 17 01:12:57 2021
\t  write: IOPS=10.0k, BW=39.1MiB/s (41.0MB/s)(40.0MiB/1024msec)
\t\t issued rwts: total=0,10240,0,0 short=0,0,0,0 dropped=0,0,0,0

\tRun status group 0 (all jobs):
"""


def test_a_page_indents_what_it_quotes(tmp_path: Path) -> None:
    """Beside text of other programs, so that the whole is not indented alike."""
    (row,) = rows_of(tmp_path, PAGE)
    assert (row["tool"], row["access"], row["moved_bytes"]) == ("fio", "write", 40 * 2**20)


@pytest.mark.slow
def test_the_reference_table(tmp_path: Path, run_weir: RunWeir) -> None:
    out = tmp_path / "records.csv"
    printed = run_weir("import", DDN, "--facts", DDN.with_suffix(".yaml"), "--out", out, "--json").out
    facts = json.loads(printed)
    assert facts["records"] == 1614
    assert facts["verdicts"]["INVALID"] == 0
    rows = read_records(out)
    unsynchronised = [row for row in rows if "sync-not-applied" in row["reasons"]]
    assert len(unsynchronised) == 330
    assert {(row["api"], row["access"], row["verdict"]) for row in unsynchronised} == {
        ("MPIIO", "write", "DEGRADED")
    }
    assert {row["api"] for row in rows if "random-draw-overlaps" in row["reasons"]} == {"MPIIO"}
    skewed = [row for row in rows if "phases-overlap" in (row["reasons"] + row["notes"])]
    assert min(row["nn"] for row in skewed) > 1
    # A table tells nothing about caches and synchronisations.
    assert facts["verdicts"]["VALID"] == 0
    judged = ("bandwidth-not-bytes-over-time", "bytes-moved")
    assert not any(reason in row["reasons"] for row in rows for reason in judged)


def test_a_table_is_not_reordered(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, HEADER + LINE + LINE.replace(",0,4096", ",1,4096"))
    assert list(rows[0]) == [*columns()]
    assert [row["iteration"] for row in rows] == [0, 1]
    assert rows[0]["experiment"] == "first"
    assert rows[0]["began"] == "2018-10-20T19:29:21"
    assert rows[0]["requested_bytes"] is None  # the number of segments is not printed
    assert rows[0]["source"] == str(tmp_path / "log.txt")


def test_a_long_field_of_a_table_is_kept_whole(tmp_path: Path) -> None:
    """Lines of a log are cut where only noise is longer; evidence and notes of a record may be."""
    name = "x" * 20_000
    assert [row["experiment"] for row in rows_of(tmp_path, HEADER + LINE.replace("first", name))] == [name]


def test_the_same_again_is_another_run(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text(HEADER + LINE)
    rows = import_files([table, table], Facts()).rows
    assert [(row["run"], row["iteration"]) for row in rows] == [(0, 0), (1, 1)]
    assert rows[0]["cell"] == rows[1]["cell"]


def test_a_log_that_is_there_twice_is_one_log(tmp_path: Path, run_weir: RunWeir) -> None:
    """As an archive has it in two lists: each result is one record, and the second file is named once."""
    log, copied = CAPTURES / "ior-ime-mock.txt", tmp_path / "copied.txt"
    copied.write_bytes(log.read_bytes())
    once = import_files([log], Facts()).rows
    both = import_files([log, copied], Facts())
    assert both.rows == once
    assert both.copies == {(str(copied), str(log)): len(once)}
    printed = run_weir("import", log, copied, "--out", tmp_path / "records.csv").out
    assert f"counted once: {len(once)} results of {copied}, as in {log}\n" in printed


def test_a_log_that_was_joined_to_itself_or_edited_is_no_repetition(tmp_path: Path) -> None:
    """Of a program that prints few digits nobody can tell."""
    log, joined, edited = CAPTURES / "ior-ime-mock.txt", tmp_path / "joined.txt", tmp_path / "edited.txt"
    joined.write_bytes(2 * log.read_bytes())
    edited.write_text(log.read_text().replace("Nov 20 11:01", "Nov 23 11:01"))
    once = len(import_files([log], Facts()).rows)
    for files in ([joined], [log, edited]):
        rows = import_files(files, Facts()).rows
        replayed = ["run-replayed" in (row["reasons"] or "") for row in rows]
        assert replayed == [False] * once + [True] * once
    few = 2 * "104857600 bytes (105 MB, 100 MiB) copied, 12.2863 s, 8.5 MB/s\n"
    assert not any(row["reasons"] for row in rows_of(tmp_path, few))


@pytest.mark.parametrize(
    "before",
    [
        *("0: ", "2026-11-25T10:00:00.123Z ", "[2026-11-25 10:00:00] ", "2026.11.25-10.00.00 "),
        *("\x1b[32m", "> "),
        *("build\tRun it\t2026-11-25T10:00:00.1234567Z ", "2026-11-25 10:00:00,123 - INFO - ", "ior-1  | "),
        *("Nov 25 10:00:00 n1 ior[123]: ", "10:00:00 DEBUG| [stdout] ", "I1125 10:00:00.123456  1 a.go:33] "),
    ],
)
def test_what_others_put_before_each_line_is_not_of_the_log(tmp_path: Path, before: str) -> None:
    lines = (CAPTURES / "ior-ime-mock.txt").read_text().splitlines(keepends=True)
    shown = ("access", "bw_mib_s", "total_s", "verdict", "reasons")
    rows = [
        [[row[name] for name in shown] for row in rows_of(tmp_path, "".join(prefix + line for line in lines))]
        for prefix in ("", before)
    ]
    assert rows[0] == rows[1]


def test_lines_of_several_hosts_are_no_output_of_one(tmp_path: Path) -> None:
    lines = (CAPTURES / "ior-ime-mock.txt").read_text().splitlines()
    with pytest.raises(WeirError, match="holds no results"):
        rows_of(tmp_path, "".join(f"n{host}: {line}\n" for line in lines for host in (1, 2)))


def test_write_and_read_share_their_cell() -> None:
    rows = import_files([CAPTURES / "written-3.0.1-three-runs.txt"], Facts()).rows
    mpiio = [("MPIIO", "write")] * 2 + [("MPIIO", "read")] * 2
    assert [(row["api"], row["access"]) for row in rows] == [*mpiio, ("POSIX", "write")]
    assert rows[0]["cell"] == rows[2]["cell"] != rows[4]["cell"]
    assert rows[0]["label"] == "MPIIO shared random 1MiB of 8GiB 2x4"
    assert (rows[0]["tool"], rows[0]["program"], rows[0]["tool_version"]) == ("ior", "IOR", "3.0.1")


def test_facts_fill_what_is_empty_and_nothing_else(tmp_path: Path) -> None:
    facts = Facts(columns={"segments": 1, "site": "elsewhere", "api": "MPIIO"})
    (row,) = rows_of(tmp_path, HEADER + LINE, facts)
    assert (row["site"], row["api"], row["requested_bytes"]) == ("elsewhere", "POSIX", 4096)


def test_csv_of_ior_is_read_without_being_told_the_interface() -> None:
    """It has no column of it, and docs/how-to/logs.md promises that it is read."""
    capture = CAPTURES / "ior-posix-shared.csv"
    rows = import_files([capture], Facts()).rows
    assert {row["api"] for row in rows} == {"unknown"}
    assert {row["verdict"] for row in rows if row["access"] == "write"} == {"UNPROVEN"}
    rows = import_files([capture], Facts(columns={"api": "POSIX"})).rows
    assert [row["iteration"] for row in rows] == [0, 0, 1, 1, 2, 2]
    assert {row["api"] for row in rows} == {"POSIX"}
    assert rows[0]["xfer_bytes"] == 2**20


def test_files_without_results_are_listed(tmp_path: Path, run_weir: RunWeir) -> None:
    good, empty = CAPTURES / "ior-posix-shared.txt", CAPTURES / "fail-ior-bad-geometry.txt"
    shown = run_weir("import", good, empty, "--out", tmp_path / "records.csv").out
    assert re.search(rf"a run that failed before its first line .* not read: {empty}$", shown, re.MULTILINE)
    error = run_weir("import", empty, "--out", tmp_path / "records.csv", code=2).err
    assert "holds no results that weir can read" in error


@pytest.mark.parametrize(
    ("capture", "lines", "accesses", "evidence"),
    [
        ("fail-ior-missing-dir.json", None, ["write"], 'ERROR: open64("/scratch/weir/nodir/ior.dat"'),
        ("ior-posix-shared.txt", 8, ["write", "read"], "no result of"),
        (
            "../mdtest/fail-mdtest-enospc-inodes.txt",
            None,
            ["create", "stat", "read", "remove"],
            "No space left",
        ),
    ],
)
def test_a_run_that_ended_before_its_first_result_has_records(
    capture: str, lines: int | None, accesses: list[str], evidence: str, tmp_path: Path
) -> None:
    rows = rows_of(tmp_path, "".join((CAPTURES / capture).read_text().splitlines(keepends=True)[:lines]))
    assert [row["access"] for row in rows] == accesses
    for row in rows:
        assert (row["verdict"], row["api"]) == ("INVALID", "POSIX")
        assert "result-missing" in row["reasons"]
        assert evidence in row["evidence"]


def test_a_run_that_was_to_time_nothing_has_no_record() -> None:
    with pytest.raises(WeirError, match="holds no results that weir can read"):
        import_files([CAPTURES.parent / "netcdf-bench/ncb-verify-only.txt"], Facts())


def test_a_run_that_failed_before_its_first_line_is_named_with_its_error() -> None:
    with pytest.raises(WeirError, match=r"failed before its first line \(ERROR: block size must be a"):
        import_files([CAPTURES / "fail-ior-bad-geometry.txt"], Facts())


def test_the_table_of_somebody_else_is_not_answered_with_every_column(tmp_path: Path) -> None:
    table = tmp_path / "sales.csv"
    table.write_text("a,b,c\n1,2,3\n")
    with pytest.raises(WeirError, match=r"is not a table of records: none of its columns is one") as caught:
        read_records(table)
    assert "weir import" in str(caught.value)
    table.write_text("api,acess,xyzzy\nPOSIX,write,3\n")
    with pytest.raises(WeirError, match="did you mean 'access'"):
        read_records(table)


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("column: {}", "did you mean 'columns'?"),
        ("columns: {bandwith: 3}", "columns.bandwith"),
        ("columns: {sync: perhaps}", "columns.sync"),
        ("columns: {segments: -x}", "columns.segments"),
        ("observed: {bariers: true}", "did you mean 'barriers'?"),
        ("columns: [sync]", "columns: is not a group of keys"),
        ("- a", "is not a group of keys"),
        ("a: b: c", "is not YAML"),
    ],
)
def test_a_wrong_sidecar(tmp_path: Path, text: str, arguments: str) -> None:
    sidecar = tmp_path / "facts.yaml"
    sidecar.write_text(text)
    with pytest.raises(WeirError) as caught:
        read_facts(sidecar)
    assert arguments in str(caught.value)
    assert str(sidecar) in str(caught.value)


def test_the_sidecar_of_the_reference() -> None:
    facts = read_facts(DDN.with_suffix(".yaml"))
    assert facts.columns["tool_version"] == "3.0.1"
    assert facts.columns["emulated"] is False
    assert facts.observed == {"barriers": True}
    assert {"title", "system", "file_system", "citation", "source"} <= set(facts.about)


def test_records_imported_again_are_the_same_but_for_the_note_whose_verdict_it_is(tmp_path: Path) -> None:
    first, again = tmp_path / "first.csv", tmp_path / "out" / "again.csv"
    logs = [CAPTURES / name for name in ("ior-posix-shared.txt", "ior-ime-mock.txt", "ior-ncmpi-shared.json")]
    assert main(["import", *map(str, logs), "--out", str(first)]) == 0
    assert main(["import", str(first), "--out", str(again)]) == 0
    rows = read_records(again)
    assert all("authors-verdict: " in row["notes"] for row in rows)
    assert [row | {"notes": ""} for row in rows] == [row | {"notes": ""} for row in read_records(first)]
    assert {"UNPROVEN", "DEGRADED"} <= {row["verdict"] for row in rows}


def test_a_verdict_without_a_cell_is_kept(tmp_path: Path) -> None:
    (row,) = rows_of(tmp_path, f"verdict,reasons,{HEADER}DEGRADED,seen-elsewhere,{LINE}")
    assert (row["verdict"], row["reasons"], row["missing"]) == ("DEGRADED", "seen-elsewhere", "")
    assert row["cell"]


def test_logs_of_unknown_systems_are_not_pooled(tmp_path: Path) -> None:
    text = (CAPTURES / "ior-posix-shared.txt").read_text()
    for name, times in (("one.txt", 1.0), ("two.txt", 1.5)):
        (tmp_path / name).write_text(another_run(text, times))
    files = sorted(tmp_path.iterdir())
    assert len({row["cell"] for row in import_files(files, Facts()).rows}) == 2
    located = Facts(columns={"site": "here", "target": "scratch"})
    assert len({row["cell"] for row in import_files(files, located).rows}) == 1
