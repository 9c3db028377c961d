"""Snakemake's executor for Slurm while slurmctld does not answer.

It then forgets the jobs whose state it could not learn, and the workflow waits for ever; and it uses sacct in
place of squeue, against the profile, also where there is no accounting. And it cancels no job that it asks
Slurm about at that moment, or that sbatch just submits. All that is corrected here.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

_PLUG_IN = "snakemake_executor_plugin_slurm"
_PAUSE_S = 10.0
_NO_REPLY = (None, None)
_CANCEL_S = 60.0  # a busy slurmctld may take half a minute
_CANCELLED = threading.Event()


def wait_for_replies(pause_s: float = _PAUSE_S) -> None:
    """From now on a question is repeated until there is a reply; nothing happens without the plug-in."""
    plug_in: Any = sys.modules.get(_PLUG_IN)
    if plug_in is None:
        return
    plug_in.query_job_status = _patient(plug_in.query_job_status, pause_s)
    plug_in.get_min_job_age = _known(plug_in.get_min_job_age)
    plug_in.Executor.cancel_jobs = _all_of_the_run(plug_in.Executor.cancel_jobs)


def _patient(ask: Callable[..., Any], pause_s: float) -> Callable[..., Any]:
    async def replied(*question: Any, **options: Any) -> Any:
        is_reported = False
        while (reply := await ask(*question, **options)) == _NO_REPLY and not _CANCELLED.is_set():
            if not is_reported:
                print("weir: Slurm does not tell the state of the jobs; asking again", file=sys.stderr)
                is_reported = True
            await asyncio.sleep(pause_s)
        return reply

    return replied


def _known(ask: Callable[[], int | None]) -> Callable[[], float]:
    """How long squeue remembers; without a reply as long as the profile trusts it to."""

    def known() -> float:
        age_s = ask()
        return math.inf if age_s is None else age_s

    return known


def _all_of_the_run(cancel: Callable[..., None]) -> Callable[..., None]:
    """Its jobs have one name, which no other run has."""

    def cancel_all(executor: Any, active_jobs: list[Any]) -> None:
        _CANCELLED.set()  # nobody waits for a reply any more
        command = ["scancel", "--me", f"--name={executor.run_uuid}"]
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            subprocess.run(command, timeout=_CANCEL_S, check=False)
        cancel(executor, active_jobs)

    return cancel_all
