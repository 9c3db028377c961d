"""make_plan: suites and a site in, cells, batches and cost out. Pure: reads no file, starts nothing."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from weir.base.errors import ConfigError, InputError, Problem, unique
from weir.base.units import about_duration, counted, number_list
from weir.plan.allocation import MARGIN, packed
from weir.plan.config import Config
from weir.plan.expand import (
    DIGITS,
    MOST_POINTS,
    Expansion,
    PlannedCell,
    expand,
    points_of,
    too_large,
    with_cost,
)
from weir.plan.model import Batch, Exclusion, Plan, Shared, SuiteFacts, UnreachableCounts
from weir.plan.totals import added_span, batch_cost, moved_bytes, plan_cost, stricter, with_shares
from weir.records.model import CROSS_CHECK, Cell, Site, grouped, is_check, root_of
from weir.tools.base import Tool
from weir.tools.engine import program_name

MOST_EXECUTIONS = 1_000_000


def make_plan(config: Config) -> Plan:
    """The plan for all suites of the configuration on its site."""
    expansions = _expand_all(config)
    merged, shared = _merge(expansions)
    cells = _unique_labels([planned.cell for planned in merged])
    own = with_shares([replace(item, cell=cell) for item, cell in zip(merged, cells, strict=True)])
    checks = _cross_checks(own, config)
    planned = [*own, *checks]
    batches = _batches(planned, config)
    beyond = _out_of_reach(expansions)
    return Plan(
        site=config.site,
        scale=config.scale,
        scale_requested=config.scale_requested,
        suites=tuple(
            SuiteFacts(
                suite.name,
                suite.question,
                suite.description,
                suite.scale,
                {e.name: e.question for e in suite.experiments},
                suite.tags,
                suite.claims,
            )
            for suite in config.suites
        ),
        batches=batches,
        exclusions=_exclusions(expansions),
        unreachable=beyond,
        notes=(
            *_scale_notes(config),
            *_reach_notes(beyond, config),
            *_empty_notes(expansions),
            *_stack_notes(expansions),
            *_instead_notes(expansions, config.site),
            *_check_notes(own, checks, config.site),
            *_part_notes(batches, config),
        ),
        shared=shared,
        cost=plan_cost(planned, len(checks), expansions, len(shared), batches, config),
    )


def _expand_all(config: Config) -> list[Expansion]:
    expansions = []
    problems: list[Problem] = []
    points = executions = 0
    for experiment in (experiment for suite in config.suites for experiment in suite.experiments):
        points += points_of(experiment, config)
        if points > MOST_POINTS:
            message, hint = f"the plan has {points:,} combinations up to here", f"at most {MOST_POINTS:,}"
            raise ConfigError([*problems, experiment.file.problem(experiment.keys, message, hint)])
        try:
            expansions.append(expand(experiment, config))
        except ConfigError as error:
            problems.extend(error.problems)
            continue
        executions += sum(item.cell.most_rounds for item in expansions[-1].cells)
        if executions > MOST_EXECUTIONS:
            problems.append(_too_many(expansions[-1], executions))
            break
    if problems:
        raise ConfigError(unique(problems))
    return expansions


def _too_many(expansion: Expansion, executions: int) -> Problem:
    """Each has a directory with its outputs, and all of them are looked at before the first one starts."""
    each_s = [item.span.expected_s for item in expansion.cells]
    cost = about_duration(executions * sum(each_s) / len(each_s))
    message = f"the plan has {executions:,} executions up to here, about {cost}"
    hint = f"fewer rounds, or a smaller at_most: a plan has at most {MOST_EXECUTIONS:,} executions"
    return expansion.experiment.file.problem(expansion.experiment.keys, message, hint)


def _merge(expansions: list[Expansion]) -> tuple[list[PlannedCell], tuple[Shared, ...]]:
    """Each cell once: the first experiment to ask keeps it, with the most rounds that any requests."""
    merged: dict[str, PlannedCell] = {}
    shared = []
    for planned in (item for expansion in expansions for item in expansion.cells):
        cell = planned.cell
        first = merged.setdefault(cell.cell, planned)
        if first is planned:
            continue
        shared.append(Shared(cell.cell, cell.suite, cell.experiment))
        rounds = max(first.cell.rounds, cell.rounds)
        limit_s = max(first.cell.timeout_s, cell.timeout_s)
        until = stricter(first.cell.until, cell.until)
        both = replace(first.cell, rounds=rounds, timeout_s=limit_s, until=until)
        merged[cell.cell] = replace(first, cell=both)
    return list(merged.values()), tuple(shared)


def _batches(planned: list[PlannedCell], config: Config) -> tuple[Batch, ...]:
    """One for each geometry on each target with each stack, in the order of the site's files, emulated
    storage last; several where one job would not do."""
    groups: dict[tuple[str, str, str, int, int], list[PlannedCell]] = defaultdict(list)
    for item in planned:
        cell = item.cell
        groups[cell.target, cell.stack, cell.partition, cell.nodes, cell.ppn].append(item)
    batches: dict[str, Batch] = {}
    for (target, stack, partition, nodes, ppn), group in groups.items():
        parts = packed(group, config.site.partitions[partition])
        for number, items in enumerate(parts, start=1):
            name = f"{target}-{stack}-{nodes}x{ppn}" + (f"-part{number}" if number > 1 else "")
            if name in batches:
                hint = "rename a target or a stack of the site"
                raise InputError(f"two batches would be named {name}", hint=hint)
            cells = tuple(item.cell for item in items)
            span, launches = batch_cost(items, config.site.partitions[partition])
            added = added_span(items)
            batches[name] = Batch(
                name,
                partition,
                nodes,
                ppn,
                stack,
                target,
                cells,
                span.expected_s,
                launches,
                span.low_s,
                span.high_s + added.high_s,
                added.expected_s,
                sum(item.cell.rounds * moved_bytes(item.footprint) for item in items),
                max(item.footprint.inodes for item in items),
            )
    targets, stacks = list(config.targets), list(config.stacks)

    def place(batch: Batch) -> tuple[bool, int, int, int, int]:
        target = batch.target
        emulated = config.site.targets[target].emulated
        return emulated, targets.index(target), stacks.index(batch.stack), batch.nodes, batch.ppn

    return tuple(sorted(batches.values(), key=place))  # parts stay in their order


def _exclusions(expansions: list[Expansion]) -> tuple[Exclusion, ...]:
    return tuple(
        Exclusion(item.experiment.suite, item.experiment.name, cause, reason, count)
        for item in expansions
        for (cause, reason), count in item.excluded.items()
    )


def _scale_notes(config: Config) -> Iterator[str]:
    """Nobody requested a site's own scale: a suite without it is as it is meant."""
    for suite in config.suites:
        if config.scale_requested and suite.scale != config.scale:
            yield f"{suite.name} has no scale {config.scale}: planned as it is written"


def _out_of_reach(expansions: list[Expansion]) -> tuple[UnreachableCounts, ...]:
    """Counts of each suite that the site does not have, in the order of suites."""
    found = []
    for suite in dict.fromkeys(item.experiment.suite for item in expansions):
        own = [item for item in expansions if item.experiment.suite == suite]
        cells = [planned.cell for item in own for planned in item.cells]
        nodes = set().union(*(item.beyond["nodes"] for item in own)) - {cell.nodes for cell in cells}
        ppn = set().union(*(item.beyond["ppn"] for item in own)) - {cell.ppn for cell in cells}
        if nodes or ppn:
            found.append(UnreachableCounts(suite, tuple(sorted(nodes)), tuple(sorted(ppn))))
    return tuple(found)


def _reach_notes(beyond: Iterable[UnreachableCounts], config: Config) -> Iterator[str]:
    for item in beyond:
        limits = [f"{number_list(item.nodes)} nodes"] if item.nodes else []
        limits += [f"{number_list(item.ppn)} processes per node (max_ppn)"] if item.ppn else []
        yield f"{item.suite}: {' and '.join(limits)} are out of reach of site {config.site.name} and dropped"


def _empty_notes(expansions: list[Expansion]) -> Iterator[str]:
    for item in expansions:
        experiment = item.experiment
        name = f"{experiment.suite}/{experiment.name}"
        if not item.points:
            wanted = " or ".join(experiment.kinds or experiment.targets)
            yield f"{name}: nothing to measure, none of the chosen targets is {wanted}"
        elif not item.cells:
            yield f"{name}: nothing to measure, every combination is excluded"


def _stack_notes(expansions: list[Expansion]) -> Iterator[str]:
    """A stack that is added to a site multiplies the cells of every suite that names none."""
    free = [item for item in expansions if not item.experiment.stacks]
    for suite in dict.fromkeys(item.experiment.suite for item in free):
        cells = [planned.cell for item in free if item.experiment.suite == suite for planned in item.cells]
        stacks = list(dict.fromkeys(cell.stack for cell in cells))
        if len(stacks) > 1:
            names = ", ".join(stacks)
            yield f"{suite} names no stacks: measured on each of {names}; --stack NAME chooses one"


def _part_notes(batches: Iterable[Batch], config: Config) -> Iterator[str]:
    """One line for each partition whose limit makes several jobs of what would be one."""
    jobs: dict[str, Counter[str]] = defaultdict(Counter)
    for batch in batches:
        jobs[batch.partition][batch.place] += 1
    for name, counts in jobs.items():
        parts = [count for count in counts.values() if count > 1]
        if parts:
            limit = about_duration(config.site.partitions[name].time_limit_s)
            what = "one batch became" if len(parts) == 1 else f"{len(parts)} batches became"
            why = f"{name} ends a job after {limit}, and {MARGIN:g} times the expected time is requested"
            yield f"{what} {sum(parts)}: {why}"


def _unique_labels(cells: Sequence[Cell]) -> list[Cell]:
    """Adds the differences to the labels of cells that a tool's label does not tell apart."""
    groups = grouped(((cell.suite, cell.label), index) for index, cell in enumerate(cells))
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


def _cross_checks(planned: Sequence[PlannedCell], config: Config) -> list[PlannedCell]:
    """The cells that the cross_check of a stack measures beside its own program, whose results count. Of each
    stack and tool they are as many as it names, as unlike as the suites have them. Both are in one batch, so
    that they have the same allocation and the same rounds, in a random order."""
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
        for items in _unlike(found, check.cells)
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


def _unlike(items: Sequence[tuple[PlannedCell, ...]], count: int) -> list[tuple[PlannedCell, ...]]:
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


def _check_notes(own: Sequence[PlannedCell], beside: Sequence[PlannedCell], site: Site) -> Iterator[str]:
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
        less = any(cell.params["access"] != root_of(cell, by_name).params["access"] for cell in checks)
        cells = f"{'the writes of ' if less else ''}{len(checks):,} of them"
        whole = f"{first} measures {counted(of_all[group], 'cell')} of {tool} with stack {stack}"
        both = f"both programs measure {cells} without what {second} lacks"
        yield f"{whole}; {both if twice else f'{second} measures {cells}'} beside it ({CROSS_CHECK})"


def _group(cell: Cell) -> tuple[str, str, bool]:
    return cell.stack, cell.tool, cell.by_cross_check


def _instead_notes(expansions: Iterable[Expansion], site: Site) -> Iterator[str]:
    """One line for each reason why a stack's own program cannot measure cells."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for item in expansions:
        for (stack, reason), count in item.instead.items():
            counts[stack, item.experiment.tool.name, reason] += count
    for (stack, tool, reason), count in counts.items():
        first, second = (program_name(site.stacks[stack].program(tool, by)) for by in (False, True))
        yield f"{second} measures {counted(count, 'cell')} in place of {first} with stack {stack}: {reason}"
