"""One test is one batch: it asks for the allocation and runs `weir run` inside it.

The tests are made from the plan in WEIR_PLAN (`weir plan --out`), or from config/ where there is none, so
that `reframe -l` shows what would be measured. A failed cell fails the test; the others keep their numbers.
"""

from __future__ import annotations

import os
import statistics
import sys
from collections import defaultdict
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import parameter, run_after, run_before, sanity_function
from reframe.core.runtime import runtime

from weir.config import load_config
from weir.plan import Batch, Plan, make_plan, read_plan, write_plan
from weir.records.collect import collect_cell, finished_runs

ROOT = Path(__file__).resolve().parent.parent
PLAN_FILE = os.environ.get("WEIR_PLAN")


def current_plan() -> Plan:
    if PLAN_FILE:
        return read_plan(Path(PLAN_FILE))
    return make_plan(load_config(root=ROOT, overrides={"site": runtime().system.name}))


PLAN = current_plan()
STUDY = "+".join(facts.suite for facts in PLAN.suites)
RESULTS = Path(os.environ.get("WEIR_RESULTS", ROOT / "results" / PLAN.site.name)).resolve()


@rfm.simple_test
class measure(rfm.RunOnlyRegressionTest):  # noqa: N801 - its name is what reframe -l prints
    """A batch of cells; its performance variables are the median bandwidths of the cells."""

    batch = parameter([batch.batch for batch in PLAN.batches])
    executable = sys.executable
    # Imports of weir must not depend on where ReFrame stages the test.
    env_vars = {"PYTHONPATH": str(ROOT)}  # noqa: RUF012 - ReFrame copies it

    @run_after("init")
    def ask_for_the_allocation(self):
        planned = PLAN.batch(self.batch)
        partition = PLAN.site.partitions[planned.partition]
        self.descr = f"{len(planned.cells)} cells on {planned.target}, {planned.nodes} x {planned.ppn} ranks"
        self.valid_systems = [f"{PLAN.site.name}:{planned.partition}"]
        self.valid_prog_environs = [planned.stack]
        self.tags = {"measure", planned.target, *(cell.suite for cell in planned.cells)}
        self.num_tasks = planned.nodes * planned.ppn
        self.num_tasks_per_node = planned.ppn
        self.time_limit = partition.time_limit_s or None

    @run_after("setup")
    def run_weir(self):
        plan_file = Path(PLAN_FILE).resolve() if PLAN_FILE else RESULTS / STUDY / "plan.json"
        if not PLAN_FILE:
            write_plan(PLAN, plan_file)
        receipt = RESULTS / STUDY / "batches" / f"{self.batch}.json"
        self.executable_opts = ["-m", "weir", "run", "--plan", str(plan_file), "--results", str(RESULTS)]
        self.executable_opts += ["--batch", self.batch, "--retry-failed", "--receipt", str(receipt), "--json"]

    @sanity_function
    def weir_run_is_content(self):
        # ReFrame itself does not look at exit codes; weir run's is 0 only if every execution succeeded.
        return sn.assert_eq(self.job.exitcode, 0, "weir run ended with {0}; rfm_job.err says why")

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
                values[f"{cell.label}-{row['access']}"].append(row["bw_mib_s"])
    return {name: statistics.median(each) for name, each in values.items()}
