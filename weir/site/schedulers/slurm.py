"""Slurm: what a job requests and when it ends, whether it would be taken, and the nodes that it got.

What sbatch refuses, Snakemake submits again and again; what it takes and can never start (more nodes than the
partition has, a longer time than its limit) waits in the queue for ever, and Snakemake with it: so each is
checked before any is submitted. Slurm may give other nodes than were requested: it waits five minutes for
`--switches` (max_switch_wait) and then takes what there is; an allocation that somebody made by hand knows
nothing of the site's options.
"""

import math
import os
import re
import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from weir.base.errors import Problem, did_you_mean
from weir.site.schedulers import Answer, Request, Scheduler, alike, answer, ended, reply

# All jobs of one snakemake have its name: they wait in the queue together and run one at a time, since two
# batches at once would measure each other.
ONE_AFTER_THE_OTHER = "--dependency=singleton"
# A job that Slurm starts again must not wipe out the log of the first time.
KEEP_THE_LOG = "--open-mode=append"

# Options of sbatch that the executor has a resource for, and refuses in slurm_extra.
RESOURCE_OF_OPTION = {
    "--account": "slurm_account",
    "-A": "slurm_account",
    "--partition": "slurm_partition",
    "-p": "slurm_partition",
    "--qos": "qos",
    "-q": "qos",
    "--constraint": "constraint",
    "-C": "constraint",
    "--clusters": "clusters",
    "-M": "clusters",
}
# Refused in slurm_extra, too, and their resources lack what a site needs: --mem=0 (all memory of a node), or
# --gres of two kinds. The executor checks the text before the shell drops the quotes.
_UNDER_QUOTES = ("--gpus", "--gres", "--mem", "--mem-per-cpu")


def minutes_of(request: Request) -> int:
    return math.ceil(request.time_s / 60)


def named_options(options: Sequence[str]) -> dict[str, Any]:
    """Options of sbatch as resources; what the executor has no name for goes to slurm_extra."""
    found: dict[str, Any] = {}
    others: list[str] = []
    rest = iter(options)
    for each in rest:
        option, sign, value = _parts(each)
        name = RESOURCE_OF_OPTION.get(option)
        if name is None and option not in _UNDER_QUOTES:
            is_option = each.startswith("-")
            others.append(f"{option}{sign}{_quoted(value)}" if is_option else _quoted(each))
            continue
        given = value if sign or value else next(rest, "")
        if name is None:
            others.append(f"'{option}'={_quoted(given)}")
        else:
            found[name] = given
    if others:
        found["slurm_extra"] = " ".join(others)
    return found


def _parts(word: str) -> tuple[str, str, str]:
    """Name, sign and value of an option; the value of a short one may stand behind it, as in -pdebug."""
    return (word[:2], "", word[2:]) if re.match("-[A-Za-z].", word) else word.partition("=")


def _quoted(value: str) -> str:
    """The value for the shell, in which the executor finds no option: it refuses --reservation=io-June for
    the -J within."""
    return shlex.quote(value).replace("-", "'-'") if value else ""


def allocation_end(environment: Mapping[str, str], ask: Callable[[Sequence[str]], str]) -> float | None:
    """Seconds since 1970; None outside of an allocation, or in one without an end."""
    job = environment.get("SLURM_JOB_ID")
    if job is None:
        return None
    known = environment.get("SLURM_JOB_END_TIME", "")  # since Slurm 23
    if known.isdigit():
        return float(known)
    standard = ["env", "SLURM_TIME_FORMAT=standard"]  # users have a format of their own
    return _seconds(ask([*standard, "squeue", "--noheader", f"--jobs={job}", "--format=%e"]).strip())


def _seconds(text: str) -> float | None:
    """squeue prints local time, or N/A and the like for a job without limit."""
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return None


_OWN = "`sacctmgr show assoc user=$USER format=account,partition,qos` lists yours"
# A part of sbatch's message, and what helps. Other refusals pass: nodes that are down or reserved.
_LASTING = {
    "invalid account": _OWN,
    "invalid qos": _OWN,
    "invalid feature": "`sinfo -o '%N %f'` lists the features of the nodes",
    "invalid node name": "`sinfo -N` lists the nodes",
    "unrecognized option": "sbatch gets these options as they are written",
    "invalid partition": "`sinfo -o %R` lists the partitions",
}
_UNITS_S = (1, 60, 3600)


def seconds(limit: str) -> float:
    """The seconds of a time limit in Slurm's notation: [days-]hours:minutes:seconds, or infinite."""
    days, _, clock = limit.rpartition("-")
    if not re.fullmatch(r"[\d:]+", clock):
        return math.inf
    parts = zip(_UNITS_S, reversed(clock.split(":")), strict=False)
    return 86400 * int(days or 0) + sum(unit * int(part) for unit, part in parts)


def _refusal(request: Request) -> str:
    """Slurm's message against the job; empty if it would take it."""
    size = [f"--nodes={request.nodes}", f"--time={minutes_of(request)}"]
    command = ["sbatch", "--test-only", *request.options, *size]
    code, text = reply([*command, f"--ntasks-per-node={request.cores_per_node}", "--wrap=true"])
    lines = [re.sub("^(sbatch: (error|fatal)|allocation failure): ", "", line) for line in text.splitlines()]
    return "; ".join(line for line in lines if line) if code else ""


def _lasting(refusal: str) -> list[Problem]:
    for part, hint in _LASTING.items():
        if part in refusal.lower():
            if requested := re.search(r"invalid partition specified: (\S+)", refusal):
                known = reply(["sinfo", "--noheader", "--format=%R"])[1].split()
                hint = did_you_mean(requested[1], known)
            message = f"sbatch refuses these options: {refusal}"
            return [Problem(message, key="scheduler_options", hint=hint)]
    return []


def _advice(refusal: str) -> str:
    if "node configuration" not in refusal.lower():
        return ""
    question = "sinfo -o '%P %D nodes, %T, %c cores, %f'"
    return f"\n    it waits until nodes are up that have these cores and features: {question}"


def _beyond(request: Request) -> list[Problem]:
    """Problems of a request beyond the size of the partition: sbatch takes such a job, and it waits for
    ever."""
    named = named_options(request.options)
    queue, clusters = named.get("slurm_partition"), named.get("clusters")
    if queue is None:
        return []
    question = ["sinfo", "--noheader", f"--partition={queue}", "--format=%l %D"]
    code, text = reply([*question, *([f"--clusters={clusters}"] if clusters else [])])
    rows = [row for line in text.splitlines() if len(row := line.split()) == 2 and row[1].isdigit()]
    if code or not rows:
        return []
    limit, there = max((row[0] for row in rows), key=seconds), max(int(row[1]) for row in rows)
    found, minutes = [], minutes_of(request)
    if request.nodes > there:
        text = f"a job of {request.nodes} nodes would wait for ever: Slurm's partition {queue} has {there}"
        found.append(Problem(text, key="nodes", hint=f"write at most {there}: larger cells are excluded"))
    if 60 * minutes > seconds(limit):
        text = f"a job of {minutes} min would wait for ever: the limit of Slurm's partition {queue}"
        text += f" is {limit}"
        hint = f"write at most {seconds(limit) / 60:.0f} min: batches are packed to it"
        found.append(Problem(text, key="time_limit", hint=hint))
    return found


AskText = Callable[[Sequence[str]], str]

_SHORT = {"-C": "--constraint", "-x": "--exclude"}
_REQUESTED = ("--switches", "--constraint", "--exclude", "--exclusive")


def placement(
    scheduler_options: Sequence[str], environment: Mapping[str, str], ask: AskText
) -> dict[str, Any] | None:
    """The placement for run.json: requested and found; None outside of a job of Slurm. A fact that Slurm does
    not report is null."""
    job = environment.get("SLURM_JOB_ID")
    if job is None:
        return None
    requested = options(scheduler_options)
    excluded = _names(requested["exclude"], ask) if requested["exclude"] else []
    nodes = _names(environment.get("SLURM_JOB_NODELIST", ""), ask)
    switches, features, constraint = _switches(nodes, ask), _features(nodes, ask), requested["constraint"]
    places = {}
    for node in nodes:
        known = features.get(node)
        fits = None if constraint is None or known is None else has_features(constraint, known)
        places[node] = {"switch": switches.get(node), "features": known, "fits": fits}
    return {
        "requested": requested | {"exclude": excluded},
        "alone": _alone(ask(["scontrol", "show", "job", job])),
        "groups": alike(places),
    }


def options(scheduler_options: Sequence[str]) -> dict[str, Any]:
    """The demands on the nodes in the options of sbatch."""
    given: dict[str, str] = {}
    rest = iter(scheduler_options)
    for option in rest:
        name, sign, value = _parts(option)
        name = _SHORT.get(name, name)
        if name in _REQUESTED:
            given[name] = value if sign or value or name == "--exclusive" else next(rest, "")
    switches = given.get("--switches", "").partition("@")[0]
    return {
        "switches": int(switches) if switches.isdigit() else None,
        "constraint": given.get("--constraint"),
        "exclude": given.get("--exclude"),
        "alone": given.get("--exclusive") == "",  # --exclusive=user lets one's own jobs in
    }


def has_features(constraint: str, features: Sequence[str]) -> bool | None:
    """Whether these features are what the constraint asks for; None if it has more than and, or."""
    if re.search(r"[][()*]", constraint) or ("|" in constraint and re.search("[&,]", constraint)):
        return None
    every = all if "|" not in constraint else any
    return every(name.strip() in features for name in re.split(r"[&,|]", constraint))


def _names(listed: str, ask: AskText) -> list[str]:
    return ask(["scontrol", "show", "hostnames", listed]).split() if listed else []


def _alone(job: str) -> bool | None:
    found = re.search(r"\bOverSubscribe=(\w+)", job)
    return found[1] in ("NO", "EXCLUSIVE") if found else None


def _switches(nodes: Sequence[str], ask: AskText) -> dict[str, str]:
    """The switch that each node is plugged into; empty where Slurm knows of no tree."""
    found: dict[str, str] = {}
    for switch, below in _leaves(ask(["scontrol", "show", "topology"])):
        if len(found) == len(nodes):
            break
        found |= dict.fromkeys(set(_names(below, ask)) & set(nodes), switch)
    return found


def _leaves(topology: str) -> Iterator[tuple[str, str]]:
    for line in topology.splitlines():
        facts = dict(word.split("=", 1) for word in line.split() if "=" in word)
        if facts.get("Level") == "0" and "Nodes" in facts and "SwitchName" in facts:
            yield facts["SwitchName"], facts["Nodes"]


def _features(nodes: Sequence[str], ask: AskText) -> dict[str, list[str]]:
    """Active features of each node."""
    lines = ask(["sinfo", "-h", "-N", "-n", ",".join(nodes), "-o", "%N|%b"]).splitlines() if nodes else []
    pairs = [line.split("|") for line in lines if line.count("|") == 1]
    return {node: [name for name in names.split(",") if name != "(null)"] for node, names in pairs}


class Slurm(Scheduler):
    name = "slurm"
    description = "Slurm 22.05 or later"
    options = "options of sbatch: --account, --partition, --qos, --constraint, --exclusive, --switches ..."
    queued = True
    command = "sbatch"
    job_variable = "SLURM_JOB_ID"

    def nodes(self, environment: Mapping[str, str]) -> int | None:
        count = environment.get("SLURM_JOB_NUM_NODES", "")
        return int(count) if count.isdigit() else None

    def node_list(self, environment: Mapping[str, str]) -> str | None:
        return environment.get("SLURM_JOB_NODELIST")

    def ends_at(self, environment: Mapping[str, str]) -> float | None:
        return allocation_end(environment, answer)

    def placement(self, options: Sequence[str], environment: Mapping[str, str]) -> dict[str, Any] | None:
        return placement(options, environment, answer)

    def is_alive(self, job: str) -> bool | None:
        """squeue knows running jobs; of one that it has forgotten it prints that the id is invalid, and
        nothing of one that a variable of the user hides."""
        code, text = reply(["squeue", "--noheader", f"--jobs={job}", "--states=all", "--format=%T"])
        if code:
            return False if "invalid job id" in text.lower() else None
        if not text.split():
            return None
        return any(state in ("RUNNING", "COMPLETING", "SUSPENDED", "STOPPED") for state in text.split())

    def judge(self, request: Request) -> Answer:
        """The reply of sbatch and sinfo to a job of this size."""
        refusal = _refusal(request)
        problems = [*_beyond(request), *_lasting(refusal)]
        note = ""
        if refusal and not problems:
            note = f"sbatch reports for a job of {request.nodes} nodes: {refusal}{_advice(refusal)}"
        return Answer(problems, note)

    def resources(self, request: Request) -> dict[str, Any]:
        """Whole nodes for a batch. `mpi` keeps the executor from wrapping the job in an srun, which would
        leave the batch one core."""
        found = named_options([*request.options, ONE_AFTER_THE_OTHER, KEEP_THE_LOG])
        found |= {"nodes": request.nodes, "runtime": minutes_of(request)}
        if request.cores_per_node > 1:
            found |= {"mpi": request.launcher, "tasks_per_node": request.cores_per_node}
        return found

    def excluding(self, nodes: Sequence[str]) -> str:
        return f"add --exclude={','.join(nodes)} to scheduler_options in site.yaml"

    def reframe_backend(self) -> str:
        return "slurm" if _remembers_jobs() else "squeue"  # ReFrame's slurm needs the accounting database

    def reframe_access(self, options: Sequence[str]) -> list[str]:
        """ReFrame writes a line of the script for each."""
        lines: list[str] = []
        for each in options:
            if each.startswith("-") or not lines:
                lines.append(each)
            else:
                lines[-1] += f" {shlex.quote(each)}"
        return lines

    def cancel(self, name: str) -> None:
        if shutil.which("scancel"):
            answer(["scancel", f"--user={os.geteuid()}", f"--name={name}"])

    def reframe_options(self, name: str) -> list[str]:
        # Nobody waits for a job that Slurm starts again after a failed node.
        return ["#SBATCH --no-requeue", *([f"#SBATCH --job-name={name}"] if name else [])]


@cache
def _remembers_jobs() -> bool:
    """Whether sacct answers: without slurmdbd it is installed, too, and fails."""
    return ended(["sacct", "--noheader", "--starttime=now"]).returncode == 0


SCHEDULER = Slurm()
