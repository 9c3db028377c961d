"""Logs of which no result could be read are counted in the first line, and end an import with 1."""

import json
from pathlib import Path
from typing import Protocol

import pytest

from tests.checkout import ROOT
from tests.programs import write_file
from tests.unit.conftest import RunWeir
from weir.collect.imported_files import kind_of

LOG = (ROOT / "tests/golden/ior/ior-posix-shared.txt").read_text()
TERSE = "3;fio-3.33;job;0;0;16384;" + ";".join(["0"] * 120) + "\n"


class ImportFiles(Protocol):
    """Compares the exit code; the answer is the lines that were printed."""

    def __call__(self, files: dict[str, str], code: int = 0) -> list[str]: ...


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """The table of the import."""
    return tmp_path / "out" / "records.csv"


@pytest.fixture
def imported(tmp_path: Path, out: Path, run_weir: RunWeir) -> ImportFiles:
    def run(files: dict[str, str], code: int = 0) -> list[str]:
        for name, text in files.items():
            write_file(tmp_path / "logs" / name, text)
        return run_weir("import", tmp_path / "logs", "--out", out, code=code).out.splitlines()

    return run


@pytest.mark.parametrize("refused", [TERSE, "access,api,bw_mib_s\nwrite,POSIX,fast\n"])
def test_a_refused_log_is_in_the_first_line_and_the_exit_code(
    imported: ImportFiles, out: Path, run_weir: RunWeir, refused: str
) -> None:
    """It counted as nothing: the import of logs in a form that is not read ended with 0."""
    first, *_ = imported({"good": LOG, "bad": refused, "notes": "measured on Monday\n"}, code=1)
    assert first.endswith("; 1 of 3 files read, 1 refused"), first
    assert run_weir("audit", out, code=1).out.splitlines()[0] == first
    facts = json.loads(run_weir("audit", out, "--json", code=1).out)
    assert facts["read"] == {"files": 3, "read": 1, "refused": 1}


def test_files_that_are_no_logs_are_counted_and_no_failure(
    imported: ImportFiles, out: Path, run_weir: RunWeir
) -> None:
    first, *_ = imported({"good": LOG, "notes": "measured on Monday\n"})
    assert first.endswith(" INVALID; 1 of 2 files read")
    run_weir("audit", out)


OTHER_FILES = {
    "a job file of fio": "[global]\nioengine=libaio\nruntime=5m\n\n[mixed]\nrw = randrw\nbs=4k\n",
    "the log of h5bench's driver, which has no results": (
        "2022-01-24 10:42:46,822 h5bench - INFO - Starting h5bench Suite\n"
        "2022-01-24 10:44:12,022 h5bench - INFO - SUCCESS\n"
    ),
    "live statistics of elbencho, which are no results": (
        "ISO Date,Label,Phase,RuntimeMS,Rank,MixType,Done%,DoneBytes,MiB/s,IOPS,Entries,Entries/s\n"
        "2025-12-17T11:58:08.821-0600,,READ,1001,Total,,35,49416241152,47127,94254,0,0\n"
    ),
    "": "runs:\n\tpython3 h5bench.py configuration.json\nadd_executable(md-workbench main.c)\n"
    ".. code-block:: c\n\n   #include <unistd.h>\n",
}


def test_files_of_a_program_that_hold_no_result_are_no_failure(imported: ImportFiles) -> None:
    """A job file was a damaged output, and so was each text with the word h5bench or md-workbench, or a line
    elbencho; reStructuredText that quotes source was source."""
    assert [kind_of(text) for text in OTHER_FILES.values()] == [*OTHER_FILES]
    files = {f"other{at}": text for at, text in enumerate(OTHER_FILES.values())}
    printed = "\n".join(imported({"good": LOG, "ignored": "*.o\nelbencho\n", **files}))
    assert ("refused" in printed, "a job file of fio" in printed) == (False, True)
    cut = "config file: a.cfg, output data file: a.h5\nStart benchmark: h5bench_write, Number of particles\n"
    assert kind_of(cut) == "output of h5bench"
    assert kind_of(OTHER_FILES["a job file of fio"] + "fio-3.28\nStarting 1 process\n") == "output of fio"
    assert kind_of("elbencho -w -t 4 /scratch/f\n") == "output of elbencho"


@pytest.mark.parametrize(
    "text",
    [
        "a: (g=0): rw=read, bs=4K-4K/4K-4K/4K-4K, ioengine=net, iodepth=8\nfio-2.8\nStarting 1 process\n\n"
        "a: (groupid=0, jobs=1): err= 0: pid=4: Tue Mar 22 21:43:37 2016\n"
        "  read : io=10233MB, bw=11749Mbit/s, iops=11764, runt=  6968msec\n",
        '{"fio version": "fio-3.1", "global options": {"ioengine": "net"}, "jobs": [{"jobname": "a"}]}',
    ],
    ids=["text", "JSON"],
)
def test_an_output_of_fio_without_storage_is_not_damaged(imported: ImportFiles, text: str) -> None:
    """It was refused as if it were cut, or in a form that is not read."""
    imported({"good": LOG, "network": text})
    assert kind_of(text) == "output of fio without storage (ioengine net)"
    mixed = text.replace("=net", "=sync").replace(': "net', ': "sync')
    assert kind_of(f"{text}\n{mixed}") == "output of fio"


def test_an_import_of_all_files_has_no_count_of_them(imported: ImportFiles) -> None:
    assert imported({"good": LOG})[0].endswith(" INVALID")


def test_an_import_does_not_replace_the_facts_of_another_table(
    tmp_path: Path, imported: ImportFiles, out: Path, run_weir: RunWeir
) -> None:
    """An audit of the first table then printed how many logs of the second one were read."""
    first, *_ = imported({"good": LOG, "bad": TERSE}, code=1)
    more = write_file(tmp_path / "more" / "good", LOG).parent
    error = run_weir("import", more, "--out", out.with_name("more.csv"), code=2).err
    assert "records.csv" in error
    assert "--out more/records.csv" in error
    assert run_weir("audit", out, code=1).out.splitlines()[0] == first


def test_refused_logs_are_named_as_such_and_first(imported: ImportFiles) -> None:
    """The first line counted them, and no other line had the word: they stood among notes and figures."""
    files = {"good": LOG, "bad": TERSE, "notes": "measured on Monday\n", "plot": "col;a;b\n1;2;3\n"}
    lines = imported(files, code=1)
    (refused,) = [at for at, line in enumerate(lines) if line.startswith("  refused: ")]
    others = [at for at, line in enumerate(lines) if "not read" in line or "no results" in line]
    assert "bad" in lines[refused]
    assert refused < min(at for at in others if at != refused)


def test_each_refused_log_is_named(imported: ImportFiles) -> None:
    """The first of several logs stood for all of its kind."""
    lines = imported({"good": LOG, **{f"bad{number}": TERSE for number in range(3)}}, code=1)
    refused = [line for line in lines if line.startswith("  refused: ")]
    assert [line.rpartition("/")[2] for line in refused] == ["bad0", "bad1", "bad2"]


def test_a_folder_without_a_result_is_named(tmp_path: Path, out: Path, run_weir: RunWeir) -> None:
    (tmp_path / "logs").mkdir()
    error = run_weir("import", tmp_path / "logs", "--out", out, code=2).err
    assert f"{tmp_path / 'logs'}: holds no results" in error
