"""Random order within rounds: every cell once per round, each round in an order of its own.

A drift of the system then hits all cells alike instead of those that happen to come last, and the seed in
each run file lets anyone see the order again.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from weir.terms.model import Cell


@dataclass(frozen=True)
class Execution:
    """One execution to do: run is the round it belongs to, position its context in this session's order."""

    cell: Cell
    run: int
    position: int


def rounds_in_random_order(
    cells: Sequence[Cell], seed: int, is_done: Callable[[Cell, int], bool]
) -> list[Execution]:
    """What is left to do, round by round; finished executions take part in the draw but are not listed."""
    generator = random.Random(seed)
    rounds = max((cell.rounds for cell in cells), default=0)
    todo: list[tuple[Cell, int]] = []
    for round in range(rounds):
        members = [cell for cell in cells if round < cell.rounds]
        generator.shuffle(members)
        todo.extend((cell, round) for cell in members if not is_done(cell, round))
    return [Execution(cell, run, position) for position, (cell, run) in enumerate(todo)]
