"""LSF, by bsub, bjobs and bkill. Never run: written from IBM's documentation and the output that it shows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from weir.site.schedulers.base import ENDED, RUNNING, WAITING, JobFiles, JobState, Request, Scheduler, alike
from weir.site.schedulers.commands import answer, reply

_PHASES = {"PEND": WAITING, "PSUSP": WAITING, "WAIT": WAITING, "PROV": WAITING, "DONE": ENDED, "EXIT": ENDED}
_REASONS = {
    "TERM_RUNLIMIT": "its time was over",
    "TERM_OWNER": "it was cancelled",
    "TERM_ADMIN": "an administrator ended it",
    "TERM_PREEMPT": "it was preempted",
    "TERM_MEMLIMIT": "it exceeded its memory",
    "TERM_PRE_EXEC_FAIL": "a prologue failed",
}
_FORMAT = "stat exit_code exit_reason pend_reason delimiter='|'"


class Lsf(Scheduler):
    name = "lsf"
    description = "LSF (never run)"
    options = "options of bsub: -q QUEUE, -P PROJECT, -R REQUIREMENT, -x"
    queued = True
    command = "bsub"
    job_variable = "LSB_JOBID"

    def hosts(self, environment: Mapping[str, str]) -> list[str]:
        """LSB_MCPU_HOSTS: host and number of its slots, in turns."""
        return environment.get("LSB_MCPU_HOSTS", "").split()[::2]

    def placement(self, options: Sequence[str], environment: Mapping[str, str]) -> dict[str, Any] | None:
        if self.job(environment) is None:
            return None
        place = {"switch": None, "features": None, "fits": None}
        nothing: dict[str, Any] = {"switches": None, "constraint": None, "exclude": []}
        return {
            "requested": {**nothing, "alone": "-x" in options},
            "alone": None,
            "groups": alike(dict.fromkeys(self.hosts(environment), place)),
        }

    def submission(self, request: Request, files: JobFiles) -> list[str]:
        cores = request.cores_per_node
        minutes = -(-round(request.time_s) // 60)
        return [
            *("bsub", "-J", files.name, "-o", f"{files.log}.queue", "-W", str(minutes)),
            *(
                "-n",
                str(request.nodes * cores),
                "-R",
                f"span[ptile={cores}]",
                *request.options,
                str(files.script),
            ),
        ]

    def submitted(self, printed: str) -> str:
        """Job <1234> is submitted to queue <normal>."""
        found = re.search(r"Job <(\d+)> is submitted", printed)
        return found[1] if found else ""

    def state(self, job: str) -> JobState | None:
        code, text = reply(["bjobs", "-noheader", "-o", _FORMAT, job])
        if code:
            return JobState(ENDED) if "is not found" in text else None
        return state_of(text)

    def cancel_job(self, job: str) -> None:
        answer(["bkill", job])

    def cancel(self, name: str) -> None:
        answer(["bkill", "-J", name, "0"])


def state_of(line: str) -> JobState | None:
    """Reads a line of bjobs -noheader -o with the fields of _FORMAT; a field without a value is a dash."""
    fields = [None if field.strip() == "-" else field.strip() for field in line.strip().split("|")]
    if len(fields) != 4 or not fields[0]:
        return None
    stat, code, ended, pending = fields
    phase = _PHASES.get(stat or "", RUNNING)
    if phase != ENDED:
        return JobState(phase, pending or "" if phase == WAITING else "")
    word = re.match(r"\w+", ended or "")
    reason = _REASONS.get(word[0], ended or "") if word else ""
    return JobState(ENDED, reason, 0 if stat == "DONE" else int(code or 1))


SCHEDULER = Lsf()
