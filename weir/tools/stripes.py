"""The parameter stripe_count of tools that write files; weir applies it before the program starts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from weir.model import Cell, Target
from weir.tools.base import Parameter

STRIPE_COUNT = Parameter(
    "count", "Stripes of each file, where the file system has stripes; 0 leaves it to the file system.", 0
)


def stripe_problems(cell: Cell, target: Target) -> Iterator[str]:
    """A count that the target's files cannot have."""
    count, most = cell.params.get("stripe_count", 0), target.max_stripe_count
    if count and not most:
        yield f"files of target {target.name} have no stripes: stripe_count must be 0"
    elif count > most:
        yield f"files of target {target.name} have at most {most} stripes, not {count}"


def stripe_terms(params: Mapping[str, Any]) -> list[str]:
    """For the label of a cell."""
    return [f"stripes-{params['stripe_count']}"] if params["stripe_count"] else []
