"""weir run: the only loop over cells; it skips what has its run, so it may be ended at any time."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from pathlib import Path

from weir.base.errors import WeirError, from_os_error
from weir.base.interrupts import EXIT_INTERRUPTED, Interrupt
from weir.base.units import UnitError, parse_duration
from weir.measure.clean_up.starter import follow_the_starter
from weir.measure.handover import write_errors
from weir.plan import Plan, read_plan
from weir.workflow.run import Request, check, measure

NAME = "run"
GROUP = "measure"
HELP = "measure the batches of a plan: random order, time limits, resume, clean-up"
EXAMPLE = "weir run --plan results/local/quick/plan.json --batch memory-debian-1x2 --results results/local"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--plan", type=Path, required=True, help="plan.json of weir plan")
    parser.add_argument("--results", type=Path, required=True, help="folder of the site, that holds runs/")
    parser.add_argument(
        "--batch", action="append", default=[], help="measure this batch only; may be repeated"
    )
    parser.add_argument(
        "--beside",
        action="append",
        default=[],
        metavar="BATCH",
        help="measure the rounds of this batch in turns with those of --batch, which alone decides the exit "
        "code and has a receipt; may be repeated",
    )
    parser.add_argument("--seed", type=int, help="seed of the random order; by default drawn, and recorded")
    parser.add_argument(
        "--interleave",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="measure one round of every batch, then the next: a busy minute then meets all batches",
    )
    parser.add_argument("--retry-failed", action="store_true", help="run failed executions again")
    parser.add_argument(
        "--kept-since",
        type=float,
        default=math.inf,
        metavar="SECONDS",
        help="with --retry-failed: only runs that failed before this time, in seconds since 1970",
    )
    parser.add_argument(
        "--any-kind",
        action="store_true",
        help="measure also where the target's kind is not that of its file system: the records are INVALID",
    )
    parser.add_argument(
        "--preflight", action="store_true", help="check targets and programs, measure nothing"
    )
    parser.add_argument(
        "--receipt", type=Path, help="write the counts to this file when the batches are through"
    )
    parser.add_argument("--errors", type=Path, help="write the reason of a failure to this file, as JSON")
    parser.add_argument(
        "--page",
        action="store_true",
        help="write live.html beside a plan in the folder of its study, before and after each round: what "
        "the study shows so far",
    )
    parser.add_argument("--progress", type=Path, help="append a line for each execution to this file")
    parser.add_argument(
        "--wait",
        type=_duration_s,
        default=0.0,
        metavar="DURATION",
        help="time to wait for another measurement of the target, such as 10 min; default: none",
    )
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")


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
    except UnitError as error:
        raise argparse.ArgumentTypeError(f"{error}; {error.hint}") from None


def _measure(args: argparse.Namespace) -> int:
    request = _request(args)
    if args.preflight:
        return _print_checks(check(request), args.json)
    exit_code = measure(request).deliver(args.json, args.receipt)
    for line in () if args.json else _cross_check(request):
        print(line)
    return exit_code


def _request(args: argparse.Namespace) -> Request:
    plan = read_plan(args.plan)
    return Request(
        plan=plan,
        results=args.results,
        batches=args.batch,
        beside=args.beside,
        seed=args.seed,
        in_rounds=args.interleave,
        retry_failed=args.retry_failed,
        kept_since=args.kept_since,
        wait_s=args.wait,
        any_kind=args.any_kind,
        progress=args.progress,
        between_rounds=_page(plan, args.plan.resolve().parent, args.results.resolve()) if args.page else None,
    )


def _page(plan: Plan, study: Path, results: Path) -> Callable[[], None] | None:
    """A plan that lies elsewhere, as in a job of a centre's CI, has no folder for a page."""
    if study.parent != results:
        return None
    from weir.report.live import page_writer  # not needed by a node that only measures

    return page_writer(plan, study)


def _cross_check(request: Request) -> list[str]:
    """Whether the programs of a stack agree on the cells of these batches that both measured."""
    cells = [cell for batch in request.chosen for cell in batch.cells]
    if not any(cell.checks for cell in cells):
        return []
    from weir.decide.compare.cross_check import agreements  # not needed by most

    try:
        return [one.text for one in agreements(cells, request.plan.site, request.folder)]
    except (ModuleNotFoundError, WeirError) as error:  # what was measured is kept all the same
        return [f"the programs of the cross-check were not compared: {error}"]


def _print_checks(rows: list[dict[str, str]], as_json: bool) -> int:
    if as_json:
        print(json.dumps(rows, indent=1))
    else:
        for row in rows:
            mark = "FAILED" if row["problem"] else "ok"
            print(f"{mark:6} {row['batch']}  {row['check']}: {row['problem'] or row['found']}")
    return 1 if any(row["problem"] for row in rows) else 0
