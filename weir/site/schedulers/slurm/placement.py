"""The nodes that a job got, beside what the site's options of sbatch requested.

Slurm may give other nodes than were requested: it waits five minutes for `--switches` (max_switch_wait) and
then takes what there is; an allocation that somebody made by hand knows nothing of the site's options.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from weir.site.schedulers.base import alike

Ask = Callable[[Sequence[str]], str]

_SHORT = {"-C": "--constraint", "-x": "--exclude"}
_REQUESTED = ("--switches", "--constraint", "--exclude", "--exclusive")


def placement(
    scheduler_options: Sequence[str], environment: Mapping[str, str], ask: Ask
) -> dict[str, Any] | None:
    """The placement for run.json: requested and found; None outside of a job of Slurm. A fact that Slurm does
    not report is null."""
    job = environment.get("SLURM_JOB_ID")
    if job is None:
        return None
    requested = options(scheduler_options)
    excluded = _names(requested["exclude"], ask) if requested["exclude"] else []
    nodes = _names(environment.get("SLURM_JOB_NODELIST", ""), ask)
    return {
        "requested": requested | {"exclude": excluded},
        "alone": _alone(ask(["scontrol", "show", "job", job])),
        "groups": _groups(nodes, _switches(nodes, ask), _features(nodes, ask), requested["constraint"]),
    }


def options(scheduler_options: Sequence[str]) -> dict[str, Any]:
    """The demands on the nodes in the options of sbatch."""
    given: dict[str, str] = {}
    rest = iter(scheduler_options)
    for option in rest:
        name, equals, value = option.partition("=")
        name = _SHORT.get(name, name)
        if name in _REQUESTED:
            given[name] = value if equals or name == "--exclusive" else next(rest, "")
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


def _names(listed: str, ask: Ask) -> list[str]:
    return ask(["scontrol", "show", "hostnames", listed]).split() if listed else []


def _alone(job: str) -> bool | None:
    found = re.search(r"\bOverSubscribe=(\w+)", job)
    return found[1] in ("NO", "EXCLUSIVE") if found else None


def _switches(nodes: Sequence[str], ask: Ask) -> dict[str, str]:
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


def _features(nodes: Sequence[str], ask: Ask) -> dict[str, list[str]]:
    """Active features of each node."""
    lines = ask(["sinfo", "-h", "-N", "-n", ",".join(nodes), "-o", "%N|%b"]).splitlines() if nodes else []
    pairs = [line.split("|") for line in lines if line.count("|") == 1]
    return {node: [name for name in names.split(",") if name != "(null)"] for node, names in pairs}


def _groups(
    nodes: Sequence[str],
    switches: Mapping[str, str],
    features: Mapping[str, list[str]],
    constraint: str | None,
) -> list[dict[str, Any]]:
    places = {
        node: {"switch": switches.get(node), "features": known, "fits": _fits(constraint, known)}
        for node in nodes
        for known in [features.get(node)]
    }
    return alike(places)


def _fits(constraint: str | None, features: Sequence[str] | None) -> bool | None:
    return None if constraint is None or features is None else has_features(constraint, features)
