"""Cells that two programs of a stack measure: its own, whose results count, and that of its cross_check.

Both are in one batch, so that they have the same allocation and the same rounds, in a random order.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace

from weir.plan.config import Config
from weir.plan.expand import DIGITS, Expansion, PlannedCell, too_large, with_cost
from weir.terms.model import CROSS_CHECK, Cell, Site
from weir.tools.base import Tool
from weir.tools.engine import program_name


def cross_checks(planned: Sequence[PlannedCell], config: Config) -> list[PlannedCell]:
    """The cells beside: of each stack and tool as many as its cross_check names, as unlike as the suites have
    them."""
    tools = {one.tool.name: one.tool for suite in config.suites for one in suite.experiments}
    groups: dict[tuple[str, str], list[PlannedCell]] = defaultdict(list)
    for item in planned:
        if config.site.stacks[item.cell.stack].cross_check is not None:
            beside = _beside(item.cell, tools[item.cell.tool], config)
            groups[item.cell.stack, item.cell.tool] += [beside] if beside else []
    return [
        item
        for (stack, _), items in groups.items()
        if (check := config.site.stacks[stack].cross_check)
        for item in unlike(items, check.cells)
    ]


def _beside(cell: Cell, tool: Tool, config: Config) -> PlannedCell | None:
    """The same cell by the other program of its stack, as far as that can measure it; None if it cannot. It
    has runs of its own, so that no run counts in one study and is beside in another."""
    site, written = config.site, config.identities
    own = written.stacks[cell.stack]["programs"]
    command = (own if cell.by_cross_check else written.cross_checks[cell.stack]).get(cell.tool)
    text = f"{CROSS_CHECK} {cell.cell} {command}"
    beside = replace(
        cell,
        cell=hashlib.sha256(text.encode()).hexdigest()[:DIGITS],
        label=f"{cell.label} {CROSS_CHECK}",
        params=tool.comparable(cell.params) if cell.by_cross_check else cell.params,
        by_cross_check=not cell.by_cross_check,
        checks=cell.cell,
        until=None,
    )
    stack, target = site.stacks[cell.stack], site.targets[cell.target]
    if command is None or tool.unsupported(beside, stack.program_of(beside)) or tool.problems(beside, target):
        return None
    if too_large(tool, beside, target, stack):
        return None
    return with_cost(tool, beside, target, site.partitions[cell.partition], stack)


def unlike(items: Sequence[PlannedCell], count: int) -> list[PlannedCell]:
    """So many items, each the one with most values that none before it has; the first of the plan is one."""
    chosen: dict[int, PlannedCell] = {}
    seen: set[Hashable] = set()
    values = [set(_values(item.cell)) for item in items]
    for _ in range(min(count, len(items))):
        left = (index for index in range(len(items)) if index not in chosen)
        best = max(left, key=lambda index: (len(values[index] - seen), -index))
        chosen[best] = items[best]
        seen |= values[best]
    return [chosen[index] for index in sorted(chosen)]


def _values(cell: Cell) -> Iterator[Hashable]:
    yield from (("target", cell.target), ("nodes", cell.nodes), ("ppn", cell.ppn))
    yield from ((name, str(value)) for name, value in cell.params.items())


def check_notes(own: Sequence[PlannedCell], beside: Sequence[PlannedCell], site: Site) -> Iterator[str]:
    """One line for each stack, tool and program whose results count: which other one checks how many."""
    by_name = {item.cell.cell: item.cell for item in own}
    of_all = Counter(_group(item.cell) for item in own)
    groups: dict[tuple[str, str, bool], list[Cell]] = defaultdict(list)
    for item in beside:
        groups[_group(by_name[str(item.cell.checks)])].append(item.cell)
    for group, checks in groups.items():
        stack, tool, by_other = group
        first, second = (
            program_name(site.stacks[stack].program(tool, by)) for by in (by_other, not by_other)
        )
        less = any(cell.params != by_name[str(cell.checks)].params for cell in checks)
        cells = f"{'the writes of ' if less else ''}{len(checks):,} of them"
        whole = f"{first} measures {_cells(of_all[group])} of {tool} with stack {stack}"
        yield f"{whole}; {second} measures {cells} beside it ({CROSS_CHECK})"


def _group(cell: Cell) -> tuple[str, str, bool]:
    return cell.stack, cell.tool, cell.by_cross_check


def _cells(count: int) -> str:
    return f"{count:,} cell{'s' * (count > 1)}"


def instead_notes(expansions: Iterable[Expansion], site: Site) -> Iterator[str]:
    """One line for each reason why a stack's own program cannot measure cells."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for item in expansions:
        for (stack, reason), count in item.instead.items():
            counts[stack, item.experiment.tool.name, reason] += count
    for (stack, tool, reason), count in counts.items():
        first, second = (program_name(site.stacks[stack].program(tool, by)) for by in (False, True))
        yield f"{second} measures {_cells(count)} in place of {first} with stack {stack}: {reason}"
