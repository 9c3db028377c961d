"""OAR, by oarsub, oarstat, oardel and oarnodes."""

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from weir.base.errors import Problem
from weir.site.schedulers import (
    ENDED,
    RUNNING,
    STUCK,
    WAITING,
    Answer,
    JobFiles,
    JobState,
    Request,
    Scheduler,
    answer,
    clock,
    json_behind_messages,
    open_mpi,
    placed,
    reply,
    values_of,
)

_PHASES = {"Waiting": WAITING, "toLaunch": WAITING, "toAckReservation": WAITING, "Hold": WAITING}
_PHASES |= {"Terminated": ENDED, "Error": ENDED, "toError": STUCK}
# Events of a job that has ended; the first that it has is the reason.
_REASONS = {"WALLTIME": "its time was over", "FRAG_JOB_REQUEST": "it was cancelled"}
_AGAIN = "RESUBMIT_JOB_AUTOMATICALLY"
_USUAL = {"SWITCH_INTO_TERMINATE_STATE", "SWITCH_INTO_ERROR_STATE", "SEND_KILL_JOB", _AGAIN}
_BY_SIGNAL = 128
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")  # at any other sh ends
# Variables of the shell that submits, of which a node has its own.
_OF_THE_SHELL = re.compile(r"BASH_FUNC.*|_|PWD|OLDPWD|SHLVL|HOSTNAME|SSH_.*|DISPLAY|XAUTHORITY|OAR.*")


class Oar(Scheduler):
    name = "oar"
    description = "OAR"
    options = "options of oarsub: -q QUEUE, --project=PROJECT, -p PROPERTIES"
    queued = True
    command = "oarsub"
    job_variable = "OAR_JOB_ID"
    nodefile_variable = "OAR_NODEFILE"

    def ends_at(self, environment: Mapping[str, str]) -> float | None:
        facts = facts_of(answer(_asking(environment["OAR_JOB_ID"])))
        began, limit = facts.get("startTime"), facts.get("walltime")
        return float(began) + float(limit) if began and limit else None

    def mpi(self, environment: Mapping[str, str]) -> dict[str, str]:
        """The variables for an MPI that was built without OAR: its daemons start by OAR's own remote
        shell."""
        if "OAR_NODEFILE" not in environment:
            return {}
        return {
            **open_mpi(environment["OAR_NODEFILE"], "oarsh"),
            "HYDRA_HOST_FILE": environment["OAR_NODEFILE"],
            "HYDRA_LAUNCHER": "ssh",
            "HYDRA_LAUNCHER_EXEC": "oarsh",
        }

    def placement(self, options: Sequence[str], environment: Mapping[str, str]) -> dict[str, Any] | None:
        return placement(options, self.hosts(environment))

    def judge(self, request: Request) -> Answer:
        """Each further -l is another shape of the job, of which OAR takes one."""
        if not [*values_of(request.options, "-l", "--resource")]:
            return Answer()
        hint = "write the properties of the nodes with -p; weir requests their number and the time"
        text = "a second -l makes the job moldable: OAR would choose between it and the request of weir"
        return Answer((Problem(text, key="scheduler_options", hint=hint),))

    def submission(self, request: Request, files: JobFiles) -> list[str]:
        """OAR passes on no variable: the command reads them from a file that only its user may read, once.
        The user's login shell starts it, which may be csh."""
        variables = files.script.with_name(f"{files.script.name}.environment")
        variables.touch(mode=0o600)
        variables.write_text(exports(os.environ), encoding="utf-8", errors="surrogateescape")
        read = shlex.quote(str(variables))
        lines = f". {read} && rm {read} && exec {shlex.quote(str(files.script))}"
        command = shlex.join(["/bin/sh", "-c", lines])
        return [
            *("oarsub", "-n", files.name, "-O", f"{files.log}.queue", "-E", f"{files.log}.queue"),
            *("-l", f"nodes={request.nodes},walltime={clock(request.time_s)}", *request.options, command),
        ]

    def submitted(self, printed: str) -> str:
        """OAR_JOB_ID=12, among lines of its admission rules."""
        found = re.search(r"^OAR_JOB_ID=(\d+)$", printed, re.MULTILINE)
        return found[1] if found else ""

    def state(self, job: str) -> JobState | None:
        code, text = reply(_asking(job))
        if facts := facts_of(text):
            again = submitted_again(facts)
            return self._state_of_another(again, facts) if again else state_of(facts)
        return None if code or "DB connection error" in text else JobState(ENDED)

    def _state_of_another(self, job: str, facts: Mapping[str, Any]) -> JobState | None:
        state = self.state(job)
        if state is None or state.phase == ENDED:
            return state
        return JobState(state.phase, f"after {_end(facts)} OAR has submitted it again, as job {job}")

    def cancel_job(self, job: str) -> None:
        again = submitted_again(facts_of(answer(_asking(job))))
        if again:
            self.cancel_job(again)
        else:
            answer(["oardel", job])

    def cancel(self, name: str) -> None:
        quoted = name.replace("'", "''")
        where = f"job_name = '{quoted}' AND state NOT IN ('Terminated', 'Error')"
        for job in json_behind_messages(answer(["oarstat", "-J", "--sql", where])):
            self.cancel_job(job)


def _asking(job: str) -> list[str]:
    return ["oarstat", "-f", "-J", "-j", job]


def facts_of(text: str) -> dict[str, Any]:
    """The facts of the only job, from `oarstat -J`, which has jobs by their ids."""
    return next(iter(json_behind_messages(text).values()), {})


def submitted_again(facts: Mapping[str, Any]) -> str:
    """The job that OAR has submitted in place of one whose prologue failed, or whose nodes did not answer."""
    told = (str(each.get("description")) for each in facts.get("events") or [] if each.get("type") == _AGAIN)
    found = re.search(r"=> (\d+)", next(told, ""))
    return found[1] if found else ""


def exports(variables: Mapping[str, str]) -> str:
    """OAR's own BASH_ENV has each shell of a job read ~/.bashrc."""
    kept = [name for name in sorted(variables) if _NAME.fullmatch(name) and not _OF_THE_SHELL.fullmatch(name)]
    return "unset BASH_ENV\n" + "".join(f"export {name}={shlex.quote(variables[name])}\n" for name in kept)


def state_of(facts: Mapping[str, Any]) -> JobState:
    """The state from what oarstat reports of a job; it has a time for its start as soon as it can be
    scheduled."""
    phase = _PHASES.get(str(facts.get("state")), RUNNING)
    if phase == WAITING:
        return JobState(phase, "" if facts.get("scheduledStart") else "OAR plans no start for it")
    if phase != ENDED:
        return JobState(phase, str(facts.get("message") or "") if phase == STUCK else "")
    return JobState(ENDED, _end(facts), _code(facts))


def _code(facts: Mapping[str, Any]) -> int | None:
    """OAR keeps what wait() returned."""
    status = facts.get("exit_code")
    if status is None:
        return None
    signal = int(status) & 127
    return _BY_SIGNAL + signal if signal else int(status) >> 8


def _end(facts: Mapping[str, Any]) -> str:
    events = [str(each.get("type")) for each in facts.get("events") or []]
    known = [text for name, text in _REASONS.items() if name in events]
    return known[0] if known else ", ".join(dict.fromkeys(each for each in events if each not in _USUAL))


def placement(options: Sequence[str], hosts: Sequence[str]) -> dict[str, Any]:
    """OAR gives no other nodes than -p asks for, and whole ones, unless the type timesharing shares them."""
    wanted = [*values_of(options, "-p", "--property")]
    shared = any(value.startswith("timesharing") for value in values_of(options, "-t", "--type"))
    place = {"switch": None, "features": None, "fits": True if wanted else None}
    places = dict.fromkeys(hosts, place)
    return placed(places, wanted[0] if wanted else None, not shared, None if shared else True)


SCHEDULER = Oar()
