"""The nodes of the job: whether they are alike, and those that the site requested."""

from typing import Any

from weir.audit.registry import Outcome, degraded, not_observable, passed, rule
from weir.audit.subject import Subject
from weir.base.units import listed

_MOST_NODES = 3  # names of nodes in a sentence, not a thousand of them


@rule("DEGRADED", needs_output=True)
def slow_node(subject: Subject) -> Outcome | None:
    """Every node did the same work before the first cell of the job, and one took much longer than the
    median. All ranks wait for the slowest, so the number may be that of the node.

    Hint: request other nodes (Slurm: --exclude=NODE in scheduler_options), or write slow_nodes: stop; `weir
    nodes` compares a whole partition.
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
    """Another measurement may have used the target at the same time: one of another user here, or one on
    another node whose end could not be seen.

    Hint: let one wait for the other (weir run --wait DURATION); delete the run and measure again.
    """
    if not subject.has_result or subject.run is None:
        return None
    found = subject.run.host.get("neighbours")
    if found is None:
        return not_observable("the run did not look for other measurements")
    return degraded("; ".join(found)) if found else passed("no other measurement was seen")


@rule("DEGRADED", needs_output=True)
def more_switches(subject: Subject) -> Outcome | None:
    """The site requests nodes below so many switches (Slurm: --switches, PBS: place=group=) and the job's
    nodes lie below more.

    Hint: request fewer nodes, or let the job wait longer (Slurm: --switches=1@12:00:00 in scheduler_options,
    at most max_switch_wait).
    """
    # Slurm waits five minutes by default, then takes others without a message.
    found = subject.host.get("placement") or {}
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
    """The job's nodes are not those that the site's options request: they lack a feature (Slurm:
    --constraint), or are excluded (--exclude), as in an allocation made by hand.

    Hint: let snakemake or ReFrame request the allocation, or give yours scheduler_options of site.yaml.
    """
    found = subject.host.get("placement") or {}
    requested = found.get("requested", {})
    if not found or not subject.has_result:
        return None
    texts = []
    for group in found.get("groups", ()):
        names, features = group["nodes"], group["features"]
        if requested["constraint"] and _fits(group, requested["constraint"]) is False:
            has = f"(features: {' '.join(features or ()) or 'none'})"
            texts.append(f"{listed(names, _MOST_NODES)} without the feature {requested['constraint']} {has}")
        if excluded := [name for name in names if name in requested["exclude"]]:
            texts.append(f"{listed(excluded, _MOST_NODES)} although excluded")
    if texts:
        return degraded(f"measured on {', '.join(texts)}")
    return passed("no node is excluded or lacks a feature")


@rule("DEGRADED", needs_output=True)
def nodes_shared(subject: Subject) -> Outcome | None:
    """The site requests nodes of its own (Slurm: --exclusive, PBS: place=excl) and the job shares them: load
    of other jobs is in the number.

    Hint: let snakemake or ReFrame request the allocation, or give yours scheduler_options of site.yaml.
    """
    found = subject.host.get("placement") or {}
    if not found.get("requested", {}).get("alone") or not subject.has_result:
        return None
    nodes = sum(len(group["nodes"]) for group in found["groups"])
    if found["alone"] is None:
        return not_observable("the batch system does not tell whether the nodes are shared")
    if found["alone"]:
        return passed(f"no other job on the {nodes} nodes")
    return degraded(f"requested nodes of its own, other jobs may share the {nodes} nodes of this one")


def _fits(group: Any, constraint: str) -> bool | None:
    """Whether the group has the constraint, as the run recorded it; older runs recorded single features
    alone."""
    if "fits" in group:
        fits: bool | None = group["fits"]
        return fits
    known = group["features"] is not None and constraint.isidentifier()
    return constraint in group["features"] if known else None
