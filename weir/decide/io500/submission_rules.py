"""The submission rules of IO500 (io500.org, version 2.0), and which of them the files of a result decide; a
draft of the reproducibility questionnaire that a submission needs.

A rule that they do not decide has what would: a committee sees what a result leaves to trust. The parts of
the draft are those of the questionnaire. A fact is written as it was read, with its source; what no file
knows is left to the submitter, by name.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weir.base.units import about_size
from weir.decide.io500.result import PHASES, STONEWALL_S, WRITE_PHASES, Io500Result, short_time

_AWARD_NODES = 10
_STATES = {True: "met", False: "not met", None: "not decided"}
# Rules that no file of a result decides, with what would.
_OPEN = (
    (
        "the newest IO500 was run, its sources not edited",
        "commit and checksums of the programs that ran, beside the release of the list",
    ),
    ("no output file or subdirectory existed before", "a listing of the data directory before the run"),
    (
        "one storage system, without interruption",
        "mounts of each node before and after, and the scheduler's record of the job",
    ),
    (
        "data is persistent when a phase ends",
        "counters of the devices or servers at the start and end of each write phase",
    ),
    ("data is not reduced by its content", "bytes that the devices stored, beside those of each write phase"),
    (
        "the system is described as the submission requires",
        "the questionnaire, which --questionnaire FILE drafts",
    ),
)


@dataclass(frozen=True)
class SubmissionRule:
    """met: nothing where the files do not decide it; because: what shows it, or what would decide it."""

    text: str
    met: bool | None
    because: str

    @property
    def state(self) -> str:
        return _STATES[self.met]


def submission_rules(result: Io500Result) -> list[SubmissionRule]:
    """The submission rules; those that these files decide come first."""
    found = [SubmissionRule(text, *decide(result)) for text, decide in _DECIDED.items()]
    found += [SubmissionRule(text, None, because) for text, because in _OPEN]
    order = (False, True, None)
    return sorted(found, key=lambda rule: order.index(rule.met))


def rule_lines(rules: Sequence[SubmissionRule]) -> Iterator[str]:
    counts = ", ".join(f"{sum(one.met is met for one in rules)} {state}" for met, state in _STATES.items())
    yield f"submission rules: {counts} by these files"
    for one in rules:
        because = f"needs {one.because}" if one.met is None else one.because
        yield f"  {one.state:<13}{one.text}: {because}"


def rule_facts(rules: Sequence[SubmissionRule]) -> list[dict[str, Any]]:
    return [{"rule": one.text, "state": one.state, "because": one.because} for one in rules]


_Decision = tuple[bool | None, str]


def _phases(result: Io500Result) -> _Decision:
    if result.missing:
        return False, f"{', '.join(result.missing)} missing"
    return True, f"{len(PHASES)} have a value"


def _duration(result: Io500Result) -> _Decision:
    times = {name: phase.time_s for name in WRITE_PHASES if (phase := result.phases.get(name))}
    known = {name: time_s for name, time_s in times.items() if time_s is not None}
    short = [f"{name} {short_time(time_s)}" for name, time_s in known.items() if time_s < STONEWALL_S]
    if short:
        return False, ", ".join(short)
    if unknown := [name for name in WRITE_PHASES if name not in known]:
        return None, f"the time of {', '.join(unknown)}"
    return True, f"the shortest took {min(known.values()):.1f} s"


def _stonewall(result: Io500Result) -> _Decision:
    requested = {name: phase.stonewall_s for name in WRITE_PHASES if (phase := result.phases.get(name))}
    wrong = [f"{name} {wall:.0f} s" for name, wall in requested.items() if wall and wall < STONEWALL_S]
    if wrong:
        return False, ", ".join(wrong)
    if unknown := [name for name in WRITE_PHASES if not requested.get(name)]:
        return None, f"the command lines of {', '.join(unknown)}"
    return True, "as their command lines request"


def _marks(result: Io500Result) -> _Decision:
    marked = [phase.name for phase in result.phases.values() if phase.marked_invalid]
    if result.published and result.published.marked_invalid:
        marked.append("the score")
    if marked:
        return False, ", ".join(marked)
    return (True, "no mark is printed") if result.published else (None, "the end of the summary")


def _hashes(result: Io500Result) -> _Decision:
    """Verifies the hashes, as the submitter has to."""
    found = {
        "score": result.score_hash.agrees if result.score_hash else None,
        "configuration": result.config_hash.agrees if result.config_hash else None,
    }
    if wrong := [name for name, agrees in found.items() if agrees is False]:
        return False, f"the hash of the {' and that of the '.join(wrong)} does not fit"
    if unknown := [name for name, agrees in found.items() if agrees is None]:
        return None, f"result.txt and config.ini as IO500 writes them (hash of the {', '.join(unknown)})"
    return True, "both hashes fit; anybody can compute them"


def _read_back(result: Io500Result) -> _Decision:
    phases = [name for name, unit in PHASES.items() if unit == "GiB/s" and name.endswith("_read")]
    found = {name: result.read_back[name] for name in phases if name in result.read_back}
    for met in (False, None):
        for name, one in found.items():
            if one.found is met:
                reason = f"{name}: {one.because}"
                return met, reason if met is False else f"a compared read on another node ({reason})"
    if missing := [name for name in phases if name not in found]:
        return None, f"the logs of {', '.join(missing)}"
    return True, "tasks read what another node wrote (-C) and compared it (-R); the logs have no difference"


def _search(result: Io500Result) -> _Decision:
    if result.external_find is None:
        return None, "config.ini"
    if result.config_hash is None or not result.config_hash.agrees:
        return None, "a config.ini that fits its hash"
    if result.external_find:
        return None, f"the source of {result.external_find} in the submission"
    return True, "config.ini names no other program"


def _awarded(result: Io500Result) -> _Decision:
    if result.nodes is None:
        return None, "the logs of the phases, and the list of physical nodes"
    if result.nodes < _AWARD_NODES:
        return False, f"{result.nodes} nodes: such a result is listed without an award"
    return None, f"the list of physical nodes ({result.nodes} hosts, virtual ones included)"


_DECIDED: dict[str, Callable[[Io500Result], _Decision]] = {
    "all phases ran": _phases,
    "each write phase lasted 300 s or longer": _duration,
    "the stonewall of each write phase is 300 s": _stonewall,
    "IO500 marks nothing as invalid": _marks,
    "the hashes of score and configuration fit": _hashes,
    "data is read on another node than wrote it": _read_back,
    "the search is that of IO500, or its source is submitted": _search,
    "10 physical client nodes or more, for an award": _awarded,
}


_LEFT_OPEN = "- To be answered by you: "
_MACHINE = ("processor", "cores", "memory_bytes", "kernel", "system", "power")


def draft(result: Io500Result, facts: Mapping[str, Any]) -> str:
    """Markdown. facts: of a study (facts.json) on the same system, or nothing."""
    parts = {
        "System purpose": (
            [_known("description of the site", (facts.get("site") or {}).get("description"))],
            "what the system is for, and who uses it.",
        ),
        "Availability": ([], "since when it is deployed, and to whom it is available."),
        "Storage system software": (
            [line for target in facts.get("targets") or () for line in _target(target)],
            "whether and where the software can be had, its version on the servers, and the servers.",
        ),
        "Runtime environment": (
            [*_run(result), *_machines(facts.get("machines") or ()), *_stacks(facts.get("stacks") or ())],
            "the scripts and configuration files of the run, which belong into the submission.",
        ),
        "Fault tolerance": ([], "each single point of failure, and what protects data and metadata."),
        "Caching and persistence": (
            list(_evidence(facts)),
            "where data lies when a write phase ends, and what every cache on clients and servers holds.",
        ),
    }
    text = ["# Draft of the reproducibility questionnaire", "", f"From {result.source}", ""]
    for title, (known, left) in parts.items():
        text += [f"## {title}", "", *(line for line in known if line), f"{_LEFT_OPEN}{left}", ""]
    return "\n".join(text)


def _known(name: str, value: object) -> str:
    return f"- {name}: {value}" if value not in (None, "", [], {}) else ""


def _target(target: Mapping[str, Any]) -> Iterator[str]:
    yield _known("target", f"{target.get('target')}: {target.get('description')}")
    for name in ("file_system", "device", "mount_options"):
        yield _known(f"{name.replace('_', ' ')} of {target.get('target')}", target.get(name))
    if target.get("emulated"):
        yield "- this target is an emulation, which cannot be submitted"


def _run(result: Io500Result) -> Iterator[str]:
    yield _known("version of IO500", result.version)
    yield _known("client nodes", result.nodes)
    yield _known("processes", result.procs)
    yield _known("hash of the configuration, as printed", result.config_hash and result.config_hash.printed)
    for name in WRITE_PHASES:
        phase = result.phases.get(name)
        if phase and phase.time_s is not None:
            yield f"- {name} lasted {phase.time_s:.1f} s"


def _machines(machines: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for machine in machines:
        known = {name: machine[name] for name in _MACHINE if machine.get(name)}
        if "memory_bytes" in known:
            known["memory_bytes"] = about_size(int(known["memory_bytes"]))
        yield _known("nodes", ", ".join(f"{name.split('_')[0]} {value}" for name, value in known.items()))


def _stacks(stacks: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for stack in stacks:
        yield _known(f"stack {stack.get('stack')}", stack.get("description"))
        yield _known(f"programs of {stack.get('stack')}", ", ".join(stack.get("programs") or ()))


def _evidence(facts: Mapping[str, Any]) -> Iterator[str]:
    verdicts = facts.get("verdicts")
    if verdicts:
        counts = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items())
        yield f"- records of the study on this system, by verdict of weir: {counts}"
