"""What the checks share: one test is one batch, in the allocation that the batch needs."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import parameter, run_after, run_before, sanity_function
from study import Case, cases

import weir
from weir.plan.allocation import request_of, time_s
from weir.site.schedulers import scheduler

# What a job of a generated pipeline must know to make the same tests, beside its suite.
CHOICES = (
    "WEIR_PLAN",
    "WEIR_RESULTS",
    "WEIR_TARGETS",
    "WEIR_STACKS",
    "WEIR_SCALE",
    "WEIR_REFERENCE",
)
# The weir of this process, wherever ReFrame stages the test, and what it imports: `spack load` names both.
_PATH = os.pathsep.join(filter(None, (str(Path(weir.__path__[0]).parent), os.environ.get("PYTHONPATH"))))


class WeirRun(rfm.RunOnlyRegressionTest):
    """`weir run` on one batch of a plan, in the allocation that the batch needs."""

    batch = parameter(cases())
    executable = shlex.quote(sys.executable)
    env_vars = {"PYTHONPATH": shlex.quote(_PATH)}  # noqa: RUF012 - ReFrame copies it

    @property
    def case(self) -> Case:
        return cases()[self.batch]

    @run_after("init")
    def ask_for_the_allocation(self):
        planned, site = self.case.batch, self.case.plan.site
        self.valid_systems = [f"{site.name}:{planned.partition}"]
        self.valid_prog_environs = [planned.stack]
        self.tags |= {planned.target, *self.case.suites}
        self.num_tasks = planned.nodes * planned.ppn
        self.num_tasks_per_node = planned.ppn
        in_turns = [planned, *self.case.plan.in_turns(planned)] if self.case.started else [planned]
        self.time_limit = sum(time_s(batch, site.partitions[batch.partition]) for batch in in_turns)

    @run_after("init")
    def be_a_job_of_a_pipeline(self):
        """For --ci-generate: the clone keeps what git ignores, and nothing measures beside the job."""
        planned, site = self.case.batch, self.case.plan.site
        given = {name: os.environ[name] for name in CHOICES if name in os.environ}
        self.ci_extras = {
            "gitlab": {
                "variables": {
                    "RFM_SYSTEM": f"{site.name}:{planned.partition}",
                    "GIT_CLEAN_FLAGS": "-ffd",
                    "WEIR_SUITES": ",".join(facts.suite for facts in self.case.plan.suites),
                    **given,
                },
                "before_script": [f'export PATH="{Path(sys.executable).parent}:$PATH"'],
                "resource_group": f"weir-{site.name}",
                "artifacts": {"when": "always", "reports": {"junit": f"{self.unique_name}-report.xml"}},
            }
        }

    @run_after("setup")
    def name_the_plan(self):
        self.case.hand_over()
        run = ["-m", "weir", "run", "--plan", str(self.case.plan_file), "--results", str(self.case.results)]
        self.executable_opts = [*run, "--batch", self.case.batch.batch, *self.executable_opts]
        # ReFrame does not look at exit codes, and without an accounting database Slurm does not tell them.
        if (temporary := os.environ.get("WEIR_TMPDIR")) is not None:  # run_batch.py gave ReFrame another one
            self.prerun_cmds = [f"export TMPDIR={shlex.quote(temporary)}" if temporary else "unset TMPDIR"]
        self.postrun_cmds = ["ended=$?", "echo weir run ended with $ended", "(exit $ended)"]

    @run_before("run")
    def quote_the_arguments(self):
        """ReFrame writes them into a script as they are."""
        self.executable_opts = [shlex.quote(each) for each in self.executable_opts]

    @run_before("run")
    def add_options_of_the_scheduler(self):
        partition = self.case.plan.site.partitions[self.current_partition.name]
        name = os.environ.get("WEIR_JOB_NAME", "")
        self.job.options += scheduler(partition.scheduler).reframe_options(name)
        self.job.weir_request = request_of(self.case.batch, partition)

    @sanity_function
    def weir_run_is_content(self):
        return sn.assert_found(
            "^weir run ended with 0$", self.stdout, "weir run failed or was ended; rfm_job.err has the reason"
        )
