"""Fujitsu's job operation software (Fugaku and relatives), by pjsub, pjstat and pjdel.

Never run: written from the user guide of Fugaku and the output that it shows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from weir.site.schedulers.base import ENDED, RUNNING, WAITING, JobFiles, JobState, Request, Scheduler, clock
from weir.site.schedulers.commands import answer, reply

_PHASES = {
    "ACC": WAITING,
    "QUE": WAITING,
    "HLD": WAITING,
    "RJT": ENDED,
    "EXT": ENDED,
    "CCL": ENDED,
    "ERR": ENDED,
}
_REASONS = {
    "RJT": "it was rejected",
    "CCL": "it was cancelled",
    "ERR": "it ended with an error of the batch system",
}


class Pjm(Scheduler):
    name = "pjm"
    description = "Fujitsu's job operation software (never run)"
    options = (
        "options of pjsub: -L rscgrp=GROUP, -g PROJECT, -x PJM_LLIO_GFSCACHE=..., --mpi max-proc-per-node=N"
    )
    queued = True
    command = "pjsub"
    job_variable = "PJM_JOBID"

    def nodes(self, environment: Mapping[str, str]) -> int | None:
        count = environment.get("PJM_NODE", "")
        return int(count) if count.isdigit() else None

    def submission(self, request: Request, files: JobFiles) -> list[str]:
        return [
            *("pjsub", "-X", "-N", files.name, "-j", "-o", f"{files.log}.queue"),
            *("-L", f"node={request.nodes}", "-L", f"elapse={clock(request.time_s)}"),
            *(*request.options, str(files.script)),
        ]

    def submitted(self, printed: str) -> str:
        """[INFO] PJM 0000 pjsub Job 1234 submitted."""
        found = re.search(r"Job (\d+) submitted", printed)
        return found[1] if found else ""

    def state(self, job: str) -> JobState | None:
        for command in (["pjstat", job], ["pjstat", "-H", job]):  # -H: of jobs that have ended
            code, text = reply(command)
            if code:
                return None
            if found := state_of(job, text):
                return found
        return JobState(ENDED)

    def cancel_job(self, job: str) -> None:
        answer(["pjdel", job])


def state_of(job: str, table: str) -> JobState | None:
    """The fourth column of pjstat; None if it does not list the job."""
    for line in table.splitlines():
        fields = line.split()
        if len(fields) > 3 and fields[0] == job:
            return JobState(_PHASES.get(fields[3], RUNNING), _REASONS.get(fields[3], ""))
    return None


SCHEDULER = Pjm()
