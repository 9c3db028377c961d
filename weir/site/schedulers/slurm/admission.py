"""Whether Slurm would take a job, checked before any is submitted.

What sbatch refuses, Snakemake submits again and again; what it takes and can never start (more nodes than the
partition has, a longer time than its limit) waits in the queue for ever, and Snakemake with it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

from weir.base.errors import Problem, did_you_mean
from weir.site.schedulers.base import Answer, Request
from weir.site.schedulers.slurm.allocation import minutes_of, named_options

Reply = tuple[int, str]  # exit code; what was printed
Ask = Callable[[Sequence[str]], Reply]

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


def judged(request: Request, ask: Ask) -> Answer:
    """The reply of sbatch and sinfo to a job of this size."""
    refusal = _refusal(request, ask)
    problems = [*_beyond(request, ask), *_lasting(refusal, ask)]
    note = ""
    if refusal and not problems:
        note = f"sbatch reports for a job of {request.nodes} nodes: {refusal}{_advice(refusal)}"
    return Answer(problems, note)


def seconds(limit: str) -> float:
    """The seconds of a time limit in Slurm's notation: [days-]hours:minutes:seconds, or infinite."""
    days, _, clock = limit.rpartition("-")
    if not re.fullmatch(r"[\d:]+", clock):
        return math.inf
    parts = zip(_UNITS_S, reversed(clock.split(":")), strict=False)
    return 86400 * int(days or 0) + sum(unit * int(part) for unit, part in parts)


def _refusal(request: Request, ask: Ask) -> str:
    """Slurm's message against the job; empty if it would take it."""
    size = [f"--nodes={request.nodes}", f"--time={minutes_of(request)}"]
    command = ["sbatch", "--test-only", *request.options, *size]
    code, text = ask([*command, f"--ntasks-per-node={request.cores_per_node}", "--wrap=true"])
    lines = [re.sub("^(sbatch: (error|fatal)|allocation failure): ", "", line) for line in text.splitlines()]
    return "; ".join(line for line in lines if line) if code else ""


def _lasting(refusal: str, ask: Ask) -> list[Problem]:
    for part, hint in _LASTING.items():
        if part in refusal.lower():
            if requested := re.search(r"invalid partition specified: (\S+)", refusal):
                known = ask(["sinfo", "--noheader", "--format=%R"])[1].split()
                hint = did_you_mean(requested[1], known)
            message = f"sbatch refuses these options: {refusal}"
            return [Problem(message, key="scheduler_options", hint=hint)]
    return []


def _advice(refusal: str) -> str:
    if "node configuration" not in refusal.lower():
        return ""
    question = "sinfo -o '%P %D nodes, %T, %c cores, %f'"
    return f"\n    it waits until nodes are up that have these cores and features: {question}"


def _beyond(request: Request, ask: Ask) -> list[Problem]:
    """Problems of a request beyond the size of the partition: sbatch takes such a job, and it waits for
    ever."""
    queue = named_options(request.options).get("slurm_partition")
    if queue is None:
        return []
    code, text = ask(["sinfo", "--noheader", f"--partition={queue}", "--format=%l %D"])
    rows = [line.split() for line in text.splitlines() if len(line.split()) == 2]
    if code or not rows:
        return []
    limit, there = max((row[0] for row in rows), key=seconds), max(int(row[1]) for row in rows)
    found, minutes = [], minutes_of(request)
    if request.nodes > there:
        text = f"a job of {request.nodes} nodes would wait for ever: Slurm's partition {queue} has {there}"
        found.append(Problem(text, key="nodes", hint=f"write at most {there}: larger cells are excluded"))
    if 60 * minutes > seconds(limit):
        text = (
            f"a job of {minutes} min would wait for ever: the limit of Slurm's partition {queue} is {limit}"
        )
        hint = f"write at most {seconds(limit) / 60:.0f} min: batches are packed to it"
        found.append(Problem(text, key="time_limit", hint=hint))
    return found
