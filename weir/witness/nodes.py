"""Facts of the nodes that the processes of a launch ran on: their control groups, and their processors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Limit = Mapping[str, Any]
Process = Mapping[str, Any]


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


def processors(processes: Sequence[Process]) -> dict[str, Any]:
    """Looks for the node where most ranks share a processor. There is nothing without ranks, and of older
    libraries, which do not look."""
    ranks = [one for one in processes if one["rank"] >= 0 and one.get("processors")]
    found = [_of_node([one for one in ranks if one["host"] == host]) for host in _hosts(ranks)]
    if not found:
        return {}
    count, allowed = max(found, key=lambda node: node[0] / node[1])
    return {"processors": {"ranks": count, "allowed": allowed}}


def _hosts(processes: Sequence[Process]) -> Iterable[str]:
    return dict.fromkeys(str(one["host"]) for one in processes)


def _of_node(processes: Sequence[Process]) -> tuple[int, int]:
    """Counts ranks, and the processors that these may run on together. A rank may be several processes."""
    numbers = {number for one in processes for number in _numbers(one["processors"])}
    return len({one["rank"] for one in processes}), len(numbers)


def _numbers(text: str) -> Iterable[int]:
    """The kernel writes a list such as 0-3,8."""
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)
