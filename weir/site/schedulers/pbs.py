"""PBS (OpenPBS, PBS Professional), by qsub, qstat, qdel, qselect and pbsnodes."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from weir.base.errors import Problem, did_you_mean
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
    open_mpi,
    placed,
    reply,
    requested_ones,
    seconds,
    values_of,
)

_PHASES = {**dict.fromkeys("RESUB", RUNNING), **dict.fromkeys("FXM", ENDED)}  # by the letter of the state
# Below zero: exit codes of jobs that their script has not ended (JOB_EXEC_* of PBS).
_BELOW_ZERO = {-1: "it could not be started", -2: "it could not be started, or a prologue failed"}
_BY_SIGNAL = 256
_REMOTE_SHELL = str(Path(__file__).with_name("pbs_rsh"))
_OWN_CHUNK, _OWN_LIMIT = ("ncpus", "mpiprocs", "ompthreads"), "walltime"
_NEXT_RESOURCE = re.compile(r",(?=[A-Za-z][\w.-]*=)")  # a value may be a list, too


class Pbs(Scheduler):
    name = "pbs"
    description = "OpenPBS or PBS Professional"
    options = "of qsub: -q QUEUE, -A ACCOUNT, -l place=..., -l select=1:RESOURCE=VALUE (nodes that have it)"
    queued = True
    command = "qsub"
    job_variable = "PBS_JOBID"
    nodefile_variable = "PBS_NODEFILE"

    def ends_at(self, environment: Mapping[str, str]) -> float | None:
        facts = facts_of(answer(["qstat", "-f", "-w", environment["PBS_JOBID"]]))
        limit, began = facts.get("Resource_List.walltime"), facts.get("stime")
        if not limit or not began:
            return None
        return datetime.strptime(began, "%a %b %d %H:%M:%S %Y").timestamp() + seconds(limit)

    def mpi(self, environment: Mapping[str, str]) -> dict[str, str]:
        """The variables for an MPI that was built without PBS; the daemons on other nodes belong to the job.

        PBS ends a task whose first program puts itself into the background, as Open MPI's daemon does.
        """
        if "PBS_NODEFILE" not in environment:
            return {}
        return {
            **open_mpi(environment["PBS_NODEFILE"], _REMOTE_SHELL),
            "OMPI_MCA_plm_rsh_no_tree_spawn": "1",
            "OMPI_MCA_orte_leave_session_attached": "1",
            "PRTE_MCA_plm_ssh_no_tree_spawn": "1",
            "HYDRA_LAUNCHER": "rsh",
            "HYDRA_LAUNCHER_EXEC": _REMOTE_SHELL,
        }

    def placement(self, options: Sequence[str], environment: Mapping[str, str]) -> dict[str, Any] | None:
        facts = facts_of(answer(["qstat", "-f", "-w", environment["PBS_JOBID"]]))
        return placement(options, facts, answer(["pbsnodes", "-a", "-F", "json"]))

    def judge(self, request: Request) -> Answer:
        return judged(request, answer(["qstat", "-Q", "-f", "-w"]), answer(["pbsnodes", "-a", "-F", "json"]))

    def submission(self, request: Request, files: JobFiles) -> list[str]:
        chunk, place, others = _sorted_options(request.options)
        cores, name = request.cores_per_node, re.sub(r"[^\w.-]", "_", files.name)
        own = [f"{request.nodes}:ncpus={cores}:mpiprocs={cores}", *chunk]
        return [
            *("qsub", "-V", "-N", name, "-j", "oe", "-o", f"{files.log}.queue"),
            *("-l", f"select={':'.join(own)}", "-l", f"place={place or 'scatter:excl'}"),
            *("-l", f"walltime={clock(request.time_s)}", *others, str(files.script)),
        ]

    def state(self, job: str) -> JobState | None:
        text = ""
        for history in (["-x"], []):  # without a history it knows only jobs that have not ended
            _, text = reply(["qstat", *history, "-f", "-w", job])
            if facts := facts_of(text):
                state = state_of(facts)
                return JobState(RUNNING, _silent(facts)) if state.phase == RUNNING else state
        return JobState(ENDED) if re.search(r"Unknown Job Id|has finished", text) else None

    def cancel_job(self, job: str) -> None:
        known = self.state(job)
        forced = ["-W", "force"] if known and known.phase == STUCK else []
        answer(["qdel", *forced, job])

    def cancel(self, name: str) -> None:
        for job in answer(["qselect", "-N", name]).split():
            self.cancel_job(job)


def state_of(facts: Mapping[str, str]) -> JobState:
    """The state from what qstat reports of a job."""
    letter, comment = facts.get("job_state", ""), facts.get("comment", "")
    phase = _PHASES.get(letter, WAITING)
    if letter == "H" and facts.get("Hold_Types", "n") not in ("n", "u"):  # the user's own hold is wanted
        return JobState(STUCK, comment or f"held ({facts['Hold_Types']})")
    if phase != ENDED:
        return JobState(phase, comment if phase == WAITING else "")
    text = facts.get("Exit_status", "")
    code = int(text) if re.fullmatch(r"-?\d+", text) else None
    reason = _end_of_comment(comment, facts.get("Resource_List.walltime", ""))
    if not reason and code is not None and code < 0:
        reason = _BELOW_ZERO.get(code, f"PBS ended it with its code {code}")
    if not reason and code is not None and code > _BY_SIGNAL:
        reason = f"signal {code - _BY_SIGNAL} ended it"
    return JobState(ENDED, reason, code)


def _end_of_comment(comment: str, limit: str) -> str:
    """The exit code of a cancelled job may be 0: only its comment tells."""
    if found := re.search(r" and terminated(?: by (\S+))?$", comment):
        return f"it was cancelled by {found[1]}" if found[1] else "it was taken out of the queue"
    if found := re.search(r" and exceeded resource (\w+)$", comment):
        return f"its time of {limit} was over" if found[1] == "walltime" else f"it exceeded its {found[1]}"
    return ""


def placement(options: Sequence[str], facts: Mapping[str, str], nodes: str) -> dict[str, Any]:
    """The placement of a job, from what qstat and pbsnodes report."""
    chunk, place, _ = _sorted_options(options)
    groups = [word.partition("=")[2] for word in (place or "").split(":") if word.startswith("group=")]
    group = groups[0] if groups else ""
    known = _nodes(nodes)
    received = facts.get("Resource_List.place", "")
    places: dict[str, dict[str, Any]] = {}
    for name in _names(facts):
        has = known.get(name, {}).get("resources_available")
        if has is None:
            places[name] = {"switch": None, "features": None, "fits": None}
            continue
        resources = {key: str(value) for key, value in has.items()}
        places[name] = {
            "switch": resources.get(group) if group else None,
            "features": requested_ones([f"{key}={value}" for key, value in resources.items()], chunk),
            "fits": all(_has(each, resources) for each in chunk) if chunk else None,
        }
    wants_alone, alone = "excl" in (place or "scatter:excl"), "excl" in received if received else None
    return placed(places, ":".join(chunk) or None, wants_alone, alone, 1 if group else None)


def judged(request: Request, queues: str, nodes: str) -> Answer:
    """Whether a queue of this name would ever start a job of this size."""
    known = {
        match[1]: facts_of(match[0])
        for match in re.finditer(r"^Queue: (\S+)\n(?:.+\n?)*", queues, re.MULTILINE)
    }
    queue = next(values_of(request.options, "-q"), "")
    problems = []
    if any(name == "select" and "+" in value for name, value in _resources(request.options)):
        hint = "write one, -l select=1:RESOURCE=VALUE: a batch has nodes that are alike"
        problems.append(Problem("a select of several chunks", key="scheduler_options", hint=hint))
    if queue and known and queue.partition("@")[0] not in known:
        hint = did_you_mean(queue, known)
        problems.append(Problem(f"PBS has no queue '{queue}'", key="scheduler_options", hint=hint))
    facts = known.get(queue, {})
    limit = facts.get("resources_max.walltime")
    if limit and request.time_s > seconds(limit):
        text = f"a job of {clock(request.time_s)} is refused: the limit of queue {queue} is {limit}"
        hint = f"write at most {seconds(limit) / 60:.0f} min: batches are packed to it"
        problems.append(Problem(text, key="time_limit", hint=hint))
    cores = _cores(_nodes(nodes))
    large = [count for count in cores if count >= request.cores_per_node]
    if large and request.nodes > len(large):
        there = f"PBS has {len(large)} with {request.cores_per_node} cores"
        text = f"a job of {request.nodes} nodes would wait for ever: {there}"
        hint = f"write at most {len(large)}: larger cells are excluded"
        problems.append(Problem(text, key="nodes", hint=hint))
    if cores and not large:
        text = f"no node of PBS has {request.cores_per_node} cores"
        problems.append(Problem(text, key="cores_per_node", hint="pbsnodes -a tells ncpus of each node"))
    stopped = [word for word in ("enabled", "started") if facts.get(word) == "False"]
    return Answer(problems, f"queue {queue} of PBS is not {' and not '.join(stopped)}" if stopped else "")


def facts_of(text: str) -> dict[str, str]:
    return dict(re.findall(r"^\s+(\S+) = (.*)$", text, re.MULTILINE))


def _nodes(text: str) -> dict[str, dict[str, Any]]:
    try:
        found: dict[str, dict[str, Any]] = json.loads(text)["nodes"]
    except (ValueError, KeyError, TypeError):
        return {}
    return found


def _cores(nodes: Mapping[str, Mapping[str, Any]]) -> list[int]:
    """The cores of each host; a host may be several nodes of PBS, such as one for each socket."""
    cores: dict[str, int] = {}
    for name, node in nodes.items():
        resources = node.get("resources_available", {})
        host = str(resources.get("host", name))
        cores[host] = cores.get(host, 0) + int(resources.get("ncpus", 0))
    return [*cores.values()]


def _names(facts: Mapping[str, str]) -> list[str]:
    """The nodes of a job."""
    return sorted(set(re.findall(r"\(([^:()]+):", facts.get("exec_vnode", ""))))


def _silent(facts: Mapping[str, str]) -> str:
    """The reply of pbsnodes about silent nodes of a job, which qstat lacks."""
    names = _names(facts)
    known = _nodes(answer(["pbsnodes", "-F", "json", *names])) if names else {}
    down = [name for name in names if "down" in str(known.get(name, {}).get("state", "")).split(",")]
    return f"{', '.join(down)} does not answer" if down else ""


def _resources(options: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Name and value of each resource of -l, which takes a list of them."""
    for value in values_of(options, "-l"):
        for each in _NEXT_RESOURCE.split(value):
            name, _, wanted = each.partition("=")
            yield name, wanted


def _others(options: Sequence[str]) -> Iterator[str]:
    rest = iter(options)
    for option in rest:
        if option == "-l":
            next(rest, "")
        elif not option.startswith("-l"):
            yield option


def _sorted_options(options: Sequence[str]) -> tuple[list[str], str | None, list[str]]:
    """Resources of a chunk, the placement, and what qsub gets as it is."""
    chunk: list[str] = []
    place: str | None = None
    others = [*_others(options)]
    for name, value in _resources(options):
        if name == "select":
            parts = re.sub(r"^\d+(:|$)", "", value.partition("+")[0]).split(":")
            chunk += [word for word in parts if word and word.partition("=")[0] not in _OWN_CHUNK]
        elif name == "place":
            place = value
        elif name != _OWN_LIMIT:
            others += ["-l", f"{name}={value}" if value else name]
    return chunk, place, others


def _has(wanted: str, resources: Mapping[str, str]) -> bool:
    key, _, value = wanted.partition("=")
    return value in resources.get(key, "").split(",")


SCHEDULER = Pbs()
