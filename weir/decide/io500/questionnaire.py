"""A draft of the reproducibility questionnaire of a submission to IO500: what a result and a study know.

The parts are those of the questionnaire. A fact is written as it was read, with its source; what no file
knows is left to the submitter, by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from weir.base.units import about_size
from weir.decide.io500.result import WRITE_PHASES, Result

_OPEN = "- To be answered by you: "
_MACHINE = ("processor", "cores", "memory_bytes", "kernel", "system", "power")


def draft(result: Result, facts: Mapping[str, Any]) -> str:
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
        text += [f"## {title}", "", *(line for line in known if line), f"{_OPEN}{left}", ""]
    return "\n".join(text)


def _known(name: str, value: object) -> str:
    return f"- {name}: {value}" if value not in (None, "", [], {}) else ""


def _target(target: Mapping[str, Any]) -> Iterator[str]:
    yield _known("target", f"{target.get('target')}: {target.get('description')}")
    for name in ("file_system", "device", "mount_options"):
        yield _known(f"{name.replace('_', ' ')} of {target.get('target')}", target.get(name))
    if target.get("emulated"):
        yield "- this target is an emulation, which cannot be submitted"


def _run(result: Result) -> Iterator[str]:
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
