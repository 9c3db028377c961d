"""Batch systems, found by their files: weir/site/schedulers/<name>.py, or a package, defines SCHEDULER. The
interface of one, and its commands, each with a time limit.
"""

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from weir.base.errors import InputError, Problem, WeirError, did_you_mean
from weir.base.files import text_of
from weir.base.plugins import plugins
from weir.base.processes import run_to_end


@dataclass(frozen=True)
class Request:
    """The allocation that a batch needs: whole nodes for a time."""

    nodes: int
    time_s: float
    cores_per_node: int
    launcher: str = ""
    options: Sequence[str] = ()  # scheduler_options of the site

    def with_time(self, time_s: float) -> "Request":
        return replace(self, time_s=time_s)


@dataclass(frozen=True)
class Answer:
    """The reply of a batch system to a request that is not submitted."""

    problems: Sequence[Problem] = field(default=())  # it would never start; keys are those of the partition
    note: str = ""  # it would not start today


WAITING, RUNNING, STUCK, ENDED = "waiting", "running", "stuck", "ended"


@dataclass(frozen=True)
class JobState:
    """STUCK: in the queue, and only a person could help it to run. ENDED: also of a job that is forgotten."""

    phase: str
    reason: str = ""  # why it does not run, or why it was ended
    exit_code: int | None = None  # of its script, where the batch system remembers it


@dataclass(frozen=True)
class JobFiles:
    """The name and files with which a job is submitted."""

    name: str
    script: Path
    log: Path  # the script writes it; beside it: what the batch system itself prints


class Scheduler:
    """The defaults are those of a machine without a queue."""

    name = ""
    description = ""
    options = "none"  # what scheduler_options may hold
    queued = False  # whether a job waits for its nodes
    command = ""  # that submits
    job_variable = ""  # of the environment in a job: its id
    nodefile_variable = ""  # likewise: the file that lists its nodes

    # Around this process.

    def job(self, environment: Mapping[str, str]) -> str | None:
        """The job that this process belongs to; None outside of one."""
        return environment.get(self.job_variable)

    def hosts(self, environment: Mapping[str, str]) -> list[str]:
        """The nodes of that job, each once."""
        return listed_hosts(environment.get(self.nodefile_variable, ""))

    def nodes(self, environment: Mapping[str, str]) -> int | None:
        """The number of nodes of the job."""
        return len(self.hosts(environment)) or None

    # The following are requested only where this process belongs to a job.

    def node_list(self, environment: Mapping[str, str]) -> str | None:
        """Their names, in the notation of the batch system."""
        return ",".join(self.hosts(environment)) or None

    def ends_at(self, environment: Mapping[str, str]) -> float | None:
        """The end of that job in seconds since 1970; None for no end."""
        return None

    def placement(self, options: Sequence[str], environment: Mapping[str, str]) -> dict[str, Any] | None:
        """Nodes requested and received, for run.json.

        requested: `switches` (below how many), `constraint` (what nodes should have, as the site wrote it),
        `exclude` (names), `alone` (whether the nodes are to be the job's own); alone: whether they are, null
        if nobody tells; groups: as `alike` makes them, with `switch`, `features` and `fits` (the constraint).
        """
        return None

    def mpi(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Variables by which mpirun and mpiexec find the nodes of the job and start daemons on them."""
        return {}

    # Before a job.

    def judge(self, request: Request) -> Answer:
        """Whether it would be taken and could start."""
        return Answer()

    def resources(self, request: Request) -> dict[str, Any]:
        """The request as resources of Snakemake's executor; empty: the rule runs where snakemake does."""
        if not self.queued:
            return {}
        return {
            "queue": self.name,
            "queue_nodes": request.nodes,
            "queue_seconds": int(request.time_s),
            "queue_cores": request.cores_per_node,
            "queue_options": shlex.join(request.options),
        }

    def can_submit(self) -> bool:
        """Whether jobs can be submitted from here."""
        return bool(self.command) and self.job(os.environ) is None and shutil.which(self.command) is not None

    def excluding(self, nodes: Sequence[str]) -> str:
        """A hint on how to measure without these nodes."""
        return "ask the administrator to take them out of the queue, or for a queue without them"

    # A job, from its submission to its end.

    def submission(self, request: Request, files: JobFiles) -> list[str]:
        """The command that submits the script with the environment of this process."""
        raise NotImplementedError(f"the scheduler {self.name} submits nothing")

    def submitted(self, printed: str) -> str:
        """The id of the job, from what that command printed: the last line that is one word. A site's own
        command may print lines before it."""
        lines = [line.split() for line in printed.splitlines()]
        return next((line[0] for line in reversed(lines) if len(line) == 1), "")

    def state(self, job: str) -> JobState | None:
        """The state of a job; None if the batch system does not answer."""
        return None

    def is_alive(self, job: str) -> bool | None:
        """Whether a job still runs; None if nothing tells."""
        state = self.state(job)
        return None if state is None else state.phase == RUNNING

    def cancel_job(self, job: str) -> None:
        """End it, or take it out of the queue."""

    def cancel(self, name: str) -> None:
        """End the jobs of this user that have the name."""

    # The attributes below serve ReFrame.

    def reframe_backend(self) -> str:
        """The name of ReFrame's scheduler; empty: weir's own, which asks the methods above."""
        return "" if self.queued else "local"

    def reframe_access(self, options: Sequence[str]) -> list[str]:
        """The options of the site as `access` of a partition."""
        return list(options)

    def reframe_options(self, name: str) -> list[str]:
        """Directives that every job script needs; name: of the job, unless it is empty."""
        return []


def alike(places: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Nodes that are alike share an entry, since every run file has this."""
    groups: list[dict[str, Any]] = []
    for node, place in places.items():
        for group in groups:
            if place.items() <= group.items():
                group["nodes"].append(node)
                break
        else:
            groups.append({**place, "nodes": [node]})
    return groups


def placed(
    places: Mapping[str, Mapping[str, Any]],
    constraint: str | None,
    wants_alone: bool,
    alone: bool | None,
    switches: int | None = None,
) -> dict[str, Any]:
    """The placement of a job whose options exclude no node: what they requested, and what it received."""
    requested: dict[str, Any] = {
        "switches": switches,
        "constraint": constraint,
        "exclude": [],
        "alone": wants_alone,
    }
    return {"requested": requested, "alone": alone, "groups": alike(places)}


def open_mpi(nodefile: str, shell: str) -> dict[str, str]:
    """The variables by which an Open MPI without support for the batch system finds nodes and a shell on
    them; Open MPI 5 reads those of PRRTE."""
    return {
        "OMPI_MCA_orte_default_hostfile": nodefile,
        "OMPI_MCA_plm_rsh_agent": shell,
        "PRTE_MCA_prte_default_hostfile": nodefile,
        "PRTE_MCA_plm_ssh_agent": shell,
    }


def clock(time_s: float) -> str:
    """hours:minutes:seconds."""
    minutes, rest = divmod(round(time_s), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


def seconds(text: str) -> float:
    """The seconds in hours:minutes:seconds."""
    total = 0.0
    for part in text.split(":"):
        total = 60 * total + float(part)
    return total


def listed_hosts(file: str) -> list[str]:
    """The first word of each line of the file that names the nodes of a job, each once."""
    lines = text_of(Path(file)).splitlines()
    return list(dict.fromkeys(line.split()[0] for line in lines if line.strip()))


def requested_ones(has: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """The resources of a node, as NAME=VALUE, whose names were requested."""
    names = {each.partition("=")[0] for each in wanted}
    return sorted(each for each in has if each.partition("=")[0] in names)


def values_of(options: Sequence[str], *names: str) -> Iterator[str]:
    """The values of an option by its names: in the next word, behind =, and behind the letter of a short
    one."""
    rest = iter(options)
    for option in rest:
        if option in names:
            yield next(rest, "")
        for name in names:
            head = f"{name}=" if name.startswith("--") else name
            if option != name and option.startswith(head):
                yield option.removeprefix(head).strip()


# Variables that limit what squeue lists and scancel ends, also of jobs that are named.
_FILTERS = ("SQUEUE_", "SCANCEL_")


def forget_filters() -> None:
    """Takes them from this process and from what it starts, which ask about their own jobs."""
    for name in [name for name in os.environ if name.startswith(_FILTERS)]:
        del os.environ[name]


_LIMIT_S = 20.0


def ended(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """A command, run to its end; one that is not there or hangs has failed."""
    forget_filters()
    try:
        return run_to_end(arguments, limit_s=_LIMIT_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(arguments, 1, "", str(error))


def answer(arguments: Sequence[str]) -> str:
    """Output of a command; empty if it fails, since a missing answer must not stop a measurement."""
    done = ended(arguments)
    return done.stdout if done.returncode == 0 else ""


def reply(arguments: Sequence[str]) -> tuple[int, str]:
    """Exit code and output of a command, messages first."""
    done = ended(arguments)
    return done.returncode, done.stderr + done.stdout


def json_behind_messages(printed: str) -> dict[str, Any]:
    """The object that a command prints behind messages, if any; empty where there is none."""
    try:
        found: dict[str, Any] = json.loads(printed[max(printed.find("{"), 0) :])
    except ValueError:
        return {}
    return found


@cache
def schedulers() -> dict[str, Scheduler]:
    """All schedulers by the name that a site file uses."""
    found = plugins(__name__, "SCHEDULER", Scheduler)
    for name, candidate in found.items():
        if candidate.name != name:
            raise WeirError(
                f"the scheduler of weir/site/schedulers/{name} has the name '{candidate.name}'",
                hint=f"write name = '{name}'",
            )
    return found


def scheduler(name: str) -> Scheduler:
    """The scheduler of that name."""
    known = schedulers()
    if name not in known:
        raise InputError(f"there is no scheduler '{name}'", hint=did_you_mean(name, known))
    return known[name]


def surrounding(environment: Mapping[str, str]) -> Scheduler | None:
    """The scheduler whose job this process belongs to."""
    return next((each for each in schedulers().values() if each.job(environment) is not None), None)
