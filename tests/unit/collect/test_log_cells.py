"""Which results of a log are repetitions of each other: what differs in the log is another cell."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.unit import imported
from tests.unit.imported import cells_of
from tests.unit.tools.test_mdtest_tables import V1, V3
from weir.collect.imported_files import Facts
from weir.records.model import Row

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
IOR_LOG = (GOLDEN / "ior/ior-posix-shared.txt").read_text()
ELBENCHO = (GOLDEN / "elbencho/shared.txt").read_text()
rows_of = partial(imported.rows_of, facts=Facts(columns={"site": "x", "target": "y"}))
SWEEP = """\
Working on /data/{files}x{size} with 32 threads...
OPERATION RESULT TYPE        FIRST DONE  LAST DONE
========= ================   ==========  =========
WRITE     Elapsed ms       :     169100     170210
          Files/s          :       6163       6160
          Throughput MiB/s :          6          {rate}
          Total MiB        :       1017       {mib}
          Files total      :    1042336    {files}
---
"""


def fio_document(*jobs: tuple[str, Mapping[str, str]]) -> str:
    document = json.loads((GOLDEN / "fio/seq-write.json").read_text())
    (first,) = document["jobs"]
    written = first["write"]
    document["jobs"] = [
        first
        | {
            "jobname": name,
            "job options": first["job options"] | {"name": name} | dict(options),
            "write": written | {"runtime": written["runtime"] + at},
        }
        for at, (name, options) in enumerate(jobs)
    ]
    return json.dumps(document)


def cells_of_runs(rows: Sequence[Row], runs: int) -> list[int]:
    """For each run of a log the number of the first one of its cell; each has one, and as many results."""
    size, cells = len(rows) // runs, cells_of(rows)
    assert cells == [cell for cell in cells[::size] for _ in range(size)]
    return [cell // size for cell in cells[::size]]


def test_jobs_of_fio_by_their_names(tmp_path: Path) -> None:
    """Each writes to a mount of its own: four rates of four file systems, and no repetition."""
    mounts = ("nfs", "home", "scratch", "disk")
    rows = rows_of(tmp_path, fio_document(*((name, {"directory": f"/mnt/{name}"}) for name in mounts)))
    assert len({row["cell"] for row in rows}) == len(mounts)
    assert [row["iteration"] for row in rows] == [0, 0, 0, 0]
    for name, row in zip(mounts, rows, strict=True):
        assert name in row["label"].split()


@pytest.mark.parametrize(
    "options",
    [
        {"directory": "/archive", "filename": "f"},
        {"filename": "/archive/f"},
        {"size": "32m"},
        {"nrfiles": "8"},
        {"numjobs": "2"},
        {"fsync": "1"},
    ],
)
def test_jobs_of_one_name_by_their_options(tmp_path: Path, options: dict[str, str]) -> None:
    first, other = imported.rows_of(tmp_path, fio_document(("seq", {}), ("seq", options)))
    assert first["cell"] != other["cell"]


def test_files_of_logs_and_files_beside_each_other_are_repetitions(tmp_path: Path) -> None:
    """Where fio writes its own logs does not belong to the workload."""
    job = {"filename": "/scratch/f2", "write_bw_log": "second", "output": "second.json"}
    first, other = imported.rows_of(tmp_path, fio_document(("seq", {}), ("seq", job)))
    assert first["cell"] == other["cell"]
    assert [first["iteration"], other["iteration"]] == [0, 1]


def test_two_devices_are_two_places(tmp_path: Path) -> None:
    devices = [("seq", {"filename": f"/dev/nvme{number}n1"}) for number in (0, 1)]
    assert len({row["cell"] for row in imported.rows_of(tmp_path, fio_document(*devices))}) == 2


def test_what_fio_prints_for_people_has_the_names_of_its_jobs(tmp_path: Path) -> None:
    text = (GOLDEN / "fio/groups.txt").read_text()
    other = text.replace("seq", "other").replace("32.0MiB/63msec", "32.0MiB/64msec")
    rows = [row for row in rows_of(tmp_path, text + other) if row["order"] == "sequential"]
    assert [row["label"].split()[-3:-2] for row in rows] == [["seq"], ["other"]]
    assert len({row["cell"] for row in rows}) == 2


def test_results_on_a_page_by_the_commands_above_them(tmp_path: Path) -> None:
    """Pages quote the command and the result, without the request between them."""
    text = (GOLDEN / "fio/groups.txt").read_text()
    result = text[text.index("seq: (groupid") : text.index("mix: (groupid")]
    page = "".join(
        f"> fio -filename=/mapr/{disk} -bs={size} -name=seq\n\n{result.replace('63msec', f'6{at}msec')}"
        for at, (disk, size) in enumerate((("hdd", "8k"), ("hdd", "256k"), ("ssd", "8k"), ("hdd", "8k")))
    )
    cells = [row["cell"] for row in rows_of(tmp_path, page)]
    assert cells[0] == cells[3]
    assert len(set(cells)) == 3


def test_a_sweep_of_elbencho_by_size(tmp_path: Path) -> None:
    sizes = [
        ("1048576", "1KiB", "1024", "6"),
        ("1048576", "2KiB", "2048", "11"),
        ("1", "1TiB", "1048576", "9"),
    ]
    text = "".join(
        SWEEP.format(files=files, size=size, mib=mib, rate=rate) for files, size, mib, rate in sizes
    )
    rows = rows_of(tmp_path, text + text.replace(":       6163", ":       6164"))
    assert [row["cell"] for row in rows[:3]] == [row["cell"] for row in rows[3:]]
    assert len({row["cell"] for row in rows}) == len(sizes)
    assert "1,048,576 files of 1KiB" in rows[0]["label"]
    bare = [line for line in text.splitlines(keepends=True) if not line.startswith("Working")]
    assert len({row["cell"] for row in rows_of(tmp_path, "".join(bare))}) == len(sizes)


@pytest.mark.parametrize("head", ["ISO DATE: 2022\n", "ISO DATE start: 2022\n"])
@pytest.mark.parametrize(
    "options", ["-b 64k -s 1g -t 4", "-b 4k -s 2g -t 4", "-b 4k -s 1g -t 8", "-b 4k -s 1g -t 4 --rand"]
)
def test_commands_of_elbencho(tmp_path: Path, head: str, options: str) -> None:
    first, other = (
        f'{head}COMMAND LINE: "elbencho" "-w" {more} "/d/f"\n{ELBENCHO}'
        for more in ("-b 4k -s 1g -t 4 --jsonfile /tmp/1", f"{options} --jsonfile /tmp/2")
    )
    rows = [row for row in rows_of(tmp_path, first + other) if row["access"] == "write"]
    assert [row["xfer_bytes"] for row in rows] == [4096, 65536 if "64k" in options else 4096]
    assert len({row["cell"] for row in rows}) == 2


def test_nodes_of_a_job_are_counted_and_their_names_are_not(tmp_path: Path) -> None:
    """Each allocation has nodes of other names."""
    command = 'ISO DATE: 2022\nCOMMAND LINE: "elbencho" "-w" "--hosts" "{}" "-t" "4" "/d/f"\n'
    jobs = ("n1 n2", "n7,n9", "n1,n2,n3", "n[1-2]")
    text = "".join(
        command.format(nodes) + ELBENCHO.replace("91ms", f"9{at}ms") for at, nodes in enumerate(jobs)
    )
    rows = [row for row in rows_of(tmp_path, text) if row["access"] == "write"]
    assert [row["nn"] for row in rows] == [2, 2, 3, None]
    assert rows[0]["cell"] == rows[1]["cell"] != rows[2]["cell"]


def test_documents_of_elbencho(tmp_path: Path) -> None:
    text = (GOLDEN / "elbencho/tree.json").read_text()
    larger = text.replace('"threads":"2"', '"threads":"4"').replace('"-t\\" \\"2', '"-t\\" \\"4')
    rows = rows_of(tmp_path, text + larger)
    half = len(rows) // 2
    assert {row["cell"] for row in rows[:half]}.isdisjoint(row["cell"] for row in rows[half:])
    assert "16 files of 256KiB" in rows[0]["label"]
    assert "2 workers" in rows[0]["label"]


WORKERS = """\
many: (g=0): rw=read, bs=(R) 32.0MiB-32.0MiB, (W) 32.0MiB-32.0MiB, ioengine=sync, iodepth=1
...
fio-3.28
Starting {count} processes
{jobs}
Run status group 0 (all jobs):
"""
WORKER = """\
many: (groupid=0, jobs=1): err= 0: pid={pid}: Sun Mar 10 16:54:22 2024
  read: IOPS=20, BW=640MiB/s (671MB/s)(1280MiB/2000msec)
     issued rwts: total=40,0,0,0 short=0,0,0,0 dropped=0,0,0,0
"""


def test_workers_with_a_result_each_are_one_record(tmp_path: Path) -> None:
    """Three workers at the same time are no repetitions; the same job alone, run twice, is."""
    several = WORKERS.format(count=3, jobs="".join(WORKER.format(pid=pid) for pid in (1, 2, 3)))
    alone = "".join(WORKERS.format(count=1, jobs=WORKER.format(pid=pid)) for pid in (4, 5))
    rows = rows_of(tmp_path, several + alone)
    labels = [row["label"] for row in rows]
    assert [label.endswith("many 3 workers") for label in labels] == [True, False, False]
    assert [(row["iteration"], row["moved_bytes"] >> 20) for row in rows] == [(0, 3840), (0, 1280), (1, 1280)]
    assert len({row["cell"] for row in rows}) == 2


def test_a_group_of_workers_is_the_cell_of_those_with_a_result_each(tmp_path: Path) -> None:
    document = json.loads((GOLDEN / "fio/seq-write.json").read_text())
    (job,) = document["jobs"]
    job["job options"] = {**job["job options"], "numjobs": "2"}
    group = json.dumps(document)
    document["jobs"] = [job, job]
    rows = rows_of(tmp_path, group + "\n" + json.dumps(document))
    assert [("2 workers" in row["label"], row["iteration"]) for row in rows] == [(True, 0), (True, 1)]
    assert len({row["cell"] for row in rows}) == 1


@pytest.mark.parametrize("option", ["'-z' '2'", "'-b' '4'", "'-N' '1'", "'-I' '10'"])
def test_trees_of_mdtest(tmp_path: Path, option: str) -> None:
    log = V3 + V3.replace("'-T'", f"'-T' {option}").replace("81877.750", "81878.750")
    assert len({row["cell"] for row in rows_of(tmp_path, log)}) == 2


def test_workloads_of_dlio(tmp_path: Path) -> None:
    text = (GOLDEN / "dlio/training.json").read_text()
    document: dict[str, Any] = json.loads(text)
    files = document["num_files_train"]
    more = text.replace(f'"num_files_train": {files}', f'"num_files_train": {2 * files}')
    rows = rows_of(tmp_path, f"{text}\n{more}")
    assert len({row["cell"] for row in rows if row["experiment"] == "train"}) == 2


@pytest.mark.parametrize(
    "options",
    [
        *(("", option) for option in ("-C", "-Z", "-m", "-Y", "-O setAlignment=1M", "-l offset")),
        ("--posix.lustre.stripecount=1", "--posix.lustre.stripecount=8"),
        *(("-C", "-C -Q 2"), ("", "-R")),
    ],
)
def test_runs_of_ior_by_their_options(tmp_path: Path, options: tuple[str, str]) -> None:
    """Without -C the reads of IOR come from the cache of the node that wrote."""
    one, other = (re.sub(r"(Command line +: \S+)", rf"\1 {option}", IOR_LOG) for option in options)
    assert len({row["cell"] for row in rows_of(tmp_path, one + other.replace("2026", "2025"))}) == 2


@pytest.mark.parametrize(
    "line", ["ordering inter file : constant task offset", "task offset         : 2", "memoryPerNode : 9 GiB"]
)
def test_tests_of_a_script_of_ior_by_what_is_printed_of_them(tmp_path: Path, line: str) -> None:
    """The command has the name of the script alone: tests with and without reorderTasks were repetitions."""
    text = re.sub(r"(Command line +: \S+).*", r"\1 -f a.ior", IOR_LOG)
    other = re.sub(r"(?m)^(segments +: .*)", rf"\1\n{line}", re.sub(r"ordering inter.*\n", "", text))
    assert len({row["cell"] for row in rows_of(tmp_path, text + other.replace("2026", "2025"))}) == 2


@pytest.mark.parametrize(
    "option", ["-Q 1", "-v", "-G 7", "-O summaryFile=b.json", "--random-offset-seed=7", "--dfs.prefix=/b"]
)
def test_options_that_change_nothing_are_no_other_cell_of_ior(tmp_path: Path, option: str) -> None:
    other = re.sub(r"(Command line +: \S+)", rf"\1 {option}", IOR_LOG).replace("2026", "2025")
    assert len({row["cell"] for row in rows_of(tmp_path, IOR_LOG + other)}) == 1


def test_tables_of_ior_alone_are_no_repetitions(tmp_path: Path) -> None:
    """A page quotes the end of three outputs, with 1, 2 and 4 tasks."""
    end = IOR_LOG[IOR_LOG.index("Results:") :].partition("Summary of all")[0] + "Summary of all tests:\n"
    page = "\n".join(f"# {tasks} tasks\n----\n{end.replace('.', f'.{tasks}')}----\n" for tasks in (1, 2, 4))
    assert cells_of_runs(rows_of(tmp_path, page), 3) == [0, 1, 2]


def test_what_stands_above_a_block_of_ior_is_of_the_cell(tmp_path: Path) -> None:
    """A page compares a library that is preloaded with none: 1,750 and 536 MiB/s were repetitions."""
    above = ("With it:", "Without it, on the same nodes:", "Without it, on the same nodes:")
    logs = (re.sub(r"(?m)^((?:write|read) .*)\.", rf"\1.{at}", IOR_LOG) for at in range(len(above)))
    blocks = (f"{line}\n\n```\n$ ior\n{log}```\n" for line, log in zip(above, logs, strict=True))
    assert cells_of_runs(rows_of(tmp_path, "# A library\n\n" + "\n".join(blocks)), 3) == [0, 1, 1]


@pytest.mark.parametrize(
    "launch", ["{}mpirun -n 2 /opt/ior", "mpirun -n 2 {}ior", "mpirun -x {}./ior", "srun env {}ior"]
)
def test_variables_before_ior_are_of_the_cell(tmp_path: Path, launch: str) -> None:
    """A library that is preloaded replaces its calls."""
    text = IOR_LOG.partition("\n")[2]
    logs = (re.sub(r"(?m)^((?:write|read) .*)\.", rf"\1.{at}", text) for at in range(3))
    before = ("", "LD_PRELOAD=/lib/lazy.so ", "LD_PRELOAD=/lib/lazy.so ")
    lines = (f"$ {launch.format(one)} -a POSIX -w -r\n{log}" for one, log in zip(before, logs, strict=True))
    assert cells_of_runs(rows_of(tmp_path, "".join(lines)), 3) == [0, 1, 1]


def test_hints_that_ior_passes_to_mpi_are_conditions(tmp_path: Path) -> None:
    """One log of a sweep over stripes, --mpiio.showHints and IOR_HINT__MPI__striping_factor: one cell."""
    log = IOR_LOG.replace("\nwrite ", "\n{hints}write ", 1)
    hints = (
        f"hints passed to MPI_File_open() {{\n\tstriping_factor = {count}\n}}\n\n"
        "hints returned from opened file {\n\tcb_nodes = 1\n}\n"
        for count in (1, 8)
    )
    runs = (log.replace("{hints}", one) for one in hints)
    rows = rows_of(tmp_path, next(runs) + next(runs).replace("2026", "2025"))
    assert cells_of_runs(rows, 2) == [0, 1]


def test_copies_of_dd_by_their_size(tmp_path: Path) -> None:
    copy = "+ dd if=/dev/zero of=/scratch/f bs=1M count={0}\n{1} bytes ({0} MB) copied, 1.{0} s, 9 MB/s\n"
    log = "".join(copy.format(count, count * 2**20) for count in (16, 1024, 16))
    assert cells_of(rows_of(tmp_path, log)) == [0, 1, 0]


def test_sizes_of_h5bench_and_md_workbench(tmp_path: Path) -> None:
    text = (GOLDEN / "h5bench/write.txt").read_text()
    (first, other) = rows_of(tmp_path, text + re.sub(r"(?m)^(Total write size: )(\d+)", r"\g<1>9\2", text))
    assert first["cell"] != other["cell"]
    text = (GOLDEN / "md-workbench/benchmark.txt").read_text()
    larger = re.sub(r"total objects: (\d+)", r"total objects: 9\1", text)
    rows = rows_of(tmp_path, text + larger)
    half = len(rows) // 2
    assert {row["cell"] for row in rows[:half]}.isdisjoint(row["cell"] for row in rows[half:])


# Without a date, as a mail quotes it.
MDTEST = V1[V1.index("Command") : V1.index("\n   File stat")].replace("1234.5", "{at}234.5") + "\n"


@pytest.mark.parametrize("program", ["mdtest", "ior"])
@pytest.mark.parametrize(
    ("titles", "cells"),
    [
        (("Without the patch:", "With the patch:"), 2),
        (("**Stock kernel:**\n", "", "Patched kernel:", ""), 2),
        (("The results of both runs:", ""), 1),  # a title of both
        (("", "Again:"), 1),
        (("First run:", "Second run:", "And once more:"), 1),
        (("node7:", "node12:"), 1),
        (("Mon Nov 30 10:07:00 2026:", "Sun Nov 29 10:07:00 2026:"), 1),
    ],
)
def test_titles_above_runs_of_one_command(
    tmp_path: Path, program: str, titles: tuple[str, ...], cells: int
) -> None:
    """Nothing else of a mail told the runs before and after a change apart."""
    ior = re.sub(r"(?m)^((?:write|read) .*?\d)\.", r"\1{at}.", IOR_LOG)
    text = MDTEST if program == "mdtest" else ior
    log = "".join(f"{title}\n" + text.replace("{at}", str(at)) for at, title in enumerate(titles, 1))
    rows = rows_of(tmp_path, f"Hello,\n\n{log}")
    assert len({row["cell"] for row in rows}) == cells
    assert len(rows) == len(titles) * (1 if program == "mdtest" else len(rows) // len(titles))
