"""One test is one batch: it asks for the allocation and runs `weir run` inside it.

The tests are made from the plan in WEIR_PLAN (`weir plan --out`), or from all of config/suites where there is
none, so that `reframe -l` shows what would be measured, and the tags of the suites (smoke, daily, full)
choose from it. A failed cell fails the test, and so does one below the band of its history, which
WEIR_REFERENCE names; the others keep their numbers.
"""

from __future__ import annotations

import json
import os
import statistics
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn
from batch_test import WeirRun
from reframe.core.builtins import run_after, run_before

from weir.records.collect import finished_runs
from weir.records.judged import collect_cell
from weir.terms.model import Row

Access = tuple[str, str]  # cell and access
UNIT = "MiB/s"


@rfm.simple_test
class measure(WeirRun):  # noqa: N801 - its name is what reframe -l prints
    """The cells of a batch; the performance variables are the median bandwidths of the cells."""

    tags = {"measure"}  # noqa: RUF012 - ReFrame copies it

    @run_after("init")
    def take_the_tags_of_the_suites(self):
        self.tags |= self.case.suite_tags

    @run_after("setup")
    def name_what_is_handed_over(self):
        handover = self.case.handover
        self.executable_opts += ["--retry-failed", "--json", "--receipt", str(handover.receipt)]
        self.executable_opts += ["--errors", str(handover.errors), "--progress", str(handover.progress)]
        if self.case.plan.site.partitions[self.case.batch.partition].scheduler == "local":
            self.executable_opts.append("--page")  # elsewhere `weir watch --page` writes it, on another node
        for name in self.case.waiting_beside():
            self.executable_opts += ["--beside", name]
        if self.case.started:  # what failed beside an earlier batch of this workflow has been tried
            self.executable_opts += ["--kept-since", str(self.case.started)]

    @run_before("performance")
    def one_variable_per_cell(self):
        found = median_bandwidths(self.measured_rows())
        # The test's own name has it.
        points = {cell.cell: cell.point for cell in self.case.batch.cells}
        names = {(cell, access): f"{access} {points[cell]}" for cell, access in found}
        self.perf_variables = {
            names[key]: sn.make_performance_function(sn.defer(value), UNIT) for key, value in found.items()
        }
        if file := os.environ.get("WEIR_REFERENCE"):
            known = references(Path(file))
            limits = {names[key]: (*known[key], None, UNIT) for key in names if key in known}
            self.reference = {self.current_partition.fullname: limits}

    def measured_rows(self) -> Iterable[Row]:
        results = self.case.results
        for cell in self.case.batch.cells:
            yield from collect_cell(cell, finished_runs(results / "runs" / cell.cell), results)


def references(file: Path) -> dict[Access, tuple[float, float]]:
    """Of `weir history reference`: the median of a cell, and the share of it that noise may take away."""
    bounds = json.loads(file.read_text(encoding="utf-8"))["bounds"]
    return {
        (one["cell"], one["access"]): (one["median"], min(one["low"] / one["median"] - 1, 0.0))
        for one in bounds
    }


def median_bandwidths(rows: Iterable[Row]) -> dict[Access, float]:
    """Median over the repetitions of each cell and access, without what the audit calls invalid."""
    values: dict[Access, list[float]] = defaultdict(list)
    for row in rows:
        if row["verdict"] != "INVALID" and row.get("bw_mib_s") is not None:
            values[row["cell"], row["access"]].append(row["bw_mib_s"])
    return {key: round(statistics.median(each), 1) for key, each in values.items()}
