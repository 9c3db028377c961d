"""The cost card as text for people."""

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from weir.base.errors import WeirError
from weir.base.units import about_duration, about_size, counted
from weir.plan.config.suite import FULL
from weir.plan.cost import BatchCosts, learned
from weir.plan.model import Batch, Cost, Plan, TargetCost
from weir.records.model import CROSS_CHECK, Until

_WIDTH = 100
_MOST_BATCHES = 24
_MOST_TARGETS = 7  # targets on a short card
_MOST_TOO_LONG = 4


def cost_card(plan: Plan, costs: Iterable[BatchCosts] = (), scale: str = "") -> str:
    """Sums first, then targets, batches, and the excluded cells with their reasons.

    costs: of earlier batches of the site, from which the range of the time is learned.
    scale: the text of other_scale."""
    return "\n".join(
        [
            *_head(plan, scale),
            *_learned(plan, costs),
            *_targets(plan),
            *_batches(plan),
            *_exclusions(plan),
            *_notes(plan),
        ]
    )


def other_scale(plan: Plan, full: Callable[[], Plan], option: str) -> str:
    """Why the suites are planned at a smaller scale, and what the whole costs; empty where they are whole, or
    the user requested the scale. option: how to request the whole."""
    smaller = {suite.scale for suite in plan.suites} - {FULL}
    if plan.scale_requested or not smaller:
        return ""
    chosen = f"{plan.scale}, the default of site {plan.site.name}"
    try:
        cost = full().cost
    except WeirError as error:
        return f"{chosen}; {FULL} cannot be planned: {error}"
    return f"{chosen}; {FULL} has {_work(cost)}: {option}"


def short_card(plan: Plan, left: int, whole: Path, scale: str = "") -> str:
    """The card in at most twelve lines: what will be measured, where, how much and how long; the rest is in
    the file of the whole card. scale: the text of other_scale."""
    cost = plan.cost
    lines = [
        f"Plan of {_whole(plan)}: {plan.site.description}",
        f"  cells       {cost.cells:,} in {cost.executions:,} executions;"
        f" {cost.cells - left:,} of them are measured"
        + (f"; {cost.excluded:,} excluded: {whole} has the reasons" if cost.excluded else ""),
        f"  volume      {about_size(cost.written_bytes)} written, {about_size(cost.read_bytes)} read;"
        f" peak space {about_size(cost.peak_bytes)}",
        f"  time        {_duration(cost)}",
        *([f"  scale       {scale}"] if scale else []),
    ]
    # Real storage first.
    ordered = sorted(cost.targets, key=lambda item: plan.site.targets[item.target].emulated)
    shown = ordered[: _MOST_TARGETS - bool(scale)]
    width = max((len(item.target) for item in shown), default=0)
    for item in shown:
        target = plan.site.targets[item.target]
        about = f"{target.description}{' (E)' if target.emulated else ''}"
        lines.append(f"  {item.target:{width}}  {about}, {_duration(item)}"[:_WIDTH])
    if len(cost.targets) > len(shown):
        lines.append(f"  and {counted(len(cost.targets) - len(shown), 'more target')}")
    return "\n".join(lines)


def _whole(plan: Plan) -> str:
    suites = ", ".join(f"{suite.suite} (scale {suite.scale})" for suite in plan.suites)
    return f"{suites} on {plan.site.name}"


def _head(plan: Plan, scale: str) -> Iterator[str]:
    cost = plan.cost
    yield f"Plan of {_whole(plan)}: {_work(cost)}"
    yield f"  {plan.site.description}"
    yield ""
    if scale:
        yield f"  scale         {scale}"
    duplicates = f", {cost.shared:,} duplicates" if cost.shared else ""
    less = f"{cost.excluded:,} excluded{duplicates}"
    beside = sum(cell.checks is not None for cell in plan.cells)
    less += f"; {beside:,} of the cells are a {CROSS_CHECK}" if beside else ""
    yield f"  cells         {cost.cells:,} ({cost.points:,} combinations: {less})"
    yield f"  executions    {cost.executions:,}, giving {cost.measurements:,} measurements of each access"
    if cost.most_executions > cost.executions:
        ends = "; ".join(sorted({_condition(cell.until) for cell in plan.cells if cell.until}))
        yield f"  added rounds  up to {cost.most_executions:,} executions, {ends}"
    here = f", and {cost.reachable:,} of those can run here" if cost.reachable != cost.valid else ""
    whole = f"{cost.factorial:,} executions if all combinations were run"
    yield f"  everything    {whole}: {cost.valid:,} are valid{here}"
    yield f"  written       {about_size(cost.written_bytes)}"
    yield f"  read          {about_size(cost.read_bytes)}"
    yield f"  peak space    {about_size(cost.peak_bytes)} and {counted(cost.peak_inodes, 'file')} at a time"
    hours = _range(_hours(cost.low_node_hours), _hours(cost.high_node_hours))
    yield f"  time          {_duration(cost)} in {counted(cost.launches, 'launch')}, {hours} node-hours"


def _learned(plan: Plan, costs: Iterable[BatchCosts]) -> Iterator[str]:
    """Earlier batches compared with their cards, and the estimate from them for this plan."""
    found = learned(plan, costs)
    if found is None:
        return
    ratios = [each.ratio for each in found.sessions]
    of = f"{found.batches} of {len(plan.batches)} batches, from {len(ratios)} earlier ones"
    yield f"  learned time  {_range(about_duration(found.low_s), about_duration(found.high_s))} ({of})"
    bytes_ = _sum_ratio([(each.actual_bytes, each.expected_bytes) for each in found.sessions])
    inodes = _sum_ratio([(each.actual_inodes, each.expected_inodes) for each in found.sessions])
    times = _range(f"{min(ratios):.2g}", f"{max(ratios):.2g}")
    yield f"  earlier cost  {times} of the expected time, {bytes_} of the bytes, {inodes} of the files"


def _sum_ratio(pairs: Sequence[tuple[int, int]]) -> str:
    expected = sum(pair[1] for pair in pairs)
    return f"{sum(pair[0] for pair in pairs) / expected:.2f}" if expected else "none"


def _condition(until: Until) -> str:
    budget = "" if until.budget_s is None else f", {about_duration(until.budget_s)} an experiment"
    return f"until ±{until.half_width * 100:.3g} % of the median, {until.at_most} rounds{budget}"


def _targets(plan: Plan) -> Iterator[str]:
    if not plan.cost.targets:
        return
    yield ""
    rows = [_target_row(item) for item in plan.cost.targets]
    yield from _table(
        ("target", "cells", "executions", "written", "read", "peak space", "limit", "time"), rows
    )
    yield ""
    for item in plan.cost.targets:
        target = plan.site.targets[item.target]
        about = f"  {target.name}: {target.description}{' (emulated)' if target.emulated else ''}"
        yield f"{about}; assumed {target.write_mib_s:,.0f} MiB/s written, {target.read_mib_s:,.0f} MiB/s read"


def _target_row(item: TargetCost) -> tuple[str, ...]:
    limit = about_size(item.space_bytes) if item.space_bytes else "none set"
    moved = (about_size(size) for size in (item.written_bytes, item.read_bytes, item.peak_bytes))
    return item.target, f"{item.cells:,}", f"{item.executions:,}", *moved, limit, _duration(item)


def _batches(plan: Plan) -> Iterator[str]:
    if not plan.batches:
        return
    yield ""
    rows = [_batch_row(batch) for batch in plan.batches[:_MOST_BATCHES]]
    head = ("batch", "partition", "cells", "executions", "launches", "time", "node-hours")
    yield from _table(head, rows)
    if len(plan.batches) > _MOST_BATCHES:
        rest = plan.batches[_MOST_BATCHES:]
        low = about_duration(sum(batch.low_s for batch in rest))
        high = about_duration(sum(batch.high_s for batch in rest))
        time = _range(low, high)
        cells = counted(sum(len(batch.cells) for batch in rest), "cell")
        yield f"  and {counted(len(rest), 'more batch')} of {cells}, {time}"
    limits = {name: item.time_limit_s for name, item in plan.site.partitions.items()}
    too_long = [item for item in plan.batches if 0 < limits[item.partition] < item.estimated_s]
    for batch in too_long[:_MOST_TOO_LONG]:
        need, have = about_duration(batch.estimated_s), about_duration(limits[batch.partition])
        yield f"  {batch.batch} needs {need}, {batch.partition} allows {have}: several allocations"
    if len(too_long) > _MOST_TOO_LONG:
        yield f"  and {len(too_long) - _MOST_TOO_LONG} more that need several allocations"


def _batch_row(batch: Batch) -> tuple[str, ...]:
    low, high = (_hours(time_s * batch.nodes / 3600) for time_s in (batch.low_s, batch.high_s))
    counts = (f"{count:,}" for count in (len(batch.cells), batch.executions, batch.launches))
    return batch.batch, batch.partition, *counts, _duration(batch), _range(low, high)


def _exclusions(plan: Plan) -> Iterator[str]:
    if not plan.exclusions:
        return
    yield ""
    yield "  excluded"
    for item in sorted(plan.exclusions, key=lambda item: (item.suite, item.experiment, -item.count)):
        text = f"{item.suite}/{item.experiment}: {item.reason}"
        yield from textwrap.wrap(
            text,
            _WIDTH,
            initial_indent=f"  {item.count:>8,}  ",
            subsequent_indent=" " * 14,
            break_on_hyphens=False,
        )


def _notes(plan: Plan) -> Iterator[str]:
    if plan.notes:
        yield ""
        for note in plan.notes:
            yield from textwrap.wrap(note, _WIDTH, initial_indent="  note: ", subsequent_indent="        ")


def _work(cost: Cost) -> str:
    return f"{counted(cost.cells, 'cell')}, {counted(cost.executions, 'execution')}, {_duration(cost)}"


def _duration(item: Cost | Batch | TargetCost) -> str:
    return _range(about_duration(item.low_s), about_duration(item.high_s))


def _range(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def _hours(hours: float) -> str:
    if hours < 0.01:
        return "< 0.01"
    return f"{hours:.2f}" if hours < 10 else f"{hours:,.0f}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Columns as wide as they must be; the first to the left, numbers to the right."""
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    for line in lines:
        cells = [
            cell.ljust(width) if column == 0 or head[column] == "partition" else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        yield "  " + "  ".join(cells).rstrip()
