"""The nodes of the job: whether they are alike, and those that the site requested."""

from __future__ import annotations

from typing import Any

from weir.audit.registry import DEGRADED, Said, rule
from weir.audit.subject import Subject
from weir.schedulers.slurm.placement import has_features


@rule(DEGRADED, needs_output=True)
def slow_node(subject: Subject) -> Said | None:
    """Before the first cell of the job every node did the same work, and one took much longer than the median
    of the nodes. All ranks wait for the slowest, so the number may be that node's and not the storage's.

    Hint: add --exclude=NODE to access in site.yaml (or slow_nodes: stop), tell the administrator, measure
    again; `weir nodes` compares a whole partition.
    """
    slow = _host(subject).get("slow_nodes") or ()
    texts = [
        f"{item['node']}: {item['kind']} took {item['time_s']:.3g} s, "
        f"{item['time_s'] / item['median_s']:.1f} times the median of {item['median_s']:.3g} s"
        for item in slow
    ]
    return Said(DEGRADED, ", ".join(texts)) if texts and subject.has_result else None


@rule(DEGRADED, needs_output=True)
def more_switches(subject: Subject) -> Said | None:
    """The site asks for nodes below so many switches (--switches) and the job's nodes lie below more, so that
    the links between them are part of the number. Slurm waits for such nodes five minutes if nothing else is
    said, and then takes others without a word.

    Hint: let the job wait longer (--switches=1@12:00:00 in access; max_switch_wait in slurm.conf is the upper
    limit), or ask for fewer nodes.
    """
    found = _placement(subject)
    requested = found.get("requested", {}).get("switches")
    below: dict[str, int] = {}
    for group in found.get("groups", ()):
        if group["switch"]:
            below[group["switch"]] = below.get(group["switch"], 0) + len(group["nodes"])
    if requested is None or len(below) <= requested or not subject.has_result:
        return None
    each = ", ".join(f"{count} below {switch}" for switch, count in sorted(below.items()))
    return Said(
        DEGRADED,
        f"requested nodes below {requested} switch{'es' * (requested > 1)}, had {len(below)}: {each}",
    )


@rule(DEGRADED, needs_output=True)
def other_nodes(subject: Subject) -> Said | None:
    """The job's nodes are others than the site's options ask for: they lack a feature of --constraint, or
    --exclude names them. That is so in an allocation made by hand, without those options.

    Hint: let snakemake or ReFrame ask for the allocation, or give salloc what `access` in site.yaml says.
    """
    found = _placement(subject)
    requested = found.get("requested", {})
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
    return Said(DEGRADED, f"measured on {', '.join(texts)}") if texts and subject.has_result else None


@rule(DEGRADED, needs_output=True)
def nodes_shared(subject: Subject) -> Said | None:
    """The site asks for nodes of its own (--exclusive) and the job lets others in: what they did to network,
    memory and storage of the node is in the number.

    Hint: let snakemake or ReFrame ask for the allocation, or give salloc --exclusive.
    """
    found = _placement(subject)
    if not found.get("requested", {}).get("alone") or found["alone"] is not False or not subject.has_result:
        return None
    nodes = sum(len(group["nodes"]) for group in found["groups"])
    return Said(DEGRADED, f"requested --exclusive, Slurm lets other jobs share the {nodes} nodes of this one")


def _host(subject: Subject) -> Any:
    return subject.run.host if subject.run else {}


def _placement(subject: Subject) -> Any:
    return _host(subject).get("placement") or {}


def _few(names: list[str]) -> str:
    """Names of nodes, not a thousand of them."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
