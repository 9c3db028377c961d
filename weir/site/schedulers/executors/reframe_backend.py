"""ReFrame submits by the methods of a scheduler of weir.

Its own back ends ask PBS for as many cores as ranks (not for whole nodes), give Grid Engine no parallel
environment and Flux one task, and an option with a value is two options to them.
"""

import os
import time
from pathlib import Path
from typing import Any

from reframe.core.backends import register_scheduler
from reframe.core.exceptions import JobError, JobSchedulerError
from reframe.core.schedulers import Job, JobScheduler

from weir.base.errors import WeirError
from weir.base.processes import wall_s
from weir.site.schedulers import WAITING, JobFiles, Request, Scheduler
from weir.site.schedulers.executors import Submitted, own_path, submit

_NAMES: dict[str, str] = {}
_PAUSE_S = 2.0
# The name of the job that a workflow waits for, by which it ends it.
_NAME_VARIABLE = "WEIR_JOB_NAME"


def backend_of(system: Scheduler) -> str:
    """The name under which ReFrame knows it: one of ReFrame's own, or one of this module."""
    if own := system.reframe_backend():
        return own
    if system.name not in _NAMES:
        name = _NAMES[system.name] = f"weir-{system.name}"
        register_scheduler(name)(type("Queue", (_Queue,), {"system": system}))
    return _NAMES[system.name]


class _QueueJob(Job):  # type: ignore[misc]
    weir_request: Request | None = None  # else that of the test: whole nodes are more than its ranks
    submitted: Submitted | None = None
    is_over = False

    @property
    def request(self) -> Request:
        ppn = self.num_tasks_per_node or 1
        nodes = max((self.num_tasks or 1) // ppn, 1)
        cores = ppn * (self.num_cpus_per_task or 1)
        found = self.weir_request or Request(nodes, self.time_limit or 0, cores, options=self.sched_access)
        return found.with_time(self.time_limit or found.time_s)


class _Queue(JobScheduler):  # type: ignore[misc]
    system: Scheduler

    def make_job(self, *given: Any, **named: Any) -> _QueueJob:
        return _QueueJob(*given, **named)

    def emit_preamble(self, job: _QueueJob) -> list[str]:
        """The script writes its own files: what a batch system collects may come late, or not at all."""
        output = f"exec >{job.stdout} 2>{job.stderr} </dev/null"
        return [f"cd {job.workdir} || exit", output, own_path()]

    def submit(self, job: _QueueJob) -> None:
        script = Path(job.workdir, job.script_filename)
        log = Path(job.workdir, f"{job.name}.log")
        files = JobFiles(os.environ.get(_NAME_VARIABLE) or f"weir_{job.name}", script, log)
        try:
            job._jobid = submit(self.system, job.request, files)
        except WeirError as error:
            raise JobSchedulerError(str(error)) from None
        job._submit_time = wall_s()
        # The test looks for the exit code in its output.
        job.submitted = Submitted(self.system, job.jobid, log, tells_its_end=False)

    def poll(self, *jobs: _QueueJob | None) -> None:
        for job in jobs:
            if job is None or job.is_over or job.submitted is None:
                continue
            failure = job.submitted.failure()
            job._state = "RUNNING" if failure is None else "COMPLETED"
            job.is_over = failure is not None
            if failure:
                job._exception = JobError(failure, job.jobid)
            elif self._waits_too_long(job):
                self.cancel(job)
                job._exception = JobError(f"maximum pending time exceeded: {job.submitted.news}", job.jobid)

    def _waits_too_long(self, job: _QueueJob) -> bool:
        state = job.submitted.state if job.submitted else None
        waits = state is not None and state.phase == WAITING
        return waits and bool(job.max_pending_time) and wall_s() > job.submit_time + job.max_pending_time

    def wait(self, job: _QueueJob) -> None:
        while not self.finished(job):
            self.poll(job)
            time.sleep(_PAUSE_S)

    def cancel(self, job: _QueueJob) -> None:
        self.system.cancel_job(job.jobid)

    def finished(self, job: _QueueJob) -> bool:
        if job.exception:
            raise job.exception
        return job.is_over

    def allnodes(self) -> list[Any]:
        raise NotImplementedError("weir lists no nodes for ReFrame")

    def filternodes(self, job: _QueueJob, nodes: Any) -> list[Any]:
        raise NotImplementedError("weir lists no nodes for ReFrame")
