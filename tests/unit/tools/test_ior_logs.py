"""What logs and pages of other people look like: without a header, in small letters, with overflown sizes."""

import re
import textwrap
from pathlib import Path

import pytest

from tests.unit.imported import rows_of
from weir.records.model import Parsed
from weir.tools import tools

GOLDEN = Path(__file__).parents[2] / "golden/ior"
LOG = (GOLDEN / "ior-posix-shared.txt").read_text()


def runs(text: str) -> list[Parsed]:
    return list(tools()["ior"].parse_log(text))


def test_a_log_without_its_first_lines_has_the_same_rows() -> None:
    (whole,) = runs(LOG)
    (rest,) = runs(LOG[LOG.index("Options:") :])
    assert (rest.program, rest.tool_version) == ("IOR", "")
    assert [row["bw_mib_s"] for row in rest.rows] == [row["bw_mib_s"] for row in whole.rows]
    assert [row["api"] for row in rest.rows] == ["POSIX"] * len(rest.rows)


def test_an_interface_in_small_letters_is_the_same_interface() -> None:
    (run,) = runs(LOG.replace("-a POSIX", "-a posix").replace(": POSIX", ": posix"))
    assert {row["api"] for row in run.rows} == {"POSIX"}


def test_what_was_requested_is_the_product_not_what_ior_expects() -> None:
    """IOR's own sum of a large file overflows."""
    (before,) = runs(LOG)
    warning = "WARNING: Expected aggregate file size       = 137438953472\n"
    moved = f"WARNING: Using actual aggregate bytes moved = {before.rows[0]['moved_bytes']}\n"
    place = LOG.index("\nwrite ") + 1
    (after,) = runs(LOG[:place] + warning + moved + LOG[place:])
    assert after.rows[0]["requested_bytes"] == before.rows[0]["requested_bytes"]
    assert after.rows[0]["moved_bytes"] == before.rows[0]["moved_bytes"]


@pytest.mark.parametrize(("rate", "is_whole"), [(None, True), ("12.5000", False)])
def test_a_summary_file_alone_has_none_of_the_warnings_about_sizes(rate: str | None, is_whole: bool) -> None:
    """They are on the screen: 243 results that a stonewall or a shorter file had ended were INVALID, because
    the bytes that were requested are not their rate times their time."""
    text = (GOLDEN / "ior-summaryfile.json").read_text().replace("NCMPI", "POSIX")
    (run,) = runs(re.sub(r'(?<="bwMiB": )[\d.]+', rate, text) if rate else text)
    assert {row["moved_bytes"] == row["requested_bytes"] for row in run.rows} == {is_whole}
    assert {row["file_bytes"] for row in run.rows} == {None}


SUMMARY = """\
Max Write: 3842.11 MiB/sec (4028.74 MB/sec)

Summary of all tests:
Operation   Max(MiB)   Min(MiB)  Mean(MiB)     StdDev{ops}    Mean(s){wall} #Tasks tPN reps fPP segcnt\
 blksiz xsize aggs(MiB) API RefNum
write        3842.11    3595.90    3695.92     101.02{ops}   88.72562{wall} 32 4 {reps} 1 2 10737418240\
 8388608 327680.0 MPIIO 0

Finished: Tue Oct  8 16:59:51 2019
"""


@pytest.mark.parametrize("ops", ["", " Max(OPs) Min(OPs)"])
def test_the_last_lines_of_a_log_have_the_results_of_its_summary(ops: str) -> None:
    """A page with the output of tail for two runs was 'output of dd'."""
    texts = [SUMMARY.format(ops=ops, wall=" Stonewall(s)" if ops else "", reps=reps) for reps in (4, 1)]
    (run,) = runs("$ tail slurm-212.out\n" + "\n$ tail slurm-216.out\n".join(texts))
    assert [row["bw_mib_s"] for row in run.rows] == [3695.92, 3695.92]
    assert [row["observed"].get("mean_of") for row in run.rows] == [4, None]
    assert [row["total_s"] for row in run.rows] == [None, 88.72562]
    told = ("api", "layout", "nn", "ppn", "xfer_bytes", "block_bytes", "segments")
    values = ("MPIIO", "file-per-process", 8, 4, 8 * 2**20, 10 * 2**30, 2)
    assert {tuple(row[name] for name in told) for row in run.rows} == {values}


def test_a_summary_adds_nothing_to_a_table_of_iterations() -> None:
    (run,) = runs(LOG)
    (other,) = runs("".join(line for line in LOG.splitlines(True) if not line.startswith("Operation")))
    assert run.rows == other.rows


def test_csv_without_its_last_columns_has_its_results() -> None:
    """Before it had the tasks and the number of the iteration in its lines, it had them in its heading."""
    (run,) = runs("""\
access,bw(MiB/s),IOPS,Latency,block(KiB),xfer(KiB),open(s),wr/rd(s),close(s),total(s),numTasks,iter
write,1748.0946,1928.3122,0.0122,131072,1024,1.9385,3.1862,0.8167,3.5147
read,2580.2756,2861.2635,0.0074,131072,1024,0.1923,2.1473,1.7458,2.3811
read,2580.2756,2861.2635,0.0074,131072
""")
    found = [(row["access"], row["bw_mib_s"], row["total_s"], row["iteration"]) for row in run.rows]
    assert found == [("write", 1748.0946, 3.5147, 0), ("read", 2580.2756, 2.3811, 0)]


def test_results_whose_head_is_missing_are_not_those_of_the_next_run() -> None:
    """A page begins within the output of tail: its first table had the segments of the run below it."""
    other = re.sub(r"(?m)^(segments +: )\d+", r"\g<1>77", LOG)
    cut, whole = runs(LOG[LOG.index("Results:") :] + other)
    assert [row["bw_mib_s"] for row in cut.rows] == [row["bw_mib_s"] for row in whole.rows]
    assert {(row["segments"], row["nn"], row["ppn"]) for row in cut.rows} == {(1, 1, 2)}  # of the summary
    assert {row["segments"] for row in whole.rows} == {77}


def test_a_table_alone_has_no_command_of_another_run() -> None:
    """A page has one output with its head and the tables of three: with -F they were a shared file."""
    table = LOG[LOG.index("Results:") : LOG.index("Summary of all")]
    (run,) = runs(LOG[: LOG.index("Operation")] + f"```\n\nWith -F:\n\n```\n{table}")
    half = len(run.rows) // 2
    assert [{row["layout"] for row in part} for part in (run.rows[:half], run.rows[half:])] == [
        {"shared"},
        {None},
    ]


PAGE = """\
# Striping

{command}

```
Results:

access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
------    ---------  ---------- ---------  --------   --------   --------   --------   ----
write     640.00     16384      1024.00    0.001451   4.00       0.280439   4.00       0
read      1280.00    16384      1024.00    0.016069   2.00       0.045412   2.00       0
Max Write: 640.00 MiB/sec (671.09 MB/sec)
```
"""


@pytest.mark.parametrize(
    ("command", "layout"),
    [
        ("mpirun -np 20 ior -t 1m -b 16m -s 8 -F", "file-per-process"),
        ("srun -n 20 \\\n /opt/ior/bin/ior -t 1m -b 16m -s 8 -o $SCRATCH/a", "shared"),
        ("A page about ior\nmpirun --np 20 ior -t 1m -b 16m -s 8", "shared"),
        ("mpirun -np 40 ior -t 1m -b 16m -s 8 -F", None),  # other bytes than the table has
        ("mpirun -np 20 ior -t 1m -b 16m -s ${count} -F", None),
        ("mpirun -np 20 ior -t 1m -b 16m -s 8 -F -i 3", None),
        ("mpirun -np 20 ior -w -t 1m -b 16m -s 8 -F", None),
        ("mpirun -np 20 ior -t 1m -b 16m -s 8 -F\nmpirun -np 20 ior -t 1m -b 16m -s 8", None),
        ("mpirun -np 20 ior -t 1m -b 16m -s 8 -F\nthen srun ior -t 1m -b 16m -s 8", None),
        ("It has 20 tasks.", None),
    ],
)
def test_the_command_above_a_quoted_table(command: str, layout: str | None) -> None:
    """Ten results of a page had no tasks, and the layouts that the page compares were unknown."""
    (run,) = runs(PAGE.format(command=command))
    tasks = None if layout is None else 20
    assert {(row["layout"], row["observed"]["tasks"]) for row in run.rows} == {(layout, tasks)}


def test_a_command_is_of_one_table() -> None:
    """The table below another one has not its command."""
    above = ("mpirun -np 20 ior -t 1m -b 16m -s 8 -F", "With stripes:")
    page = "".join(PAGE.format(command=line) for line in above)
    (run,) = runs(page.replace("1280.00 ", "1280.01 ", 1))
    assert [row["layout"] for row in run.rows] == ["file-per-process"] * 2 + [None] * 2


@pytest.mark.parametrize("option", ["-Y", "-O fsyncPerWrite=1"])
def test_writes_that_are_synchronised_one_by_one_are_synchronised(option: str) -> None:
    """IOR does not count them; it makes one after each transfer."""
    command = next(line for line in LOG.splitlines() if line.startswith("Command line"))
    (run,) = runs(LOG.replace(command, f"{command.replace(' -e', '')} {option}"))
    for row in run.rows:
        told = row["observed"].get("syncs_reported")
        assert told == (row["moved_bytes"] // row["xfer_bytes"] if row["access"] == "write" else None)
        assert row["access"] == "read" or row["sync"]
        assert row["observed"]["workload"]["options"].keys() >= {
            option.split()[-1].lstrip("-").partition("=")[0]
        }


QUOTED = """\
$ mpirun -n 16 ./ior -t 1m -b 8m -s 4{option}
...
access bw(MiB/s) block(KiB) xfer(KiB) open(s)  wr/rd(s) close(s) total(s) iter
------ --------- ---------- --------- -------- -------- -------- -------- ----
write  {rate}    8192       1024.00   0.107961 2.00     0.05     2.00     2
read   512.00    8192       1024.00   0.005789 1.00     0.05     1.00     2
remove -         -          -         -        -        -        0.534400 2
"""
SENTENCES = "\n\n".join(["One file of all ranks", "is written to the disks", "as fast as these can."] * 9)


def test_tables_in_indented_blocks_are_read(tmp_path: Path) -> None:
    """A tutorial in reStructuredText indents its outputs; the rows of IOR begin at the margin."""
    blocks = [textwrap.indent(QUOTED.format(rate="256.00", option=one), "   ") for one in ("", " -F")]
    rows = rows_of(tmp_path, "".join(f"{SENTENCES}\n\n.. code-block:: shell\n\n{one}\n" for one in blocks))
    assert [row["bw_mib_s"] for row in rows] == [256, 512] * 2
    assert rows[0]["cell"] == rows[1]["cell"] != rows[2]["cell"] == rows[3]["cell"]


def test_the_command_above_a_table_has_a_prompt(tmp_path: Path) -> None:
    """With "$ " before it, tasks and layout were unknown."""
    page = "".join(QUOTED.format(rate="256.00", option=one) for one in (" -F", ""))
    rows = rows_of(tmp_path, page)
    told = [(row["tasks"], row["layout"], row["xfer_bytes"]) for row in rows]
    assert told == [(16, "file-per-process", 2**20)] * 2 + [(16, "shared", 2**20)] * 2
