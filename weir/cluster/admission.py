"""Whether Slurm would take a plan's jobs, requested before any is submitted.

What sbatch refuses, Snakemake submits again and again; what it takes and can never start (more nodes than the
partition has, a longer time than its limit) waits in the queue for ever, and Snakemake with it.
"""

from __future__ import annotations

import math
import os
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from weir.cluster.allocation import scheduler_resources, time_s
from weir.cluster.queue import slurm
from weir.errors import ConfigError, Problem, did_you_mean
from weir.model import Partition
from weir.plan import Batch, Plan
from weir.study import cells_left

Reply = tuple[int, str]  # exit code; what was printed
Ask = Callable[[Sequence[str]], Reply]

_OWN = "`sacctmgr show assoc user=$USER format=account,partition,qos` lists yours"
# A part of what sbatch says, and what helps. Other refusals pass: nodes that are down or reserved.
_LASTING = {
    "invalid account": _OWN,
    "invalid qos": _OWN,
    "invalid feature": "`sinfo -o '%N %f'` lists the features of the nodes",
    "invalid node name": "`sinfo -N` lists the nodes",
    "unrecognized option": "these words are given to sbatch as they stand",
    "invalid partition": "`sinfo -o %R` lists the partitions",
}
_UNITS_S = (1, 60, 3600)


def admission(plan: Plan, results: Path) -> list[str]:
    """What speaks against measuring the rest now; raises ConfigError for jobs that would never start."""
    if "SLURM_JOB_ID" in os.environ or shutil.which("sbatch") is None:
        return []
    left = [batch for batch in plan.batches if cells_left(batch, results)]
    problems, notes = judged(plan, left, reply)
    if problems:
        raise ConfigError(problems)
    return notes


def judged(plan: Plan, batches: Sequence[Batch], ask: Ask) -> tuple[list[Problem], list[str]]:
    """Of each partition with a queue, its largest job."""
    problems: list[Problem] = []
    notes: list[str] = []
    for name, partition in plan.site.partitions.items():
        jobs = [batch for batch in batches if batch.partition == name]
        if not jobs or partition.scheduler != "slurm":
            continue
        nodes = max(batch.nodes for batch in jobs)
        minutes = math.ceil(max(time_s(batch, partition) for batch in jobs) / 60)
        said = _refusal(partition, nodes, minutes, ask)
        found = [*_beyond(partition, nodes, minutes, ask), *_lasting(said, ask)]
        place = (f"config/sites/{plan.site.name}/site.yaml", None)
        problems += [problem.at(*place, f"partitions.{name}.{problem.key}") for problem in found]
        if said and not found:
            notes.append(
                f"weir: partition {name}: sbatch says of a job of {nodes} nodes: {said}{_advice(said)}"
            )
    return problems, notes


def reply(words: Sequence[str]) -> Reply:
    ended = slurm(words)
    return ended.returncode, ended.stderr + ended.stdout


def seconds(limit: str) -> float:
    """Of a time limit in Slurm's words: [days-]hours:minutes:seconds, or infinite."""
    days, _, clock = limit.rpartition("-")
    if not re.fullmatch(r"[\d:]+", clock):
        return math.inf
    parts = zip(_UNITS_S, reversed(clock.split(":")), strict=False)
    return 86400 * int(days or 0) + sum(unit * int(part) for unit, part in parts)


def _refusal(partition: Partition, nodes: int, minutes: int, ask: Ask) -> str:
    """Slurm's own words against the job; empty if it would take it."""
    words = ["sbatch", "--test-only", *partition.scheduler_options, f"--nodes={nodes}", f"--time={minutes}"]
    code, said = ask([*words, f"--ntasks-per-node={partition.cores_per_node}", "--wrap=true"])
    lines = [re.sub("^(sbatch: (error|fatal)|allocation failure): ", "", line) for line in said.splitlines()]
    return "; ".join(line for line in lines if line) if code else ""


def _lasting(said: str, ask: Ask) -> list[Problem]:
    for part, hint in _LASTING.items():
        if part in said.lower():
            if requested := re.search(r"invalid partition specified: (\S+)", said):
                known = ask(["sinfo", "--noheader", "--format=%R"])[1].split()
                hint = did_you_mean(requested[1], known)
            return [Problem(f"sbatch refuses these options: {said}", key="scheduler_options", hint=hint)]
    return []


def _advice(said: str) -> str:
    if "node configuration" not in said.lower():
        return ""
    question = "sinfo -o '%P %D nodes, %T, %c cores, %f'"
    return f"\n    it waits until nodes are up that have these cores and features: {question}"


def _beyond(partition: Partition, nodes: int, minutes: int, ask: Ask) -> list[Problem]:
    """What the partition will never have: sbatch takes such a job, and it waits for ever."""
    queue = scheduler_resources(partition.scheduler_options).get("slurm_partition")
    if queue is None:
        return []
    code, said = ask(["sinfo", "--noheader", f"--partition={queue}", "--format=%l %D"])
    rows = [line.split() for line in said.splitlines() if len(line.split()) == 2]
    if code or not rows:
        return []
    limit, there = max((row[0] for row in rows), key=seconds), max(int(row[1]) for row in rows)
    found = []
    if nodes > there:
        text = f"a job of {nodes} nodes would wait for ever: Slurm's partition {queue} has {there}"
        found.append(Problem(text, key="nodes", hint=f"write at most {there}: larger cells are left out"))
    if 60 * minutes > seconds(limit):
        text = (
            f"a job of {minutes} min would wait for ever: the limit of Slurm's partition {queue} is {limit}"
        )
        hint = f"write at most {seconds(limit) / 60:.0f} min: batches are packed to it"
        found.append(Problem(text, key="time_limit", hint=hint))
    return found
