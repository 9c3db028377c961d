"""Grid Engine (Son of Grid Engine, Univa, Altair), by qsub, qstat, qacct, qhost and qdel."""

import fnmatch
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any

from weir.base.errors import Problem, did_you_mean
from weir.base.processes import wall_s
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
    placed,
    reply,
    requested_ones,
    seconds,
)

# Numbers of qacct's line "failed".
_OVER_A_LIMIT, _ENDED_BY_SIGNAL = "37", "100"


class GridEngine(Scheduler):
    name = "gridengine"
    description = "Grid Engine"
    options = "options of qsub: -pe ENVIRONMENT (without a number), -q QUEUE, -P PROJECT, -l RESOURCE=VALUE"
    queued = True
    command = "qsub"
    nodefile_variable = "PE_HOSTFILE"

    def job(self, environment: Mapping[str, str]) -> str | None:
        return environment.get("JOB_ID") if "PE_HOSTFILE" in environment else None

    def ends_at(self, environment: Mapping[str, str]) -> float | None:
        return end_of(answer(["qstat", "-xml", "-j", environment["JOB_ID"]]), wall_s())

    def placement(self, options: Sequence[str], environment: Mapping[str, str]) -> dict[str, Any] | None:
        job, hosts = environment["JOB_ID"], self.hosts(environment)
        jobs = answer(["qstat", "-xml", "-u", "*", "-g", "t", "-s", "r"])
        return placement(options, job, hosts, answer(["qhost", "-F"]), jobs)

    def judge(self, request: Request) -> Answer:
        return judged(request, answer(["qconf", "-spl"]).split(), reply)

    def submission(self, request: Request, files: JobFiles) -> list[str]:
        name = re.sub(r"[^\w.-]", "_", files.name)
        return [
            *("qsub", "-terse", "-V", "-S", "/bin/bash", "-N", name, "-j", "y", "-o", f"{files.log}.queue"),
            *("-r", "y", "-l", f"h_rt={round(request.time_s)}", *_with_slots(request), str(files.script)),
        ]

    def state(self, job: str) -> JobState | None:
        code, text = reply(["qstat", "-xml", "-u", "*", "-f"])
        if code or _parsed(text).tag != "job_info":
            return None
        found = states(text).get(job)
        if found is None:
            return end_state(answer(["qacct", "-j", job]))
        if found.phase in (STUCK, WAITING):
            return JobState(found.phase, reason(answer(["qstat", "-j", job])) or found.reason)
        return found

    def cancel_job(self, job: str) -> None:
        answer(["qdel", job])

    def cancel(self, name: str) -> None:
        answer(["qdel", name])


def states(text: str) -> dict[str, JobState]:
    """The states of all jobs, from `qstat -xml -f`, which reports the state of the queues on each node as
    well."""
    found: dict[str, JobState] = {}
    root = _parsed(text)
    for queue in root.iter("Queue-List"):
        node, condition = queue.findtext("name", ""), queue.findtext("state", "")
        reason = f"{node.partition('@')[2]} does not answer" if "u" in condition else ""
        for job in queue.iter("job_list"):
            number = job.findtext("JB_job_number", "")
            known = found.get(number)
            found[number] = _state(job.findtext("state", ""), reason or (known.reason if known else ""))
    for job in root.iterfind("./job_info/job_list"):
        found[job.findtext("JB_job_number", "")] = _state(job.findtext("state", ""), "")
    return found


def end_state(accounting: str) -> JobState:
    """The state of a job that qstat does not know, from qacct; without accounting nothing but that it has
    ended."""
    facts = dict(re.findall(r"^(\w+) +(.*?) *$", accounting.rpartition("=====\n")[2], re.MULTILINE))
    if "exit_status" not in facts:
        return JobState(ENDED)
    number, _, text = facts.get("failed", "0").partition(":")
    code = int(facts["exit_status"].split()[0])
    limit = re.search(r"\bh_rt=(\d+)", facts.get("category", ""))
    if number.strip() == _OVER_A_LIMIT and limit:
        return JobState(ENDED, f"its time of {limit[1]} s was over ({text.strip()})", code)
    if number.strip() == _ENDED_BY_SIGNAL:
        return JobState(ENDED, "it was cancelled or killed", code)
    return JobState(ENDED, "" if number.strip() == "0" else text.strip(), code)


def end_of(details: str, now: float) -> float | None:
    """The end of the job from `qstat -xml -j`: when it began, and the time that was requested."""
    root = _parsed(details)
    began = root.findtext(".//JAT_start_time", "")
    limits = [
        request.findtext("CE_stringval", "")
        for request in root.iter("qstat_l_requests")
        if request.findtext("CE_name") == "h_rt"
    ]
    if not began or not limits:
        return None
    return _epoch(began, now) + seconds(limits[0])


def placement(
    options: Sequence[str], job: str, hosts: Sequence[str], described: str, jobs: str
) -> dict[str, Any]:
    """The placement from the options of the site, `qhost -F` and `qstat -xml -g t` of the running jobs."""
    wanted = [value for value in _resources(options) if not value.startswith(("exclusive", "h_rt"))]
    known = dict(_described(described))
    others = {
        each.findtext("queue_name", "").partition("@")[2]
        for each in _parsed(jobs).iter("job_list")
        if each.findtext("JB_job_number") != job
    }
    places = {}
    for host in hosts:
        has = known.get(host)
        fits = None if has is None or not wanted else all(_has(each, has) for each in wanted)
        features = None if has is None else requested_ones(has, wanted)
        places[host] = {"switch": None, "features": features, "fits": fits}
    wants_alone = any(re.match(r"exclusive(=(true|TRUE|1))?$", each) for each in _resources(options))
    return placed(places, ",".join(wanted) or None, wants_alone, not others & set(hosts) if jobs else None)


def judged(request: Request, environments: Sequence[str], ask: Any) -> Answer:
    """`qsub -w v` tells whether a job would run on a cluster without other jobs."""
    options = list(request.options)
    chosen = options[options.index("-pe") + 1] if "-pe" in options[:-1] else ""
    if environments and not fnmatch.filter(environments, chosen):
        text, hint = f"Grid Engine has no parallel environment '{chosen}'", did_you_mean(chosen, environments)
        if not chosen:
            text = "no parallel environment is named"
            hint = f"write -pe NAME; there are: {', '.join(environments)}"
        return Answer([Problem(text, key="scheduler_options", hint=hint)])
    limit = ["-l", f"h_rt={round(request.time_s)}"]
    code, text = ask(["qsub", "-w", "v", "-b", "y", *limit, *_with_slots(request), "/bin/true"])
    lines = [line.removeprefix("Unable to run job: ") for line in text.splitlines() if line != "Exiting."]
    if "no suitable queues" in text:
        message = f"a job of {request.nodes} nodes would never start: {'; '.join(lines)}"
        return Answer([Problem(message, key="scheduler_options")])
    if code and "Unable to run job" in text:
        return Answer([Problem(f"qsub refuses these options: {'; '.join(lines)}", key="scheduler_options")])
    return Answer()


def _with_slots(request: Request) -> list[str]:
    """The options of the site; its parallel environment gets a slot for each core of all nodes."""
    options: list[str] = []
    given = list(request.options)
    while given:
        options.append(given.pop(0))
        if options[-1] == "-pe":
            options += [*given[:1], str(request.nodes * request.cores_per_node)]
            has_slots = re.fullmatch(r"\d*-?\d*", given[1]) if len(given) > 1 else None
            del given[: 2 if has_slots else 1]
    return options


def _state(letters: str, reason: str) -> JobState:
    is_held = letters.startswith("h") and "w" in letters and "R" not in letters and "d" not in letters
    if "E" in letters or is_held:
        return JobState(STUCK, "it is in the state " + letters)
    if "w" in letters:
        return JobState(WAITING, reason)
    return JobState(RUNNING, reason)


def reason(details: str) -> str:
    """The reason of an error first, else that of the scheduler."""
    errors = re.findall(r"^error reason +\d+: +(.*)$", details, re.MULTILINE)
    told = re.findall(r"^(?:scheduling info:)? +((?:cannot|queue instance|not).*)$", details, re.MULTILINE)
    return "; ".join(dict.fromkeys(errors or told[:2]))


def _described(text: str) -> Iterator[tuple[str, list[str]]]:
    """Each host of qhost -F with its resources, as name=value."""
    for block in re.findall(r"^\S.*(?:\n .*)*", text, re.MULTILINE):
        lines = block.splitlines()
        yield lines[0].split()[0], [line.strip().partition(":")[2] for line in lines[1:] if ":" in line]


def _resources(options: Sequence[str]) -> list[str]:
    return [value for option, values in pairwise(options) if option == "-l" for value in values.split(",")]


def _has(wanted: str, has: Sequence[str]) -> bool:
    """qhost prints numbers as 4.000000, and true as 1.000000."""
    key, _, value = wanted.partition("=")
    number = "1" if value.lower() in ("", "true") else value
    return any(each in (wanted, f"{key}={number}.000000") for each in has)


def _parsed(text: str) -> ElementTree.Element:
    """There may be messages before."""
    try:
        return ElementTree.fromstring(text[max(text.find("<?xml"), 0) :])
    except ElementTree.ParseError:
        return ElementTree.Element("nothing")


def _epoch(text: str, now: float) -> float:
    """Seconds, in some versions milliseconds, since 1970, or local time."""
    if text.isdigit():
        return int(text) / (1000 if int(text) > 100 * now else 1)
    return datetime.fromisoformat(text).timestamp()


SCHEDULER = GridEngine()
