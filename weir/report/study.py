"""The facts about the measurement for the top of a page, from the facts.json that the analysis in R
reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from weir.base.units import about_size

Facts = Mapping[str, Any]


def study_of(facts: Facts, name: str) -> dict[str, Any]:
    """The facts, like page_study() of analysis/R/page.R."""
    site, about = facts.get("site"), facts.get("about") or {}
    machines, suites = facts.get("machines") or [], facts.get("suites") or []
    machine = machines[0] if machines else {}
    memory = machine.get("memory_bytes")
    return {
        "name": name,
        "site": (site or {}).get("site") or "",
        "description": (site or {}).get("description") or "",
        **{key: about.get(key) or "" for key in ("title", "citation", "system")},
        "archived": site is None,
        "question": suites[0]["question"] if suites else "",
        "suites": ", ".join(map(_suite, suites)),
        "host": machine.get("node") or "",
        "processor": machine.get("processor") or "",
        "cores": machine.get("cores"),
        "memory": about_size(memory) if memory else "",
        "kernel": machine.get("kernel") or "",
        "nodes": len(machines),
        "began": facts.get("began") or "",
        "weir": facts.get("weir_version") or "",
        "executions": facts.get("finished_executions"),
        "failed": facts.get("failed_executions"),
        "digest": facts.get("digest") or "",
    }


def _suite(one: Facts) -> str:
    return f"{one['suite']} (scale {one['scale']})" if one.get("scale") else str(one["suite"])


def targets_of(facts: Facts, points: Iterable[Facts]) -> list[dict[str, Any]]:
    """The targets with points: real storage first, the memory of the node, a ceiling, after the rest."""
    known = {str(one["target"]): one for one in facts.get("targets") or ()}
    found = dict.fromkeys((str(one["target"]), bool(one["emulated"])) for one in points)
    kept = ("kind", "file_system", "device", "path", "description")
    rows = [
        {"name": name, "emulated": emulated} | {key: known.get(name, {}).get(key) or "" for key in kept}
        for name, emulated in found
    ]
    return sorted(rows, key=lambda one: (one["emulated"], one["kind"] == "memory"))
