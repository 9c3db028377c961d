"""The nodes of the job: whether they are alike, and those that the site requested."""

from __future__ import annotations

from typing import Any

from weir.audit.outcome import Outcome, degraded, not_observable, passed
from weir.audit.registry import rule
from weir.audit.subject import Subject
from weir.schedulers.slurm.placement import has_features


@rule("DEGRADED", needs_output=True)
def slow_node(subject: Subject) -> Outcome | None:
    """Before the first cell of the job every node did the same work, and one took much longer than the median
    of the nodes. All ranks wait for the slowest, so the number may be that node's and not the storage's.

    Hint: add --exclude=NODE to scheduler_options in site.yaml (or slow_nodes: stop), tell the administrator,
    measure again; `weir nodes` compares a whole partition.
    """
    if not subject.has_result or subject.run is None:
        return None
    slow = subject.run.host.get("slow_nodes")
    if slow is None:
        return not_observable("the nodes were not compared")
    texts = [
        f"{item['node']}: {item['kind']} took {item['time_s']:.3g} s, "
        f"{item['time_s'] / item['median_s']:.1f} times the median of {item['median_s']:.3g} s"
        for item in slow
    ]
    return degraded(", ".join(texts)) if texts else passed("no node is slower than the others")


@rule("DEGRADED", needs_output=True)
def neighbours(subject: Subject) -> Outcome | None:
    """Another measurement may have used the target at the same time: one of another user on this machine, or
    one on another node whose end could not be seen. Two measurements share what the storage gives.

    Hint: let one wait for the other (weir run --wait DURATION), delete the run and measure again.
    """
    if not subject.has_result or subject.run is None:
        return None
    found = subject.run.host.get("neighbours")
    if found is None:
        return not_observable("the run did not look for other measurements")
    return degraded("; ".join(found)) if found else passed("no other measurement was seen")


@rule("DEGRADED", needs_output=True)
def more_switches(subject: Subject) -> Outcome | None:
    """The site asks for nodes below so many switches (--switches) and the job's nodes lie below more, so that
    the links between them are part of the number. Slurm waits five minutes for such nodes by default, and
    then takes others without a message.

    Hint: let the job wait longer (--switches=1@12:00:00 in scheduler_options; max_switch_wait in slurm.conf
    is the upper limit), or request fewer nodes.
    """
    found = _placement(subject)
    requested = found.get("requested", {}).get("switches")
    if requested is None or not subject.has_result:
        return None
    below: dict[str, int] = {}
    for group in found.get("groups", ()):
        if group["switch"]:
            below[group["switch"]] = below.get(group["switch"], 0) + len(group["nodes"])
    if not below:
        return not_observable("the batch system does not tell the switches")
    each = ", ".join(f"{count} below {switch}" for switch, count in sorted(below.items()))
    if len(below) <= requested:
        return passed(each)
    plural = "es" * (requested > 1)
    return degraded(f"requested nodes below {requested} switch{plural}, had {len(below)}: {each}")


@rule("DEGRADED", needs_output=True)
def other_nodes(subject: Subject) -> Outcome | None:
    """The job's nodes are not those that the site's options request: they lack a feature of --constraint, or
    --exclude names them. That happens in an allocation made by hand, without those options.

    Hint: let snakemake or ReFrame request the allocation, or give salloc the scheduler_options of site.yaml.
    """
    found = _placement(subject)
    requested = found.get("requested", {})
    if not found or not subject.has_result:
        return None
    texts = []
    for group in found.get("groups", ()):
        names, features = group["nodes"], group["features"]
        if (
            requested["constraint"]
            and features is not None
            and has_features(requested["constraint"], features) is False
        ):
            has = " ".join(features) or "none"
            texts.append(f"{_few(names)} without the feature {requested['constraint']} (features: {has})")
        if excluded := [name for name in names if name in requested["exclude"]]:
            texts.append(f"{_few(excluded)} although excluded")
    return (
        degraded(f"measured on {', '.join(texts)}")
        if texts
        else passed("no node is excluded or lacks a feature")
    )


@rule("DEGRADED", needs_output=True)
def nodes_shared(subject: Subject) -> Outcome | None:
    """The site asks for nodes of its own (--exclusive) and the job shares them: what other jobs did to
    network, memory and storage of the node is in the number.

    Hint: let snakemake or ReFrame request the allocation, or give salloc --exclusive.
    """
    found = _placement(subject)
    if not found.get("requested", {}).get("alone") or not subject.has_result:
        return None
    nodes = sum(len(group["nodes"]) for group in found["groups"])
    if found["alone"] is None:
        return not_observable("the batch system does not tell whether the nodes are shared")
    if found["alone"]:
        return passed(f"no other job on the {nodes} nodes")
    return degraded(f"requested --exclusive, Slurm lets other jobs share the {nodes} nodes of this one")


def _placement(subject: Subject) -> Any:
    return (subject.run.host.get("placement") if subject.run else None) or {}


def _few(names: list[str]) -> str:
    """Names of nodes, not a thousand of them."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
