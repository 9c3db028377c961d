"""One test is one batch: it asks for the allocation and runs `weir run` inside it.

The tests are made from the plan in WEIR_PLAN (`weir plan --out`), or from config/ where there is none, so
that `reframe -l` shows what would be measured. A failed cell fails the test; the others keep their numbers.
"""

from __future__ import annotations

import statistics
from collections import defaultdict

import reframe as rfm
import reframe.utility.sanity as sn
from batch_test import WeirRun
from reframe.core.builtins import run_after, run_before
from study import PLAN, RESULTS, receipt_file

from weir.plan import Batch
from weir.records.collect import collect_cell, finished_runs


@rfm.simple_test
class measure(WeirRun):  # noqa: N801 - its name is what reframe -l prints
    """The cells of a batch; the performance variables are the median bandwidths of the cells."""

    tags = {"measure"}  # noqa: RUF012 - ReFrame copies it

    @run_after("setup")
    def leave_a_receipt(self):
        self.executable_opts += ["--retry-failed", "--receipt", str(receipt_file(self.batch)), "--json"]

    @run_before("performance")
    def one_variable_per_cell(self):
        self.perf_variables = {
            name: sn.make_performance_function(sn.defer(value), "MiB/s")
            for name, value in median_bandwidths(PLAN.batch(self.batch)).items()
        }


def median_bandwidths(batch: Batch) -> dict[str, float]:
    """Median over the repetitions of each cell and access, without what the audit calls invalid."""
    values: dict[str, list[float]] = defaultdict(list)
    for cell in batch.cells:
        for row in collect_cell(cell, finished_runs(RESULTS / "runs" / cell.cell), RESULTS):
            if row["verdict"] != "INVALID" and row.get("bw_mib_s") is not None:
                # The test's own name says where.
                values[f"{row['access']} {cell.point}"].append(row["bw_mib_s"])
    return {name: round(statistics.median(each), 1) for name, each in values.items()}
