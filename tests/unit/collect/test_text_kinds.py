"""What a file without results is: programs that weir does not read, source and JSON that mention programs."""

from pathlib import Path

import pytest

from weir.base.errors import WeirError
from weir.collect.imported_files import Facts, kind_of
from weir.collect.importing import _kind, import_files, runs_in
from weir.tools.ior.rows import parse_log

H5PERF = """\
HDF5 Library: Version 1.10.8
rank 0: ==== Parameters ====
rank 0: IO API=posix mpiio phdf5
rank 0: Number of files=1
Number of processors = 2
Transfer Buffer Size: 131072 bytes, File size: 1.00 MB
      # of files: 1, # of datasets: 1, dataset size: 1.00 MB
        IO API = POSIX
            Write (1 iteration(s)):
                Maximum Throughput: 812.31 MB/s
"""
FILEBENCH = """\
Filebench Version 1.5-alpha3
0.000: Allocated 173MB of shared memory
22.982: Running...
25.983: Run took 3 seconds...
25.983: Per-Operation Breakdown
write-file           65538ops    21842ops/s  42.7mb/s      0.0ms/op [0.03ms - 81.14ms]
25.983: IO Summary: 65538 ops 21842.134 ops/s 0/21842 rd/wr  42.7mb/s   0.0ms/op
"""
DARSHAN = "POSIX\t-1\t12345\tPOSIX_OPENS\t16\t/scratch/f\t/scratch\text4\n"
ABORTED = '    fprintf(stderr, "MPI_ABORT was invoked on rank 0\\nERROR: no\\n");\n'
FIRST_FORM = "MD-REAL-IO total objects: 640000 (version: 8049faa@master) time: 2016-12-14 18:59:03\n"
EARLY_CSV = "NUM_RANKS, 4\nTotal_write_size, 10, GB\nObserved_write_rate, 0.125, GB/sec\n"
EARLY_IO500 = "[Starting] ior-easy-write\n1/ior-easy-write BW:92885.56 MB/s time: 707s\n"
KINDS = {
    "a job file of fio": ["[global]\nioengine=libaio\n"],
    "output of elbencho": ["OPERATION   RESULT TYPE         FIRST DONE    LAST DONE\n"],
    "output of h5bench": ["Total write size: 1 GB\nRaw write rate: 1.2 GB/s\n"],
    "a text about elbencho": [
        "# Title\n\n## Use\n\nelbencho -w writes.\n",
        "# Title\n\n## Use\n\n```c\n#include <mpi.h>\n```\nelbencho -w writes.\n",
    ],
    "output of iozone": ["\tIozone: Performance Test of File I/O\n"],
    "output of dd": ["1000+0 records in\n1000+0 records out\n"],
    "a configuration": [
        "[ior-easy]\nAPI = POSIX\n",
        "[debug]\n# The path to the data\ndatadir = /a\n# The path to results\n[ior-easy]\n",
    ],
    "an empty file": ["", "\n\n"],
    "a script": ["#!/bin/bash\n#SBATCH -N 2\nsrun ior\n"],
    "a tar archive, to be unpacked first": [
        "log" + "\0" * 254 + "ustar",
        "log" + "\0" * 254 + "ustar\nread: IOPS=3, BW=3MiB/s (4MB/s)(1MiB/2msec)\n",
        "ior/" + "\0" * 96 + "000755 \0" + "000000 \0",  # before 1988, as make dist still packs
    ],
    "binary data": ["\x7fELF\0\0", "a\0b"],
    "a number": ["1234\n"],
    "a table of the ranks of a search": [
        "runtime: 24.1 rate: 28.7\nrank, errors, unknown, found\n0, 0, 0, 1\n"
    ],
    "JSON of something else": ['{"a": 1}'],
    "a table of something else": ["a,b,c\n1,2,3\n"],
    "a page of HTML, whose text is to be saved first": ["<!doctype html><html>"],
    "a run that failed before its first line (ERROR: no)": [
        "MPI_ABORT was invoked on rank 0\nERROR: no\n",
        "import failed: no space\nERROR: no\n",  # which is no Python
    ],
    "": [
        "use of memory: 5\nnothing of note\n",  # nor is this Perl or Fortran
        "[0] 210389/12584427\n",
        "nothing of note\n",
        "IOR is a benchmark.\n",
        "# History\n* Fixed a segmentation fault of an empty set.\n",
        "Warning: the options may change\nwhen a job is read.\n",
    ],
    "output of MD-REAL-IO, the first md-workbench, which is not read (use the one that IOR has today)": [
        FIRST_FORM
    ],
    "the CSV of an early h5bench, which is not read (use what the program printed)": [EARLY_CSV],
    "a summary of IO500 before its first list, which is not read (the outputs of its programs are)": [
        EARLY_IO500,
        "[Result] mdtest mdtest_easy_stat rate: 142.709 kiops time: 70.2s\n",
    ],
    "the greatest rates of IOR alone, which are not read (use all that it prints)": [
        "Max Write: 1109.79 MiB/sec (1163.70 MB/sec)\nMax Write: 1616.45 MiB/sec (1694.97 MB/sec)\n",
        "Naive:\nMax Write: 442.71 MiB/sec (464.21 MB/sec)\n",
        "Running with -F\nMax Write: (2033.91 MB/sec)\nMax Read:  (1954.02 MB/sec)\n",
    ],
    "output of ior": ["IOR-4.0.0: MPI Coordinated Test of Parallel I/O\n\nMax Write: 9.10 MiB/sec\n"],
    "a text about ior": ["# IOR\n\n## Use\n\nMax Write: 9.10 MiB/sec (9.20 MB/sec)\n"],
    "output of h5perf": [H5PERF, H5PERF[H5PERF.index("Number of") :]],
    "output of filebench": [
        FILEBENCH,
        f"$ filebench -f w.f\n{FILEBENCH}",
        FILEBENCH[FILEBENCH.index("22.9") :],
    ],
    "output of darshan-parser": [
        "# darshan log version: 3.41\n",
        f"# darshan log version: 3.41\n# exe: h5bench_write -a w.cfg\n{DARSHAN}",
        DARSHAN,
    ],
    "what IOR prints beside a summary file, which has its results": [
        "Writing output to run-json/8-tasks.json\nWARNING: Expected aggregate file size       = 134217728\n",
        "ior WARNING: fsync() not supported\nWriting output to run.csv\n",
    ],
    "output of fio": [
        "job: (g=0): rw=read, bs=(R) 4096B-4096B\nfio-3.33\n",
        '{\n  "fio version" : "fio-3.33",\n  "jobs": []}\n',
        # the first fields of a line of each version (--terse-version)
        "fio: note\n3;fio-3.33;a;0;0;0;0;0;0;0;0;0.000000;0.000000;0;0;0.000000\n",
        "5;fio-3.33;a;0;0;0;0;0;0;0;0;0.000000;0.000000;0;0;0.000000\n",
        "2;a;0;0;0;0;0;0;0;0;0.000000;0.000000;0;0;0.000000;0.000000\n",
        # lines without those of their jobs
        "  write: IOPS=3893, BW=3894MiB/s (4083MB/s)(1024MiB/263msec)\n",
        "1\t  read : io=10233MB, bw=117MB/s, iops=11764, runt=  6968msec\n",
        "a: (groupid=0, jobs=1): err= 0: pid=4: Tue Mar 22 21:43:37 2016\n",
    ],
    "a text about fio": ["# fio\n\n## Read\nread: IOPS=1222, BW=4891KiB/s (5008kB/s)(47.8MiB/10001msec)\n"],
    "a page that quotes output of a monitor of the system": [
        "# fio\n\n## Disks\n\nDevice            r/s     w/s\n"
    ],
    "a page that quotes a job file of fio": ["# fio\n\n## Jobs\n\n[a]\nrw=read\n"],
    "output of sysbench": ["sysbench 1.0.20 (using system LuaJIT 2.1.0)\n"],
    "source code in C or C++": [
        f"#include <mpi.h>\n{ABORTED}",
        f"/* fio: (g=0): rw=read */\n\n#include <vector>\nERROR: in a comment\n{ABORTED}",
    ],
    "source code in Perl": [
        "use strict;\nuse warnings;\nif ($line =~ /ERROR: no/) {\n",
        "package Log;\nsub results {\n  ERROR: no\n",
    ],
    "source code in Python": [
        'import re\n\ndef results(text):\n    """md-workbench"""\n',
        "from pathlib import Path\n\nclass Log(dict):\n    pass\nERROR: no\n",
    ],
    "source code in Fortran": ["program mini\n  use mpi\n  implicit none\n  ERROR: no\n"],
    "source code in a shell": ["for size in 4k 64k; do\n  mpirun ior -t $size\ndone\n"],
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_is_named_by_what_it_is(kind: str) -> None:
    assert [kind_of(text) for text in KINDS[kind]] == [kind] * len(KINDS[kind])


def test_the_first_half_mebibyte_is_enough() -> None:
    assert kind_of("text\n" * 100_000 + "fio-3.33\n") == "output of fio"


def test_an_import_without_results_names_what_most_files_are(tmp_path: Path) -> None:
    for name, text in (
        (".gitignore", "*.o\n"),
        ("1.txt", H5PERF),
        ("2.txt", H5PERF),
        ("run.sh", "#!/bin/sh\n"),
    ):
        (tmp_path / name).write_text(text)
    with pytest.raises(WeirError, match="that weir can read: it is output of h5perf") as error:
        import_files(sorted(tmp_path.iterdir()), Facts())
    assert error.value.problems[0].file == str(tmp_path / "1.txt")


_STATUS = """# How it goes

```json
{
  "Setting": {"Name": "myfs", "UUID": "e9d8373a"},
  "Sessions": [{"Version": "1.0.0+2022-08-08.cf0c269", "HostName": "ubuntu"}]
}
```
"""


@pytest.mark.parametrize("text", [_STATUS, '{"Version": "2012-10-17", "Statement": []}\n'])
def test_a_version_alone_makes_no_log_of_ior(text: str) -> None:
    assert list(parse_log(text)) == []
    assert "IOR" not in _kind(text, runs_in(text))


def test_a_run_that_was_cut_after_its_first_lines_is_one_of_ior() -> None:
    cut = '{\n  "Version": "4.1.0+dev",\n  "Began": "Thu Jan  1 00:00:00 2026",\n'
    assert [run.program for run in parse_log(cut)] == ["IOR"]
