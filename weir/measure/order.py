"""Blocked random order: every cell once per block, each block in an order of its own.

A drift of the system then hits all cells alike instead of those that happen to come last, and the seed in
each run file lets anyone see the order again.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from weir.model import Cell


@dataclass(frozen=True)
class Execution:
    """One execution to do: run is the block it belongs to, position its place in this session's order."""

    cell: Cell
    run: int
    position: int


def blocked_order(cells: Sequence[Cell], seed: int, is_done: Callable[[Cell, int], bool]) -> list[Execution]:
    """What is left to do, block by block; finished executions take part in the draw but are not listed."""
    generator = random.Random(seed)
    blocks = max((cell.blocks for cell in cells), default=0)
    todo: list[tuple[Cell, int]] = []
    for block in range(blocks):
        members = [cell for cell in cells if block < cell.blocks]
        generator.shuffle(members)
        todo.extend((cell, block) for cell in members if not is_done(cell, block))
    return [Execution(cell, run, position) for position, (cell, run) in enumerate(todo)]
