"""weir run: batches of a plan, measured in one session for Snakemake, ReFrame and people. It skips what has
its run, so it may be ended at any time."""

import argparse
import contextlib
import json
import math
import secrets
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from weir.base.errors import TargetUnavailableError, WeirError, did_you_mean, from_os_error
from weir.base.files import require_plain_path
from weir.base.options import Parser
from weir.base.processes import EXIT_INTERRUPTED, Interrupt
from weir.base.units import HintedError, parse_duration
from weir.collect.intervals import width_meter
from weir.collect.judged import rows_text
from weir.collect.measured import batch_costs
from weir.measure.batches import measure_in_rounds, measure_in_turn, preflight
from weir.measure.clean_up.starter import follow_the_starter
from weir.measure.handover import write_errors
from weir.measure.preflight import Check
from weir.measure.receipt import deliver
from weir.measure.session import PlannedBatch, Session, SessionBatch, planned_batch
from weir.plan import Batch, Plan, read_plan
from weir.plan.cost import append_costs

NAME = "run"
GROUP = "measure"
HELP = "measure the batches of a plan: random order, time limits, resume, clean-up"
EXAMPLE = "weir run --plan results/local/quick/plan.json --batch memory-debian-1x2 --results results/local"

_LONG_ROUND_S = 5.0


def add_arguments(parser: Parser) -> None:
    parser.path("--plan", "PLAN", "plan.json of weir plan", required=True)
    parser.path("--results", "RESULTS", "folder of the site, that holds runs/", required=True)
    parser.repeated("--batch", "BATCH", "measure this batch only; may be repeated")
    parser.repeated(
        "--beside",
        "BATCH",
        "measure the rounds of this batch in turns with those of --batch, which alone decides the exit "
        "code and has a receipt; may be repeated",
    )
    parser.value("--seed", "SEED", "seed of the random order; by default drawn, and recorded", type=int)
    parser.add_argument(
        "--interleave",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="measure one round of every batch, then the next: a busy minute then meets all batches",
    )
    parser.flag("--retry-failed", "run failed executions again")
    parser.value(
        "--kept-since",
        "SECONDS",
        "with --retry-failed: only runs that failed before this time, in seconds since 1970",
        type=float,
        default=math.inf,
    )
    parser.flag(
        "--any-kind",
        "measure also where the target's kind is not that of its file system: the records are INVALID",
    )
    parser.flag("--preflight", "check targets and programs, measure nothing")
    parser.path("--receipt", "RECEIPT", "write the counts to this file when the batches are through")
    parser.path("--errors", "ERRORS", "write the reason of a failure to this file, as JSON")
    parser.flag(
        "--page",
        "write live.html beside a plan in the folder of its study, before and after each round: what "
        "the study shows so far",
    )
    parser.path("--progress", "PROGRESS", "append a line for each execution to this file")
    parser.value(
        "--wait",
        "DURATION",
        "time to wait for another measurement of the target, such as 10 min; default: none",
        type=_duration_s,
        default=0.0,
    )
    parser.flag("--json", "print the counts as JSON")


def execute(args: argparse.Namespace) -> int:
    if args.errors:
        args.errors.unlink(missing_ok=True)
    interrupt = Interrupt()
    follow_the_starter()
    try:
        return _measure(args)
    except WeirError as error:
        write_errors(error, args.errors)
        raise
    except OSError as error:
        write_errors(from_os_error(error), args.errors)
        raise
    except KeyboardInterrupt:
        hint = "run again: finished runs are kept"
        stop = WeirError(interrupt.text, hint=hint, exit_code=EXIT_INTERRUPTED)
        write_errors(stop, args.errors)
        raise stop from None


def _duration_s(text: str) -> float:
    try:
        return parse_duration(text)
    except HintedError as error:
        raise argparse.ArgumentTypeError(f"{error}; {error.hint}") from None


def _measure(args: argparse.Namespace) -> int:
    plan = read_plan(args.plan)
    chosen = [_batch(plan, name) for name in args.batch] or list(plan.batches)
    results = require_plain_path(args.results.resolve(), "the directory of --results,")
    if args.preflight:
        rows = [
            row
            for batch in chosen
            for row in _checks(planned_batch(plan, batch, results, args.any_kind), args.wait)
        ]
        return _print_checks(rows, args.json)
    exit_code = deliver(_measured(plan, chosen, results, args), len(chosen), args.json, args.receipt)
    for line in () if args.json else _cross_check(plan, chosen, results):
        print(line)
    return exit_code


def _measured(plan: Plan, chosen: Sequence[Batch], results: Path, args: argparse.Namespace) -> Session:
    """Measures the chosen batches, which decide what becomes of the session. A batch beside them is measured
    as far as their turns take, and has a job of its own, which meets its faults again."""
    if args.beside and len(chosen) != 1:
        raise WeirError("needs exactly one --batch", key="--beside", exit_code=2)
    batches = [*chosen, *(_batch(plan, name) for name in args.beside)]
    session = Session.of_plan(
        plan,
        batches,
        results,
        args.any_kind,
        seed=secrets.randbits(32) if args.seed is None else args.seed,
        retry_failed=args.retry_failed,
        kept_since=args.kept_since,
        wait_s=args.wait,
        width_of=width_meter(results),
        judge=rows_text,
        progress_file=args.progress,
    )
    page = _page(plan, args.plan.resolve().parent, results) if args.page else None
    between = page or (lambda: None)
    if args.beside:
        measure_in_rounds(session, until_first=True, between=between)
    elif args.interleave and (len(chosen) > 1 or (page and _have_long_rounds(chosen))):
        measure_in_rounds(session, between=between)
    else:
        measure_in_turn(session)
    _keep_costs(batches, session.batches, results)
    for batch in session.batches[len(chosen) :]:
        if reason := batch.unavailable or batch.error:
            print(f"weir: {batch.planned.batch}, beside: {reason}", file=sys.stderr)
    return session


def _batch(plan: Plan, name: str) -> Batch:
    try:
        return plan.batch(name)
    except KeyError:
        hint = did_you_mean(name, [batch.batch for batch in plan.batches])
        raise WeirError(f"the plan has no batch '{name}'", key="--batch", hint=hint, exit_code=2) from None


def _have_long_rounds(batches: Sequence[Batch]) -> bool:
    """Rounds of one batch have launches of their own if somebody would wait for the page."""
    return any(
        batch.estimated_s / max(cell.rounds for cell in batch.cells) >= _LONG_ROUND_S for batch in batches
    )


def _page(plan: Plan, study: Path, results: Path) -> Callable[[], None] | None:
    """A plan that lies elsewhere, as in a job of a centre's CI, has no folder for a page."""
    if study.parent != results:
        return None
    from weir.report.live import page_writer  # not needed by a node that only measures

    return page_writer(plan, study)


def _keep_costs(batches: Sequence[Batch], measured: Sequence[SessionBatch], results: Path) -> None:
    """Keeps the costs for the next cost card, also of what ran before an error. A fault here is not the
    batch's."""
    for batch, one in zip(batches, measured, strict=True):
        with contextlib.suppress(WeirError, OSError):
            if costs := batch_costs(batch, one, results):
                append_costs(results, costs)


def _cross_check(plan: Plan, batches: Sequence[Batch], results: Path) -> list[str]:
    """Whether the programs of a stack agree on the cells of these batches that both measured."""
    cells = [cell for batch in batches for cell in batch.cells]
    if not any(cell.checks for cell in cells):
        return []
    from weir.decide.compare.cross_check import agreements  # not needed by most

    try:
        return [one.text for one in agreements(cells, plan.site, results)]
    except (ModuleNotFoundError, WeirError) as error:  # what was measured is kept all the same
        return [f"the programs of the cross-check were not compared: {error}"]


def _checks(planned: PlannedBatch, wait_s: float) -> list[dict[str, Any]]:
    """The checks of a batch. Of a target that its own commands cannot prepare, the row has the reason; the
    others are checked."""
    try:
        checks = preflight(planned, wait_s)
    except TargetUnavailableError as error:
        checks = [Check("prepare", "failed", error.problems[0].message, error.problems[0].hint or "")]
    return [_row(planned, one) for one in checks]


def _row(planned: PlannedBatch, one: Check) -> dict[str, Any]:
    """A check as people and ReFrame read it. unavailable_cells: 0 if the problem is one of all cells."""
    row = {"batch": planned.batch, "check": one.name, "found": one.found, "problem": one.told}
    if one.cells:
        row["problem"] = f"{len(one.cells)} of {len(planned.cells)} cells are unavailable: {one.told}"
    return {**row, "unavailable_cells": len(one.cells)}


def _print_checks(rows: list[dict[str, Any]], as_json: bool) -> int:
    if as_json:
        print(json.dumps(rows, indent=1))
    else:
        for row in rows:
            mark = "FAILED" if row["problem"] else "ok"
            print(f"{mark:6} {row['batch']}  {row['check']}: {row['problem'] or row['found']}")
    return 1 if any(row["problem"] for row in rows) else 0
