"""What the checks share: one test is one batch, in the allocation that the batch needs."""

from __future__ import annotations

import sys

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import parameter, run_after, run_before, sanity_function
from study import PLAN, RESULTS, ROOT, plan_file

from weir.cluster.allocation import time_s


class WeirRun(rfm.RunOnlyRegressionTest):
    """`weir run` on one batch of the plan, in the allocation that the batch needs."""

    batch = parameter([batch.batch for batch in PLAN.batches])
    executable = sys.executable
    # Imports of weir must not depend on where ReFrame stages the test.
    env_vars = {"PYTHONPATH": str(ROOT)}  # noqa: RUF012 - ReFrame copies it

    @run_after("init")
    def ask_for_the_allocation(self):
        planned = PLAN.batch(self.batch)
        partition = PLAN.site.partitions[planned.partition]
        self.valid_systems = [f"{PLAN.site.name}:{planned.partition}"]
        self.valid_prog_environs = [planned.stack]
        self.tags |= {planned.target, *(cell.suite for cell in planned.cells)}
        self.num_tasks = planned.nodes * planned.ppn
        self.num_tasks_per_node = planned.ppn
        self.time_limit = time_s(planned, partition)

    @run_after("setup")
    def name_the_plan(self):
        words = ["-m", "weir", "run", "--plan", str(plan_file()), "--results", str(RESULTS)]
        self.executable_opts = [*words, "--batch", self.batch, *self.executable_opts]
        # ReFrame does not look at exit codes, and without an accounting database Slurm does not tell them.
        self.postrun_cmds = ["ended=$?", "echo weir run ended with $ended", "(exit $ended)"]

    @run_before("run")
    def stay_ended(self):
        if PLAN.site.partitions[self.current_partition.name].scheduler == "slurm":
            # A job that Slurm starts again after a failed node is one that nobody waits for.
            self.job.options += ["#SBATCH --no-requeue"]

    @sanity_function
    def weir_run_is_content(self):
        return sn.assert_found(
            "^weir run ended with 0$", self.stdout, "weir run failed or was ended; rfm_job.err says why"
        )
