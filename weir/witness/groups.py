"""Control groups of the processes of a launch, as one fact."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Limit = Mapping[str, Any]


def groups(processes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The process that was held back most, and the limits of all; older libraries do not look."""
    known = [process["group"] for process in processes if process.get("group")]
    if not known:
        return {}
    limits = _distinct(one for group in known for one in group["block_limits"])
    return {
        "group": {
            "throttled_periods": max(group["throttled_periods"] for group in known),
            "block_limits": limits,
        }
    }


def _distinct(limits: Iterable[Limit]) -> list[Limit]:
    return [dict(one) for one in dict.fromkeys(tuple(sorted(limit.items())) for limit in limits)]
