"""Labels that are readable and unique within a suite."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from weir.terms.model import Cell


def unique_labels(cells: Sequence[Cell]) -> list[Cell]:
    """Where a tool's label does not tell two cells apart, what differs is added."""
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for index, cell in enumerate(cells):
        groups[cell.suite, cell.label].append(index)
    result = list(cells)
    for indices in (indices for indices in groups.values() if len(indices) > 1):
        for index in indices:
            others = [cells[other] for other in indices]
            result[index] = replace(
                cells[index], label=" ".join([cells[index].label, *_differences(cells[index], others)])
            )
    return result


def _differences(cell: Cell, others: Sequence[Cell]) -> list[str]:
    terms = [
        f"{key}={value}"
        for key, value in cell.params.items()
        if any(other.params.get(key) != value for other in others)
    ]
    if any(other.iterations != cell.iterations for other in others):
        terms.append(f"iterations={cell.iterations}")
    return terms or [cell.cell]
