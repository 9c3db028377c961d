"""Snakemake submits by the methods of the scheduler that a site names: executor `weir` of profiles/queue."""

import secrets
import shlex
import sys
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

from snakemake_interface_common.exceptions import WorkflowError
from snakemake_interface_executor_plugins.executors.base import SubmittedJobInfo
from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor
from snakemake_interface_executor_plugins.settings import CommonSettings

from weir.base.errors import WeirError
from weir.site.schedulers import RUNNING, WAITING, JobFiles, Request, Scheduler, scheduler
from weir.site.schedulers.executors import Submitted, job_script, submit

LOGS = Path("results/queue-logs")

common_settings = CommonSettings(
    non_local_exec=True,
    implies_no_shared_fs=False,
    job_deploy_sources=False,
    pass_default_storage_provider_args=True,
    pass_default_resources_args=True,
    pass_envvar_declarations_to_cmd=True,
    auto_deploy_default_storage_provider=False,
)


class Executor(RemoteExecutor):  # type: ignore[misc]
    def __post_init__(self) -> None:
        self._printed: dict[str, str] = {}  # by job, so that nothing is printed twice
        self._under_way: dict[str, Submitted] = {}  # by job

    def run_job(self, job: Any) -> None:
        name = str(job.resources.get("queue") or "")
        if not name:
            raise WorkflowError(
                f"{job} needs no queue of this profile: the scheduler of its partition has none, or its own "
                "profile (profiles/slurm)"
            )
        system = scheduler(name)
        what = "-".join(job.wildcards)
        folder = Path(self.workflow.workdir_init) / LOGS / what
        folder.mkdir(parents=True, exist_ok=True)
        submitted = self._of_another_snakemake(system, job, folder) or self._new(system, job, folder, what)
        if submitted is None:
            return
        self._under_way[submitted.job] = submitted
        info = SubmittedJobInfo(job, external_jobid=submitted.job, aux={"submitted": submitted})
        self.report_job_submission(info)

    def _of_another_snakemake(self, system: Scheduler, job: Any, folder: Path) -> Submitted | None:
        """A job of a Snakemake that was killed: it is waited for, since two would measure each other."""
        for number in self.workflow.persistence.external_jobids(job):
            state = system.state(number)
            if state is not None and state.phase in (WAITING, RUNNING):
                self.logger.info(
                    f"weir: job {number} of a Snakemake that is gone is {state.phase}: waiting for it"
                )
                return Submitted(system, number, folder / _log_of(folder, number))
        return None

    def _new(self, system: Scheduler, job: Any, folder: Path, what: str) -> Submitted | None:
        log = folder / f"{time.strftime('%Y-%m-%dT%H-%M-%S')}-{secrets.token_hex(2)}.log"
        script = log.with_suffix(".sh")
        lines = [self.format_job_exec(job)]
        script.write_text(job_script(lines, log, Path(self.workflow.workdir_init)), encoding="utf-8")
        script.chmod(0o755)
        given = job.resources
        request = Request(
            nodes=int(given["queue_nodes"]),
            time_s=float(given["queue_seconds"]),
            cores_per_node=int(given["queue_cores"]),
            options=shlex.split(str(given["queue_options"])),
        )
        try:
            number = submit(system, request, JobFiles(f"weir_{what}", script, log))
        except WeirError as error:
            self.report_job_error(SubmittedJobInfo(job), msg=f"{error}\n")
            return None
        log.with_suffix(f".{_plain(number)}").touch()
        self.logger.info(f"weir: {what} has been submitted as job {number}, log: {log}")
        return Submitted(system, number, log)

    async def check_active_jobs(
        self, active_jobs: list[SubmittedJobInfo]
    ) -> AsyncGenerator[SubmittedJobInfo, None]:
        for info in active_jobs:
            async with self.status_rate_limiter:
                submitted: Submitted = info.aux["submitted"]
                failure = submitted.failure()
            if failure is None:
                self._print(submitted)
                yield info
                continue
            self._under_way.pop(submitted.job, None)
            if failure:
                self.report_job_error(info, msg=f"{failure}\n", aux_logs=[str(submitted.log)])
            else:
                self.report_job_success(info)

    def _print(self, submitted: Submitted) -> None:
        news = submitted.news
        if news and self._printed.get(submitted.job) != news:
            print(f"weir: {news}", file=sys.stderr, flush=True)
        self._printed[submitted.job] = news

    def cancel_jobs(self, active_jobs: list[SubmittedJobInfo]) -> None:
        """Cancels jobs, also those that Snakemake asks about at this moment, which it has on no list
        meanwhile."""
        for submitted in [*self._under_way.values()]:
            submitted.system.cancel_job(submitted.job)


def _log_of(folder: Path, number: str) -> str:
    """The log of a job, beside which its id is a file."""
    found = [file.with_suffix(".log").name for file in folder.glob(f"*.{_plain(number)}")]
    return found[-1] if found else f"{_plain(number)}.log"


def _plain(number: str) -> str:
    return "job-" + "".join(letter if letter.isalnum() else "-" for letter in number)
