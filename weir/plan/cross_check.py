"""Cells that two programs of a stack measure: its own, whose results count, and that of its cross_check.

Both are in one batch, so that they have the same allocation and the same rounds, in a random order.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from weir.base.units import counted
from weir.plan.config import Config
from weir.plan.expand import DIGITS, Expansion, PlannedCell, too_large, with_cost
from weir.terms.model import CROSS_CHECK, Cell, Site, is_check
from weir.tools.base import Tool
from weir.tools.engine import program_name


def cross_checks(planned: Sequence[PlannedCell], config: Config) -> list[PlannedCell]:
    """The cells beside: of each stack and tool as many as its cross_check names, as unlike as the suites have
    them."""
    tools = {one.tool.name: one.tool for suite in config.suites for one in suite.experiments}
    groups: dict[tuple[str, str], list[tuple[PlannedCell, ...]]] = defaultdict(list)
    for item in planned:
        if config.site.stacks[item.cell.stack].cross_check is not None:
            beside = _beside(item.cell, tools[item.cell.tool], config)
            groups[item.cell.stack, item.cell.tool] += [beside] if beside else []
    return [
        item
        for (stack, _), found in groups.items()
        if (check := config.site.stacks[stack].cross_check)
        for items in unlike(found, check.cells)
        for item in items
    ]


def _beside(cell: Cell, tool: Tool, config: Config) -> tuple[PlannedCell, ...]:
    """The same cell by the other program of its stack, as far as that can measure it; empty if it cannot.
    Before it stands the cell by its own program without what the other lacks, where that makes another
    result."""
    params = tool.comparable(cell.params)
    reference = None
    if cell.by_cross_check and not tool.measures_alike(cell.params):
        reference = _twin(cell, cell, params, cell.by_cross_check, tool, config)
        if reference is None:
            return ()
    checked = reference.cell if reference else cell
    other = _twin(cell, checked, params, not cell.by_cross_check, tool, config)
    return tuple(item for item in (reference, other) if item) if other else ()


def _twin(
    cell: Cell, checked: Cell, params: Mapping[str, Any], by_other: bool, tool: Tool, config: Config
) -> PlannedCell | None:
    """The cell with these parameters by one of the programs of its stack. It has runs of its own, so that no
    run counts in one study and is beside in another."""
    site, written = config.site, config.identities
    own = written.stacks[cell.stack]["programs"]
    command = (written.cross_checks[cell.stack] if by_other else own).get(cell.tool)
    text = f"{CROSS_CHECK} {cell.cell} {command}"
    beside = replace(
        cell,
        cell=hashlib.sha256(text.encode()).hexdigest()[:DIGITS],
        label=f"{cell.label} {CROSS_CHECK}",
        params=params,
        by_cross_check=by_other,
        checks=checked.cell,
        until=None,
    )
    stack, target = site.stacks[cell.stack], site.targets[cell.target]
    if command is None or tool.unsupported(beside, stack.program_of(beside)) or tool.problems(beside, target):
        return None
    if too_large(tool, beside, target, stack):
        return None
    return with_cost(tool, beside, target, site.partitions[cell.partition], stack)


def unlike(items: Sequence[tuple[PlannedCell, ...]], count: int) -> list[tuple[PlannedCell, ...]]:
    """So many items, each the one with most values that none before it has; the first of the plan is one."""
    chosen: dict[int, tuple[PlannedCell, ...]] = {}
    seen: set[Hashable] = set()
    values = [set(_values(item[-1].cell)) for item in items]
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
    by_name = {item.cell.cell: item.cell for item in (*own, *beside)}
    of_all = Counter(_group(item.cell) for item in own)
    groups: dict[tuple[str, str, bool], list[Cell]] = defaultdict(list)
    for item in beside:
        checked = by_name[str(item.cell.checks)]
        if is_check(item.cell, checked):
            groups[_group(checked)].append(item.cell)
    for group, checks in groups.items():
        stack, tool, by_other = group
        first, second = (
            program_name(site.stacks[stack].program(tool, by)) for by in (by_other, not by_other)
        )
        twice = any(by_name[str(cell.checks)].checks for cell in checks)
        less = any(cell.params["access"] != _root(cell, by_name).params["access"] for cell in checks)
        cells = f"{'the writes of ' if less else ''}{len(checks):,} of them"
        whole = f"{first} measures {counted(of_all[group], 'cell')} of {tool} with stack {stack}"
        both = f"both programs measure {cells} without what {second} lacks"
        yield f"{whole}; {both if twice else f'{second} measures {cells}'} beside it ({CROSS_CHECK})"


def _root(cell: Cell, by_name: Mapping[str, Cell]) -> Cell:
    """The cell of the suite beside which this one is measured."""
    while cell.checks:
        cell = by_name[cell.checks]
    return cell


def _group(cell: Cell) -> tuple[str, str, bool]:
    return cell.stack, cell.tool, cell.by_cross_check


def instead_notes(expansions: Iterable[Expansion], site: Site) -> Iterator[str]:
    """One line for each reason why a stack's own program cannot measure cells."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for item in expansions:
        for (stack, reason), count in item.instead.items():
            counts[stack, item.experiment.tool.name, reason] += count
    for (stack, tool, reason), count in counts.items():
        first, second = (program_name(site.stacks[stack].program(tool, by)) for by in (False, True))
        yield f"{second} measures {counted(count, 'cell')} in place of {first} with stack {stack}: {reason}"
