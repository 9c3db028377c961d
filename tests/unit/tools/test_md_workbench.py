"""md-workbench with --print-detailed-stats: counts and times in columns, in place of rates."""

import pytest

from tests.unit.imported import run_of
from weir.collect.importing import runs_in

TEXT = """\
Args: md-workbench "-D" "2" "-P" "20" "-I" "10" "-o" "/scratch/w" "--print-detailed-stats" "--process-reports"
Nodemap: 11
MD-Workbench total objects: 160 workingset size: 0.298 MiB (version: 4.1.0+dev) time: 2026-11-27 08:39:41
phase\t\td name\tcreate\tdelete\tob nam\tcreate\tread\tstat\tdelete\tt_inc_b\tt_no_bar\tthp\tmax_t
precreate \t4\t0\t80\t0\t0\t0\t0.500s\t0.400s\t140.99 MiB/s 1.8692e-04
0: precreate \t2\t0\t40\t0\t0\t0\t0.400s\t0.400s\t72.73 MiB/s 1.7691e-04
1: precreate \t2\t0\t40\t0\t0\t0\t0.400s\t0.400s\t70.49 MiB/s 1.8692e-04
benchmark \t0\t0\t40\t40\t40\t40\t0.250s\t0.200s\t300.08 MiB/s 1.2302e-04
benchmark \t0\t0\t40\t40\t40\t40\t0.125s\t0.125s\t322.81 MiB/s 8.4877e-05
cleanup \t0\t4\t0\t0\t0\t80\t0.020s\t0.016s\t0.00 MiB/s 3.6955e-05
Total runtime: 0s time: 2026-11-27 08:39:41
"""


def test_columns_of_counts() -> None:
    """The time without the barrier is that of the rates that it prints otherwise."""
    ((tool, run),) = runs_in(TEXT)
    assert (tool, run.complete) == ("md-workbench", True)
    shown = [
        (row["access"], row["iteration"], row["ops"], row["total_s"], row["ops_s"], row.get("bw_mib_s"))
        for row in run.rows
    ]
    assert shown == [
        ("create", 0, 80, 0.4, 200, 140.99),
        ("update", 0, 40, 0.2, 200, 300.08),
        ("update", 1, 40, 0.125, 320, 322.81),
        ("remove", 0, 80, 0.016, 5000, None),
    ]
    assert run.rows[0]["lat_max_us"] == pytest.approx(186.92)
    assert run.rows[0]["observed"]["tasks"] == 2


def test_errors_and_times_without_digits() -> None:
    failed = "benchmark err\t0\t0\t0\t2\t0\t1\n"
    (message,) = run_of(TEXT.replace("cleanup", failed + "cleanup")).messages
    assert (message.level, message.text) == ("error", "benchmark: 3 errors")
    rows = run_of(TEXT.replace("0.016s", "0.000s")).rows
    assert [row["access"] for row in rows] == ["create", "update", "update"]


def test_a_run_that_failed_before_its_first_result() -> None:
    """It was 'output of md-workbench, not read', as if its form were not known."""
    head = TEXT[: TEXT.index("phase\t")] + "\trun-precreate\n\trun-cleanup\n"
    error = "0: Error while creating the obj: /scratch/w/0_0/file-981\nMPI_ABORT was invoked on rank 0\n"
    run = run_of(head + error)
    assert [(row["access"], row.get("ops_s")) for row in run.rows] == [("create", None), ("remove", None)]
    texts = ["Error while creating the obj: /scratch/w/0_0/file-981", "MPI_ABORT was invoked on rank 0"]
    assert [(one.level, one.text) for one in run.messages] == [("error", text) for text in texts]
    assert [row["access"] for row in run_of(head).rows] == ["create", "remove"]
