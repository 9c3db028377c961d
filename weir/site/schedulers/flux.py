"""Flux, by flux batch, flux jobs, flux cancel and flux job; a job is an instance of Flux of its own."""

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from weir.base.processes import wall_s
from weir.site.schedulers import (
    ENDED,
    RUNNING,
    WAITING,
    JobFiles,
    JobState,
    Request,
    Scheduler,
    answer,
    json_behind_messages,
    placed,
    reply,
    values_of,
)

_JOB = "FLUX_ENCLOSING_ID"


class Flux(Scheduler):
    name = "flux"
    description = "Flux, as the batch system of a cluster"
    options = "options of flux batch: --queue=QUEUE, --bank=BANK, --requires=PROPERTY"
    queued = True
    command = "flux"

    def job(self, environment: Mapping[str, str]) -> str | None:
        return _plain(environment[_JOB]) if _JOB in environment else None

    def nodes(self, environment: Mapping[str, str]) -> int | None:
        size = answer(["flux", "getattr", "size"]).strip() if _JOB in environment else ""
        return int(size) if size.isdigit() else None

    def node_list(self, environment: Mapping[str, str]) -> str | None:
        return answer(["flux", "getattr", "hostlist"]).strip() or None

    def ends_at(self, environment: Mapping[str, str]) -> float | None:
        left = answer(["flux", "job", "timeleft"]).strip()
        return wall_s() + int(left) if left.isdigit() and int(left) else None

    def placement(self, options: Sequence[str], environment: Mapping[str, str]) -> dict[str, Any] | None:
        job = _plain(environment[_JOB])
        names = answer(["flux", "hostlist", "--expand", "--delimiter=,", "local"]).strip()
        return placement(options, names, answer([*_outer(), "job", "info", job, "jobspec"]))

    def submission(self, request: Request, files: JobFiles) -> list[str]:
        return [
            *(
                "flux",
                "batch",
                f"--nodes={request.nodes}",
                "--exclusive",
                f"--time-limit={round(request.time_s)}s",
            ),
            *(f"--job-name={files.name}", f"--output={files.log}.queue", *request.options, str(files.script)),
        ]

    def submitted(self, printed: str) -> str:
        return _plain(super().submitted(printed))

    def state(self, job: str) -> JobState | None:
        code, text = reply([*_outer(), "jobs", "--json", job])
        if re.search(r"JobID \S+ unknown", text):
            return JobState(ENDED)
        if code:
            return None
        state = state_of(text)
        if state and state.phase == WAITING and not state.reason:
            queue = str(json_behind_messages(text).get("queue") or "")
            return JobState(WAITING, stopped(answer([*_outer(), "queue", "status"]), queue))
        return state

    def cancel_job(self, job: str) -> None:
        answer([*_outer(), "cancel", job])

    def cancel(self, name: str) -> None:
        for job in answer(
            ["flux", "jobs", "--no-header", "--format={id.f58plain}", f"--name={name}"]
        ).split():
            self.cancel_job(job)


def state_of(text: str) -> JobState | None:
    """Reads `flux jobs --json` of one job."""
    facts = json_behind_messages(text)
    if not facts:
        return None
    state, exception = facts.get("state"), facts.get("exception") or {}
    if state != "INACTIVE":
        if state in ("RUN", "CLEANUP"):
            return JobState(RUNNING)
        pending = (facts.get("annotations") or {}).get("sched") or {}
        return JobState(WAITING, str(pending.get("reason_pending") or ""))
    code = facts.get("returncode")
    note = str(exception.get("note") or "")
    if facts.get("result") == "TIMEOUT":
        return JobState(ENDED, f"its time of {facts.get('duration', 0):.0f} s was over", code)
    if facts.get("result") == "CANCELED":
        return JobState(ENDED, f"it was cancelled{f' ({note})' if note else ''}", code)
    if exception.get("occurred"):
        return JobState(ENDED, f"{exception.get('type')}: {note}", code)
    return JobState(ENDED, "", code)


def stopped(status: str, queue: str) -> str:
    """The reason of a stopped queue in `flux queue status`, which names each queue where there are
    several."""
    own = (line.removeprefix(f"{queue}: ") for line in status.splitlines())
    return next((line for line in own if line.startswith("Scheduling is stopped")), "")


def placement(options: Sequence[str], names: str, jobspec: str) -> dict[str, Any]:
    """Flux gives no other nodes than those that --requires asks for, or none."""
    wanted = [*values_of(options, "--requires")]
    place = {"switch": None, "features": None, "fits": True if wanted else None}
    places = {name: place for name in names.split(",") if name}
    alone = bool(re.search(r'"exclusive": *true', jobspec)) if jobspec else None
    return placed(places, wanted[0] if wanted else None, True, alone)


def _outer() -> list[str]:
    """A job is an instance of its own, which does not know the other jobs of the cluster."""
    return ["flux", "--parent"] if _JOB in os.environ else ["flux"]


def _plain(job: str) -> str:
    """The id in ASCII, since some logs and file systems have nothing else."""
    return job.replace("\N{LATIN SMALL LETTER F WITH HOOK}", "f")


SCHEDULER = Flux()
