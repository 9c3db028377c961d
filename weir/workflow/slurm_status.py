"""Snakemake's executor for Slurm while slurmctld does not answer.

It then forgets the jobs whose state it could not learn, and the workflow waits for ever; and it uses sacct in
place of squeue, against the profile, also where there is no accounting. It waits for ever, too, for a job
that a killed slurmctld has forgotten, and does not tell why a job waits. And it cancels no job that it asks
Slurm about at that moment, or that sbatch just submits. All that is corrected here.
"""

import asyncio
import contextlib
import math
import re
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from weir.site.schedulers import forget_filters

_PLUG_IN = "snakemake_executor_plugin_slurm"
_PAUSE_S = 10.0
_NO_REPLY = (None, None)
_CANCEL_S = 60.0  # a busy slurmctld may take half a minute
_FORGOTTEN_S = 60.0  # squeue shows a job from its submission on
_USUAL = ("None", "Priority", "Resources", "Dependency", "BeginTime")  # reasons that pass by themselves
_CANCELLED = threading.Event()


class Forgotten:
    """Jobs that are waited for and that squeue no longer shows, with the time since when."""

    def __init__(self, limit_s: float = _FORGOTTEN_S) -> None:
        self.awaited: set[str] = set()
        self.clusters: set[str] = set()  # where they are; empty: that of this node
        self._limit_s = limit_s
        self._since: dict[str, float] = {}

    def failed(self, states: Mapping[str, str]) -> dict[str, str]:
        """The jobs that are missing for so long that Slurm has forgotten them: they are tried again."""
        now = time.monotonic()
        missing = {job for job in self.awaited if job not in states and job.partition("_")[0] not in states}
        self._since = {job: self._since.get(job, now) for job in missing}
        lost = sorted(job for job, since in self._since.items() if now - since >= self._limit_s)
        for job in lost:
            self.awaited.discard(job)
            print(f"weir: Slurm does not know job {job} any more; it counts as failed", file=sys.stderr)
        return dict.fromkeys(lost, "FAILED")


class Waiting:
    """Jobs that do not start for a reason that may last, such as a partition that is down."""

    def __init__(self) -> None:
        self._printed: dict[str, str] = {}

    def tell(self, reasons: Mapping[str, str]) -> None:
        for job, reason in reasons.items():
            if reason not in _USUAL and self._printed.get(job) != reason:
                # As JobHeldUser, or "launch failed requeued held" after a fault of a node.
                hint = f"; it starts after: scontrol release {job}" if "held" in reason.lower() else ""
                print(f"weir: job {job} is waiting: {reason}{hint}", file=sys.stderr, flush=True)
            self._printed[job] = reason


async def _reasons(ask: Callable[..., Any], command: str, *question: Any) -> dict[str, str]:
    """The reasons of the waiting jobs that a command of sacct names, since sacct has no reasons."""
    name = re.search(r"--name[ =](\S+)", command)
    if name is None:
        return {}
    why = f"squeue --noheader --states=PENDING --format='%i|%r' --name {name[1]}"
    reasons, _ = await ask(why, *question)
    return reasons or {}


def wait_for_replies(pause_s: float = _PAUSE_S, forgotten_s: float = _FORGOTTEN_S) -> None:
    """Repeats a question until there is a reply, from now on; nothing happens without the plug-in."""
    plug_in: Any = sys.modules.get(_PLUG_IN)
    if plug_in is None:
        return
    forget_filters()
    forgotten = Forgotten(forgotten_s)
    plug_in.query_job_status = _patient(plug_in.query_job_status, pause_s, forgotten)
    plug_in.Executor.check_active_jobs = _awaiting(plug_in.Executor.check_active_jobs, forgotten)
    plug_in.get_min_job_age = _known(plug_in.get_min_job_age)
    plug_in.Executor.cancel_jobs = _all_of_the_run(plug_in.Executor.cancel_jobs)


def _awaiting(check: Callable[..., AsyncIterator[Any]], forgotten: Forgotten) -> Callable[..., Any]:
    async def checked(executor: Any, active_jobs: list[Any]) -> AsyncIterator[Any]:
        forgotten.awaited = {str(job.external_jobid) for job in active_jobs}
        forgotten.clusters = {str(job.job.resources.get("clusters") or "") for job in active_jobs}
        async for job in check(executor, active_jobs):
            yield job

    return checked


def _patient(ask: Callable[..., Any], pause_s: float, forgotten: Forgotten) -> Callable[..., Any]:
    waiting = Waiting()

    async def of_each_cluster(command: str, *question: Any, **options: Any) -> Any:
        """squeue lists the jobs of one cluster; to sacct the executor names all of them."""
        states: dict[str, str] = {}
        took_s = 0.0
        for name in sorted(forgotten.clusters or {""}) if command.startswith("squeue") else [""]:
            where = f" --clusters={shlex.quote(name)}" if name else ""
            found, duration_s = await ask(command + where, *question, **options)
            if found is None:
                return _NO_REPLY
            states, took_s = states | found, took_s + duration_s
        return states, took_s

    async def replied(command: str, *question: Any, **options: Any) -> Any:
        is_reported = False
        with_reasons = command.replace("%i|%T", "%i|%T:%r")  # of squeue
        while (
            reply := await of_each_cluster(with_reasons, *question, **options)
        ) == _NO_REPLY and not _CANCELLED.is_set():
            if not is_reported:
                print("weir: Slurm does not tell the state of the jobs; asking again", file=sys.stderr)
                is_reported = True
            await asyncio.sleep(pause_s)
        if reply[0] is None:
            return reply
        told = {job: state.partition(":") for job, state in reply[0].items()}
        reply[0].update((job, state) for job, (state, _, _) in told.items())
        if command.startswith("squeue"):
            reply[0].update(forgotten.failed(reply[0]))
        reasons = {job: reason for job, (state, _, reason) in told.items() if state == "PENDING"}
        if reasons and with_reasons == command:
            reasons = await _reasons(of_each_cluster, command, *question)
        waiting.tell(reasons)
        return reply

    return replied


def _known(ask: Callable[[], int | None]) -> Callable[[], float]:
    """The time for which squeue remembers a job; without a reply as long as the profile trusts it to."""

    def known() -> float:
        age_s = ask()
        return math.inf if age_s is None else age_s

    return known


def _all_of_the_run(cancel: Callable[..., None]) -> Callable[..., None]:
    """Cancels all jobs of the run by their name, which no other run has."""

    def cancel_all(executor: Any, active_jobs: list[Any]) -> None:
        _CANCELLED.set()  # nobody waits for a reply any more
        clusters = getattr(executor, "_submitted_job_clusters", ())  # not in each version of the executor
        for where in ([], *([f"--clusters={name}"] for name in clusters)):
            command = ["scancel", *where, "--me", f"--name={executor.run_uuid}"]
            with contextlib.suppress(OSError, subprocess.SubprocessError):
                subprocess.run(command, timeout=_CANCEL_S, check=False)
        cancel(executor, active_jobs)

    return cancel_all
