"""The base of the checks: one test is one batch, in the allocation that the batch needs."""

import inspect
import os
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import reframe as rfm
import reframe.utility.typecheck as typ
from reframe.core.backends import getlauncher
from reframe.core.builtins import parameter, run_after, run_before, variable
from reframe.core.exceptions import ReframeError
from reframe.core.fields import make_convertible

import weir
from weir.plan.allocation import request_of, time_s
from weir.records.model import Partition
from weir.site.schedulers import scheduler
from weir_checks.choices import CHOSEN, VARIABLE, for_a_job, names_in
from weir_checks.study import Case, Refusal, cases

# The weir of this process, wherever ReFrame stages the test, and what it imports: `spack load` names both.
_PATH = os.pathsep.join(filter(None, (str(Path(weir.__path__[0]).parent), os.environ.get("PYTHONPATH"))))
_NOT_SET = 0
# ReFrame 4.7 has no types of parameters; later ones need them for -P.
_OF_TEXT = {"type": str} if "type" in inspect.signature(type(parameter([])).__init__).parameters else {}


class WeirRun(rfm.RunOnlyRegressionTest):
    """`weir run` on one batch of a plan, in the allocation that the batch needs.

    The variables are for -S (-S suite=quick,nodes, or for one check -S measure.suite=quick), for -P and for
    classes that are derived from a check. Empty means everything, or the default.
    """

    #: A suite and a batch of its plan, such as quick:scratch-spack-2x8.
    batch = parameter(cases(), **_OF_TEXT)
    #: Site of config/sites; by default that of the system, or of the extras of its partitions.
    site = variable(str, value=CHOSEN.site, loggable=True)
    #: Suites, targets and stacks to measure.
    suite = variable(typ.List[str], value=list(CHOSEN.suite), loggable=True)
    target = variable(typ.List[str], value=list(CHOSEN.target), loggable=True)
    stack = variable(typ.List[str], value=list(CHOSEN.stack), loggable=True)
    #: Scale of the suites, such as quick.
    scale = variable(str, value=CHOSEN.scale, loggable=True)
    #: Folder of the runs; a relative one is below the directory in which reframe was started.
    results = variable(str, value=CHOSEN.results)

    #: Whether nodes of a site that ReFrame's settings describe are requested for the job alone.
    exclusive = variable(typ.Bool, value=True)

    executable = shlex.quote(sys.executable)
    env_vars = {"PYTHONPATH": shlex.quote(_PATH)}  # noqa: RUF012 - ReFrame copies it
    maintainers = ["weir"]  # noqa: RUF012 - likewise
    num_tasks = _NOT_SET

    @property
    def case(self) -> Case:
        found = cases()[self.batch]
        if isinstance(found, Refusal):
            raise ReframeError(found.reason)
        return found

    @property
    def _partition(self) -> Partition:
        return self.case.plan.site.partitions[self.case.batch.partition]

    @run_after("init")
    def take_what_parameterize_sets(self):
        """Sets the variables of -P (-P suite=quick,nodes), which ReFrame does after all these hooks."""
        for parameter_name in type(self).param_space.params:
            name = parameter_name.removeprefix(".")
            if name != parameter_name and name in type(self).var_space:
                setattr(self, name, make_convertible(getattr(self, parameter_name)))

    @run_after("init")
    def ask_for_the_allocation(self):
        self._faults: list[str] = []
        if isinstance(refused := cases()[self.batch], Refusal):
            self._faults.append(refused.reason)
            self.valid_systems, self.valid_prog_environs = ["*"], ["*"]
            return
        planned = self.case.batch
        self.skip_if(not self._is_requested, "another suite, target or stack was requested")
        self.valid_systems = [*self.case.systems]
        self.valid_prog_environs = list(set(self.case.systems.values()))
        self.tags |= {planned.target, *self.case.suites}
        shape = f"{number(planned.nodes, 'node')} with {number(planned.ppn, 'rank')} each"
        self.descr = f"{self.case.question} (target {planned.target}, {shape})"
        self._require("num_tasks", _NOT_SET, planned.nodes * planned.ppn)
        self._require("num_tasks_per_node", None, planned.ppn)
        if self.case.is_described:  # nothing else may run on the nodes; a site.yaml has options for that
            self.exclusive_access = self.exclusive
        in_turns = [planned, *self.case.plan.in_turns(planned)] if self.case.started else [planned]
        if self.time_limit is None:
            partitions = self.case.plan.site.partitions
            self.time_limit = sum(time_s(batch, partitions[batch.partition]) for batch in in_turns)

    @property
    def _is_requested(self) -> bool:
        planned = self.case.batch
        wanted = (
            (names_in(self.suite), self.case.suites),
            (names_in(self.target), {planned.target}),
            (names_in(self.stack), {planned.stack}),
        )
        return all(not names or found & set(names) for names, found in wanted)

    def _require(self, name: str, unset: Any, planned: int) -> None:
        """A number of ranks other than that of the batch is refused, when the test is set up."""
        if (given := getattr(self, name)) not in (unset, planned):
            batch = self.case.batch
            self._faults.append(
                f"{name} is {planned}, not {given}: {self.batch} has {number(batch.nodes, 'node')} with"
                f" {number(batch.ppn, 'rank')} each, as its suite requests (nodes and ppn in config/suites)"
            )
        setattr(self, name, planned)

    @run_after("init")
    def refuse_what_came_too_late(self):
        for name in ("site", "scale"):
            if (given := getattr(self, name)) != (used := getattr(CHOSEN, name)):
                self._faults.append(
                    f"{name} '{given}' was set after the batches were planned with '{used}'"
                    f": give -S {name}={given} on the command line"
                )

    @run_after("init")
    def be_a_job_of_a_pipeline(self):
        """Makes the test a job of --ci-generate: the clone keeps what git ignores, and nothing measures
        beside the job."""
        if isinstance(cases()[self.batch], Refusal):
            return
        makes_a_pipeline = any(each.startswith("--ci") for each in sys.argv)
        if makes_a_pipeline and any(name.startswith(".") for name in type(self).param_space.params):
            sys.exit(  # of an error ReFrame would make a pipeline without jobs, or a traceback
                "weir: no job of a pipeline finds a test that --repeat or -P makes: it would pass, without a"
                " measurement; give -S instead of -P, and start the pipeline again instead of --repeat"
            )
        suites = tuple(facts.suite for facts in self.case.plan.suites)
        requested = replace(CHOSEN, suite=suites, results=self.results)
        given = {name: os.environ[name] for name in ("WEIR_PLAN", "WEIR_CONFIG") if name in os.environ}
        self.ci_extras = {
            "gitlab": {
                "variables": {
                    "RFM_SYSTEM": self.valid_systems[0] if self.valid_systems else "",
                    "GIT_CLEAN_FLAGS": "-ffd",
                    VARIABLE: requested.as_variable,
                    **given,
                },
                "before_script": [
                    f'export PATH="{Path(sys.executable).parent}:$PATH"',
                    f'reframe() {{ command reframe "$@" {for_a_job(sys.argv[1:])}; }}',
                ],
                "resource_group": f"weir-{self.case.plan.site.name}",
                "artifacts": {"when": "always", "reports": {"junit": f"{self.unique_name}-report.xml"}},
            }
        }

    @run_before("setup")
    def refuse(self):
        if self._faults:
            raise ReframeError("; ".join(self._faults))

    @run_after("setup")
    def name_the_plan(self):
        self.place = self.find_place()
        if not self.is_dry_run():
            self.case.hand_over(self.place)
        files = ["--plan", str(self.place.plan_file), "--results", str(self.place.results)]
        self.executable_opts = [
            "-m",
            "weir",
            "run",
            *files,
            "--batch",
            self.place.batch,
            *self.executable_opts,
        ]
        # ReFrame does not look at exit codes, and without an accounting database Slurm does not tell them.
        if (temporary := os.environ.get("WEIR_TMPDIR")) is not None:  # run_batch.py gave ReFrame another one
            self.prerun_cmds = [f"export TMPDIR={shlex.quote(temporary)}" if temporary else "unset TMPDIR"]
        self.postrun_cmds = ["ended=$?", "echo weir run ended with $ended", "(exit $ended)"]

    def find_place(self):
        return self.case.place(self.results, keep=True)

    @run_before("run")
    def quote_the_arguments(self):
        """ReFrame writes them into a script as they are."""
        self.executable_opts = [shlex.quote(each) for each in self.executable_opts]

    @run_before("run")
    def start_weir_once(self):
        """`weir run` starts the ranks: mpirun or srun of the partition would start it once for each."""
        self.job.launcher = getlauncher("local")()

    @run_before("run")
    def add_options_of_the_scheduler(self):
        name = os.environ.get("WEIR_JOB_NAME", "")
        self.job.options += scheduler(self._partition.scheduler).reframe_options(name)
        self.job.weir_request = request_of(self.case.batch, self._partition)


def number(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
