"""elbencho: its JSON, CSV and tables as it wrote them, and the command of a cell."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.programs import write_program
from tests.unit.imported import cells_of, rows_of, run_of
from tests.unit.tools.cells import cell_of
from weir.collect.imported_files import Facts
from weir.collect.importing import import_files, runs_in
from weir.records.model import Target
from weir.tools import tools
from weir.tools.base import RunPaths

GOLDEN = Path(__file__).resolve().parents[2] / "golden/elbencho"
TABLE = (GOLDEN / "shared.txt").read_text()
MIB = 2**20


def rows(name: str) -> list[dict[str, Any]]:
    ((tool, parsed),) = runs_in((GOLDEN / name).read_text())
    assert (tool, parsed.program, parsed.complete) == ("elbencho", "elbencho", True)
    return [dict(row) for row in parsed.rows]


def test_the_json_has_exact_rates() -> None:
    write, read = rows("shared.json")
    assert (write["access"], write["order"], write["layout"]) == ("write", "sequential", "shared")
    assert write["moved_bytes"] == write["requested_bytes"] == 16 * MIB
    assert (write["xfer_bytes"], write["sync"], write["direct"]) == (262144, False, False)
    assert write["bw_mib_s"] == pytest.approx(160453859 / MIB)
    assert 0.104 <= write["total_s"] < 0.105
    assert (write["lat_min_us"], write["lat_max_us"]) == (162, 39579)
    assert (read["access"], read["moved_bytes"], read.get("sync")) == ("read", 16 * MIB, None)


@pytest.mark.parametrize("name", ["shared.csv", "shared.txt"])
def test_csv_and_table_have_the_same_phases_without_fractions(name: str) -> None:
    for exact, cut in zip(rows("shared.json"), rows(name), strict=True):
        assert (cut["access"], cut["moved_bytes"], cut["total_s"]) == (exact["access"], 16 * MIB, None)
        assert 0 <= exact["bw_mib_s"] - cut["bw_mib_s"] < 1
        assert cut["lat_min_us"] == exact["lat_min_us"]


def test_the_table_of_version_2_has_milliseconds() -> None:
    old = TABLE.replace("Elapsed time     :", "Elapsed ms       :")
    assert old != TABLE
    assert run_of(old).rows == run_of(TABLE).rows


def test_the_totals_of_version_1_have_their_words_the_other_way_round() -> None:
    text = (GOLDEN / "tree.txt").read_text()
    early = re.sub(
        r"^( +)(Files|Dirs) total ", lambda total: f"{total[1]}Total {total[2].lower()} ", text, flags=re.M
    )
    assert "Total files" in early
    counts = [[row["ops"] for row in run_of(one).rows if row.get("item")] for one in (text, early)]
    assert None not in counts[0]
    assert counts[0] == counts[1]


def test_a_removal_without_a_rate_is_no_record() -> None:
    """elbencho prints none where files are named one by one (-F)."""
    removal = "RMFILES   Elapsed ms       :         41         60\n---\n"
    assert [row["access"] for row in run_of(TABLE.rstrip("\n") + "\n" + removal).rows] == ["write", "read"]


@pytest.mark.parametrize(
    "command", ['COMMAND LINE: "elbencho" "-w" "--direct" "d"', "elbencho  -w --direct d"]
)
def test_the_command_before_a_table_tells_whether_it_is_direct(command: str) -> None:
    begin = "ISO DATE: 2022-03-09\n" if command.startswith("COMMAND") else ""
    runs = runs_in(f"{TABLE}\n{begin}{command}\n\n{TABLE}")
    found = [[(row.get("direct"), row.get("sync")) for row in parsed.rows] for _, parsed in runs]
    # Without a command nobody knows its options.
    assert found == [[(None, None)] * 2, [(True, False), (True, None)]]


def test_an_error_of_one_run_in_a_log_is_not_of_the_next() -> None:
    text = f"ISO DATE: 2022\n{TABLE}ERROR: no space\nISO DATE: 2023\n{TABLE}"
    failed, clean = (run for tool, run in runs_in(text) if tool == "elbencho")
    assert [one.text for one in failed.messages] == ["no space"]
    assert (clean.messages, clean.complete, clean.rows) == ((), True, failed.rows)
    assert not list(runs_in(f"Service now listening. Port: 1611\n{TABLE}"))  # the share of one node


def test_random_offsets_and_queues() -> None:
    for row in rows("random.json"):
        assert (row["order"], row["direct"], row["iodepth"]) == ("random", True, 4)
        assert row["moved_bytes"] == row["requested_bytes"] == 8 * MIB


@pytest.mark.parametrize("name", ["tree.json", "tree.txt"])
def test_a_tree_has_phases_of_names(name: str) -> None:
    found = {(row["access"], row.get("item")): row for row in rows(name)}
    assert list(found) == [
        ("create", "directory"),
        ("write", None),
        ("stat", "file"),
        ("read", None),
        ("remove", "file"),
        ("remove", "directory"),
    ]
    assert found["stat", "file"]["ops"] == 16
    assert found["write", None]["moved_bytes"] == 4 * MIB
    assert found["remove", "directory"]["ops"] == 2


def test_services_count_as_nodes() -> None:
    write, read = rows("services.json")
    assert (write["nn"], read["nn"], write["moved_bytes"]) == (2, 2, 4 * MIB)
    assert [row["access"] for row in rows("services.txt")] == ["write", "read"]


def test_what_is_cut_or_failed_has_no_more_rows_than_it_printed() -> None:
    assert [row["access"] for row in run_of(TABLE[: TABLE.index("READ") + 200]).rows] == ["write"]
    error = (GOLDEN / "missing.txt").read_text()
    failed = run_of(f"{TABLE}{error}")
    assert (failed.complete, [message.level for message in failed.messages]) == (False, ["error"])
    lines = (GOLDEN / "shared.json").read_text()
    assert [row["access"] for row in run_of(lines[: len(lines) - 100]).rows] == ["write"]


def test_the_program_gets_what_the_cell_requests_and_its_result_is_read(tmp_path: Path) -> None:
    tool = tools()["elbencho"]
    sizes = {"xfer_bytes": 65536, "block_bytes": MIB, "jobs": 2}
    cell = cell_of(tool, **sizes, order="random", access=["write", "read"])
    target = Target(name="disk", kind="disk", path=str(tmp_path))
    paths = RunPaths(str(tmp_path / "data"), tmp_path)
    command = tool.command(cell, target, ["elbencho"], paths)
    assert command[:2] == ["sh", "-c"]
    (line,) = [line for line in command[2].splitlines() if line.startswith("measure elbencho")]
    write, read = (text.split() for text in line.split(" && "))
    assert write[2:9] == ["-w", "--nolive", "--lat", "--rand", "-t", "2", "-b"]
    assert (write[11], read[2], read[3:]) == (str(2 * MIB), "-r", write[3:])
    alone = tool.command(
        cell_of(tool, **sizes, order="random", access=["write"]), target, ["elbencho"], paths
    )
    assert alone == ["elbencho", *write[2:], paths.data]
    assert tool.problems(cell, target) == []
    (problem,) = tool.problems(cell, Target(name="memory", kind="disk", path="/dev/shm/weir"))
    assert "below /dev" in problem
    assert len(tool.problems(cell_of(tool, ppn=2, access=["read"], xfer_bytes=3, iterations=2), target)) == 4
    if not shutil.which("elbencho"):
        pytest.skip("elbencho is not installed")
    done = subprocess.run(command, check=True, capture_output=True, timeout=60)
    parsed = tool.parse({"summary": tmp_path / "summary.json"})
    assert [row["moved_bytes"] for row in parsed.rows] == [2 * MIB, 2 * MIB], done.stdout


# A service ends when it is told to; what directs two of them fails where it is told of one or three.
DIRECTED = """\
#!/bin/sh
cd "$(dirname "$0")"
case "$*" in
    --service*) echo "$4" >> ports; until [ -e quit ]; do sleep 0.05; done ;;
    *--quit) touch quit ;;
    *) echo "$*" >> measured; case "$*" in *--hosts\\ *:*,*:*\\ *) exit 0 ;; esac; exit 7 ;;
esac
"""


def on_two_nodes(program: str, folder: Path) -> list[subprocess.CompletedProcess[str]]:
    """Each node's part, as a launcher starts it."""
    tool = tools()["elbencho"]
    sizes = {"xfer_bytes": 65536, "block_bytes": MIB, "jobs": 2}
    cell = cell_of(tool, **sizes, nodes=2, order="sequential", access=["write", "read"])
    target = Target(name="disk", kind="disk", path=str(folder))
    assert tool.problems(cell, target) == []
    assert tool.footprint(cell).peak_bytes == 4 * MIB
    command = tool.command(cell, target, [program], RunPaths(str(folder / "data"), folder))
    started = [
        subprocess.Popen(
            command,
            env={**os.environ, "OMPI_COMM_WORLD_RANK": str(rank)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in (1, 0)
    ]
    outputs = [one.communicate(timeout=100) for one in started]
    return [
        subprocess.CompletedProcess(command, one.returncode, *output)
        for one, output in zip(started, outputs, strict=True)
    ]


def test_each_node_has_a_service_and_the_first_directs_them(tmp_path: Path) -> None:
    program = write_program(tmp_path / "bin/elbencho", DIRECTED)
    assert [one.returncode for one in on_two_nodes(str(program), tmp_path)] == [0, 0]
    assert len(set((program.parent / "ports").read_text().split())) == 2
    write, read = (program.parent / "measured").read_text().splitlines()
    assert f"-s {4 * MIB} " in write
    assert write.endswith(f" {tmp_path}/data")
    assert (write[:3], read) == ("-w ", f"-r{write[2:]}")
    assert not (tmp_path / "services").exists()


def test_services_of_elbencho_measure_together(tmp_path: Path) -> None:
    if not shutil.which("elbencho"):
        pytest.skip("elbencho is not installed")
    done = on_two_nodes("elbencho", tmp_path)
    assert [one.returncode for one in done] == [0, 0], done
    parsed = tools()["elbencho"].parse({"summary": tmp_path / "summary.json"})
    assert [(row["nn"], row["moved_bytes"]) for row in parsed.rows] == [(2, 4 * MIB)] * 2


def test_depth_and_label_of_a_command_are_of_the_cell() -> None:
    """A ramp of depths in one log has a cell for each."""

    def run(options: str) -> str:
        command = f'"elbencho" {options} "--block=256k" "-s" "1m" "/data/file"'
        return f"ISO DATE: 2026-11-27\nCOMMAND LINE: {command}\n\n{TABLE}"

    text = run('"--iodepth=1"') + run('"--iodepth=16"') + run('"--iodepth" "16" "--label" "aged"')
    rows = [parsed.rows[0] for _, parsed in runs_in(text)]
    assert [row["iodepth"] for row in rows] == [1, 16, 16]
    assert [row["observed"]["workload"].get("job") for row in rows] == [None, None, "aged"]


COMMAND = (
    '"elbencho" "--hosts" "n1,n2," "-t" "2" "--size" "1t" "--block" "1m" "-d" "-w" "--timelimit" "45"'
    ' "--resfile" "bw.out" "--csvfile" "bw.csv" "/scratch/tree"'
)
AS_TABLE = f"""\
ISO DATE: 2022-03-11T16:03:46-0800
COMMAND LINE: {COMMAND}

OPERATION RESULT TYPE        FIRST DONE  LAST DONE
========= ================   ==========  =========
WRITE     Elapsed ms       :      45255      45266
          IOPS             :      10650      10764
          Throughput MiB/s :      10650      10764
          Total MiB        :     481984     487264
---
"""
AS_CSV = f"""\
ISO date,label,path type,paths,hosts,threads,dirs,files,file size,block size,direct IO,random,IO depth,\
operation,IOPS [last],MiB/s [last],MiB [last],IO lat us [min],version,command
2022-03-11T16:04:32-0800,,dir,1,2,2,1,1,1099511627776,1048576,0,0,1,\
WRITE,10764,10764,487264,1044,2.1-0,{COMMAND.replace("n1,n2,", "n1 n2 ")}
"""


@pytest.mark.parametrize("folder", ["", "/home/ana/"])
def test_table_and_csv_of_one_run_are_one_record(folder: str, tmp_path: Path) -> None:
    """They were two cells: the table did not count files, and had no default of what its command lacks."""
    csv, table = (text.replace('"bw.', f'"{folder}bw.') for text in (AS_CSV, AS_TABLE))
    for name, text in (("bw.csv", csv), ("bw.out", table), ("old.csv", csv), ("old.out", table)):
        (tmp_path / name).write_text(text)
    (tmp_path / "other.out").write_text(table)  # of another run: no other form of it is there
    imported = import_files(sorted(tmp_path.iterdir()), Facts())
    assert [Path(row["source"]).name for row in imported.rows] == ["bw.csv", "old.csv", "other.out"]
    assert [Path(row["source"]).name for row in imported.copied] == ["bw.out", "old.out"]
    labels = {row["label"] for row in [*imported.rows, *imported.copied]}
    assert labels == {"POSIX sequential 1MiB 4 files of 1TiB 2 workers"}


@pytest.mark.parametrize(
    ("options", "xfer_bytes", "workers"),
    [
        ('"-t" "8" "-s" "4k"', 4096, 8),  # elbencho moves no more at once than a file has
        ('"-t8" "-b4k" "-s" "1g"', 4096, 8),
        ('"-t" "8" "-b" "4m" "-s" "1m" "--treefile" "tree"', 4 * MIB, 8),
    ],
)
def test_the_block_of_a_command_is_the_one_that_elbencho_took(
    options: str, xfer_bytes: int, workers: int
) -> None:
    rows = run_of(f'ISO DATE: 2026-11-27\nCOMMAND LINE: "elbencho" "-w" {options} "/d/f"\n\n{TABLE}').rows
    taken = {(row["xfer_bytes"], row["observed"]["workload"]["workers"]) for row in rows}
    assert taken == {(xfer_bytes, workers)}


EMPTY = """\
ISO DATE start: 2026-08-12T14:21:31-0400
COMMAND LINE: "elbencho" "{phase}" "-t" "8" "-n" "0" "-N" "1250" "-s" "0" "/mnt/target"

OPERATION   RESULT TYPE         FIRST DONE   LAST DONE
=========== ================    ==========   =========
{name}       Elapsed time     :       586ms       588ms
            Files/s          :       16962       16978
            Files total      :        9949       10000
            Files latency    : [ min=108us avg=469us max=14.5ms ]
---
"""


@pytest.mark.parametrize(("phase", "name", "access"), [("-w", "WRITE", "create"), ("-r", "READ ", "read")])
def test_files_without_bytes_are_operations(phase: str, name: str, access: str) -> None:
    (row,) = run_of(EMPTY.format(phase=phase, name=name)).rows
    assert (row["access"], row["item"], row["ops_s"], row["ops"]) == (access, "file", 16978, 10000)
    assert row.get("bw_mib_s") is None


OBJECTS = """\
ISO DATE: 2026-08-12T16:27:22+0100
COMMAND LINE: "elbencho" "--s3endpoints" "http://10.0.0.1:8000" "--write" "-b" "5m" "-s" "5m" "bucket"

OPERATION   RESULT TYPE         FIRST DONE   LAST DONE
=========== ================    ==========   =========
WRITE       Elapsed time     :     16.248s     16.501s
            Objects/s        :          24          24
            Throughput MiB/s :         122         121
            Total MiB        :        1985        2000
            Objects total    :         395         400
---
"""


def test_objects_are_not_files_of_posix() -> None:
    (row,) = run_of(OBJECTS).rows
    assert (row["api"], row["access"], row["bw_mib_s"]) == ("S3", "write", 121)


@pytest.mark.parametrize(
    "command",
    [
        "# docker run -t --rm --device /dev/sda hub/elbencho:v1.8-1",
        "ana@n1:~$ sudo ./bin/elbencho",
        "/usr/local/bin/elbencho",
    ],
)
def test_the_last_command_before_a_table_is_its_own(command: str) -> None:
    """The first one of a page was, were it for the help: sequential, 1 MiB, not direct, of no device."""
    (row,) = run_of(f"""\
Block devices or large shared files:
  $ elbencho --help-bdev
  $ elbencho -w -b 64k /data/file
{command} -r -b 4K --lat --direct --rand --size 1g /dev/sda
OPERATION RESULT TYPE        FIRST DONE  LAST DONE
========= ================   ==========  =========
READ      Elapsed ms       :       6001       6001
          IOPS             :       8219       8219
          Throughput MiB/s :         32         32
          Total MiB        :        192        192
          IO latency us    : [ min=91 avg=120 max=1583 ]
---
""").rows
    assert (row["order"], row["xfer_bytes"], row["direct"]) == ("random", 4096, True)
    assert (row["lat_min_us"], row["lat_max_us"]) == (91, 1583)
    assert row["observed"]["path"] == "/dev/sda"
    assert row["observed"]["workload"] == {"workers": 1, "files": 1, "file_bytes": 2**30}


@pytest.mark.parametrize("option", ["--mkdir", "--nolive"])  # --mkdirs, cut; a tree that was there before
def test_a_table_that_counts_files_is_of_a_tree(option: str) -> None:
    """64 files of 64 workers were one file that they shared."""
    (row,) = run_of(f"""\
$ elbencho --hosts w1,w2 --threads 32 --size 4G --block 128K --write {option} /mnt/data/
OPERATION RESULT TYPE        FIRST DONE  LAST DONE
========= ================   ==========  =========
WRITE     Elapsed ms       :       1210       7353
          Files/s          :          0          8
          Throughput MiB/s :      50501      35647
          Total MiB        :      61153     262144
          Files total      :          1         64
---
""").rows
    workload = row["observed"]["workload"]
    assert (row["layout"], workload["files"], workload["workers"]) == (None, 64, 32)


# In the output of a script that does not print its commands.
UNNAMED = """\
OPERATION RESULT TYPE        FIRST DONE  LAST DONE
========= ================   ==========  =========
WRITE     Elapsed ms       :       {at}480       {at}600
          Files/s          :     {at}2900     {at}2910
          Throughput MiB/s :         {size}         {size}
          Total files      :     500000     512000
          Total MiB        :     {size}000     {size}000
---
RMFILES   Elapsed ms       :       {at}480       {at}600
          Files/s          :     {at}2900     {at}2910
          Total files      :     500000     512000
---
"""


def test_names_of_files_of_two_sizes_are_not_one_cell(tmp_path: Path) -> None:
    """Three data sets had one cell for the removal of all their files."""
    log = "".join(UNNAMED.format(at=at, size=size) for at, size in ((1, 5), (2, 5), (3, 8)))
    rows = [row for row in rows_of(tmp_path, log) if row["access"] == "remove"]
    assert cells_of(rows) == [0, 0, 2]
    assert "512,000 files of 10KiB" in rows[0]["label"]
