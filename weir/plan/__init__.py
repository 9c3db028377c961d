"""make_plan: suites and a site in, cells, batches and cost out. Pure: reads no file, starts nothing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from weir.config import Config
from weir.errors import ConfigError, Problem, WeirError, unique
from weir.model import Cell
from weir.plan.expand import Expansion, PlannedCell, expand
from weir.plan.files import plan_data, plan_from_data, read_plan, write_plan
from weir.plan.labels import unique_labels
from weir.plan.model import Batch, Cost, Exclusion, Plan, Shared, SuiteFacts, TargetCost
from weir.plan.packing import MARGIN, packed
from weir.units import about_duration

__all__ = [
    "Batch",
    "Cost",
    "Exclusion",
    "Plan",
    "Shared",
    "SuiteFacts",
    "TargetCost",
    "make_plan",
    "plan_data",
    "plan_from_data",
    "read_plan",
    "write_plan",
]


def make_plan(config: Config) -> Plan:
    """The plan for all suites of the configuration on its site."""
    expansions = _expand_all(config)
    merged, shared = _merge(expansions)
    cells = unique_labels([planned.cell for planned in merged])
    planned = [replace(item, cell=cell) for item, cell in zip(merged, cells, strict=True)]
    batches = _batches(planned, config)
    return Plan(
        site=config.site,
        scale=config.scale,
        suites=tuple(
            SuiteFacts(
                suite.name,
                suite.question,
                suite.description,
                suite.scale,
                {e.name: e.question for e in suite.experiments},
            )
            for suite in config.suites
        ),
        batches=batches,
        exclusions=_exclusions(expansions),
        notes=(*_scale_notes(config), *_empty_notes(expansions, config), *_part_notes(batches, config)),
        shared=shared,
        cost=_cost(planned, config, sum(item.points for item in expansions), len(shared), batches),
    )


def _expand_all(config: Config) -> list[Expansion]:
    expansions = []
    problems: list[Problem] = []
    for experiment in (experiment for suite in config.suites for experiment in suite.experiments):
        try:
            expansions.append(expand(experiment, config))
        except ConfigError as error:
            problems.extend(error.problems)
    if problems:
        raise ConfigError(unique(problems))
    return expansions


def _merge(expansions: list[Expansion]) -> tuple[list[PlannedCell], tuple[Shared, ...]]:
    """Each cell once: the first experiment to ask keeps it, with the most blocks that any asks for."""
    merged: dict[str, PlannedCell] = {}
    shared = []
    for planned in (item for expansion in expansions for item in expansion.cells):
        cell = planned.cell
        first = merged.setdefault(cell.cell, planned)
        if first is planned:
            continue
        shared.append(Shared(cell.cell, cell.suite, cell.experiment, first.cell.suite, first.cell.experiment))
        blocks = max(first.cell.blocks, cell.blocks)
        limit_s = max(first.cell.timeout_s, cell.timeout_s)
        merged[cell.cell] = replace(first, cell=replace(first.cell, blocks=blocks, timeout_s=limit_s))
    return list(merged.values()), tuple(shared)


def _batches(planned: list[PlannedCell], config: Config) -> tuple[Batch, ...]:
    """One for each geometry on each target with each stack, in the order of the site's files; several where
    one job would not do."""
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
                raise WeirError(
                    f"two batches would be named {name}",
                    mend="rename a target or a stack of the site",
                    exit_code=2,
                )
            cells = tuple(item.cell for item in items)
            estimated_s = sum(item.execution_s * item.cell.blocks for item in items)
            batches[name] = Batch(name, partition, nodes, ppn, stack, target, cells, estimated_s)
    targets, stacks = list(config.targets), list(config.stacks)

    def place(batch: Batch) -> tuple[int, int, int, int]:
        return targets.index(batch.target), stacks.index(batch.stack), batch.nodes, batch.ppn

    return tuple(sorted(batches.values(), key=place))  # parts stay in their order


def _exclusions(expansions: list[Expansion]) -> tuple[Exclusion, ...]:
    return tuple(
        Exclusion(
            item.experiment.suite, item.experiment.name, cause, reason, count, item.examples[cause, reason]
        )
        for item in expansions
        for (cause, reason), count in item.excluded.items()
    )


def _scale_notes(config: Config) -> Iterator[str]:
    for suite in config.suites:
        if suite.scale != config.scale:
            yield f"{suite.name} has no scale {config.scale}: planned as it is written"


def _empty_notes(expansions: list[Expansion], config: Config) -> Iterator[str]:
    for item in expansions:
        experiment = item.experiment
        name = f"{experiment.suite}/{experiment.name}"
        if not item.points:
            wanted = " or ".join(experiment.kinds or experiment.targets)
            yield f"{name}: nothing to measure, none of the chosen targets is {wanted}"
        elif not item.cells:
            yield f"{name}: nothing to measure, every combination is left out"


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
            why = f"{name} ends a job after {limit}, and {MARGIN:g} times the expected time is asked for"
            yield f"{what} {sum(parts)}: {why}"


def _cost(
    planned: list[PlannedCell], config: Config, points: int, shared: int, batches: tuple[Batch, ...]
) -> Cost:
    by_target: dict[str, list[PlannedCell]] = defaultdict(list)
    for item in planned:
        by_target[item.cell.target].append(item)
    targets = tuple(
        _target_cost(name, by_target[name], config) for name in config.targets if name in by_target
    )
    return Cost(
        points=points,
        excluded=points - len(planned) - shared,
        shared=shared,
        cells=len(planned),
        executions=sum(item.executions for item in targets),
        measurements=sum(_blocks(item.cell) for item in planned),
        written_bytes=sum(item.written_bytes for item in targets),
        read_bytes=sum(item.read_bytes for item in targets),
        peak_bytes=max((item.peak_bytes for item in targets), default=0),
        peak_inodes=max((item.peak_inodes for item in targets), default=0),
        estimated_s=sum(batch.estimated_s for batch in batches),
        node_hours=sum(batch.estimated_s * batch.nodes for batch in batches) / 3600,
        targets=targets,
    )


def _blocks(cell: Cell) -> int:
    return cell.blocks * cell.iterations


def _target_cost(name: str, planned: list[PlannedCell], config: Config) -> TargetCost:
    return TargetCost(
        target=name,
        cells=len(planned),
        executions=sum(item.cell.blocks for item in planned),
        written_bytes=sum(item.footprint.written_bytes * item.cell.blocks for item in planned),
        read_bytes=sum(item.footprint.read_bytes * item.cell.blocks for item in planned),
        peak_bytes=max(item.footprint.peak_bytes for item in planned),
        space_bytes=config.site.targets[name].space_bytes,
        peak_inodes=max(item.footprint.inodes for item in planned),
        estimated_s=sum(item.execution_s * item.cell.blocks for item in planned),
    )
