"""weir run: the only loop over cells; it skips what has its run, so it may be ended at any time."""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import secrets
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from weir.base.errors import (
    Problem,
    ProblemsError,
    TargetUnavailableError,
    WeirError,
    did_you_mean,
    error_data,
    from_os_error,
)
from weir.base.files import require_plain_path, write_atomically
from weir.base.interrupts import EXIT_INTERRUPTED, Interrupt
from weir.base.units import UnitError, parse_duration
from weir.measure.batch import preflight
from weir.measure.clean_up.starter import follow_the_starter
from weir.measure.job import BatchJob, BatchResult, first_failure, job_of, successes
from weir.measure.preflight import Check
from weir.measure.progress import STREAM_VARIABLE
from weir.measure.rounds import measure_in_rounds, measure_in_turn
from weir.plan import Batch, Plan, read_plan
from weir.plan.experience import append_costs
from weir.records.costs import batch_costs
from weir.records.intervals import width_meter
from weir.records.judged import rows_text
from weir.site.schedulers import surrounding

NAME = "run"
GROUP = "measure"
HELP = "measure the batches of a plan: random order, time limits, resume, clean-up"
EXAMPLE = "weir run --plan results/local/quick/plan.json --batch memory-debian-1x2 --results results/local"

_LONG_ROUND_S = 5.0


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
    if args.progress:
        os.environ[STREAM_VARIABLE] = str(args.progress.resolve())
    if args.errors:
        args.errors.unlink(missing_ok=True)
    interrupt = Interrupt()
    follow_the_starter()
    try:
        return _measure(args)
    except WeirError as error:
        _hand_over(error, args.errors)
        raise
    except OSError as error:
        _hand_over(from_os_error(error), args.errors)
        raise
    except KeyboardInterrupt:
        hint = "run again: finished runs are kept"
        stop = WeirError(interrupt.text, hint=hint, exit_code=EXIT_INTERRUPTED)
        _hand_over(stop, args.errors)
        raise stop from None


def _hand_over(error: WeirError, file: Path | None) -> None:
    """The reason of this batch, in a file of its own; a full disk must not hide it from stderr."""
    if file is None:
        return
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, json.dumps(error_data(error), indent=1, default=str) + "\n")


def _duration_s(text: str) -> float:
    try:
        return parse_duration(text)
    except UnitError as error:
        raise argparse.ArgumentTypeError(f"{error}; {error.hint}") from None


def _measure(args: argparse.Namespace) -> int:
    plan = read_plan(args.plan)
    batches = [_batch(plan, name) for name in args.batch] or list(plan.batches)
    if args.beside and len(batches) != 1:
        raise WeirError("needs exactly one --batch", key="--beside", exit_code=2)
    if args.preflight:
        return _preflight(plan, batches, args)
    seed = args.seed if args.seed is not None else secrets.randbits(32)
    jobs = [_job(plan, batch, args, seed) for batch in batches]
    beside = [_batch(plan, name) for name in args.beside]
    results = _results(jobs, [_job(plan, batch, args, seed) for batch in beside], args, seed)
    _keep_costs([*batches, *beside], results, args.results)
    results = results[: len(batches)]
    failed = [line for result in results for line in result.failed]
    summary = {"seed": seed, "batches": [_counts(result) for result in results]}
    _report(results, summary, args.json)
    _require_all(results)
    if left := sum(result.left for result in results):
        raise WeirError(
            f"{left} executions do not fit the rest of the allocation",
            hint="run again: finished runs are kept",
        )
    tried = [job for job, result in zip(jobs, results, strict=True) if result.unavailable is None]
    if without := [job for job in tried if successes(job) == 0]:
        raise _no_success(without, args.retry_failed)
    if args.receipt:
        args.receipt.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(args.receipt, json.dumps(summary, indent=1) + "\n")
    return 1 if failed else 0


def _no_success(jobs: Sequence[BatchJob], retries: bool) -> WeirError:
    """With the message of the first failure of each batch: its log may be elsewhere."""
    hint = "fix that, then start the same command again" + ("" if retries else " with --retry-failed")
    failures = {job.batch: first_failure(job) or "no reason is known" for job in jobs}
    return ProblemsError(
        [
            Problem(f"{batch}: no execution succeeded; the first one: {reason}", hint=hint)
            for batch, reason in failures.items()
        ]
    )


def _results(
    jobs: Sequence[BatchJob], beside: Sequence[BatchJob], args: argparse.Namespace, seed: int
) -> list[BatchResult]:
    """Of the jobs, then of those beside them; the faults of the latter come again in jobs of their own."""
    has_page = args.page and _is_of_a_study(args.plan, args.results)
    between = _page_writer(args.plan) if has_page else _nothing
    if beside:
        results = measure_in_rounds([*jobs, *beside], seed, until_first=True, between=between)
        for result in results[len(jobs) :]:
            if reason := result.unavailable or result.error:
                print(f"weir: {result.batch}, beside: {reason}", file=sys.stderr)
        return results
    by_rounds = len(jobs) > 1 or (has_page and _rounds_are_long(read_plan(args.plan).batch(jobs[0].batch)))
    if args.interleave and by_rounds:
        return measure_in_rounds(jobs, seed, between=between)
    return measure_in_turn(jobs)


def _is_of_a_study(plan_file: Path, results: Path) -> bool:
    """A plan that lies elsewhere, as in a job of a centre's CI, has no folder for a page."""
    return plan_file.resolve().parent.parent == results.resolve()


def _rounds_are_long(batch: Batch) -> bool:
    """Rounds of one batch have launches of their own if somebody would wait for the page."""
    return batch.estimated_s / max(cell.rounds for cell in batch.cells) >= _LONG_ROUND_S


def _nothing() -> None:
    """Between two rounds without a page."""


def _page_writer(plan_file: Path) -> Callable[[], None]:
    """Of the page of the whole study; a fault of the page is not one of the measurement."""
    from weir.report.live import LiveStudy  # not needed by a node that only measures

    live = LiveStudy(read_plan(plan_file), plan_file.resolve().parent)

    def write() -> None:
        try:
            live.look()
            live.write()
        except (WeirError, OSError) as error:
            print(f"weir: the live page was not written: {error}", file=sys.stderr)

    return write


def _require_all(results: Sequence[BatchResult]) -> None:
    """Names each batch that could not go on, when the others are measured."""
    stopped = [(result.batch, result.error) for result in results if result.error]
    problems = [
        replace(problem, message=f"{batch}: {problem.message}") if len(results) > 1 else problem
        for batch, error in stopped
        for problem in error.problems
    ]
    if problems:
        raise ProblemsError(problems, exit_code=max(error.exit_code for _, error in stopped))


def _keep_costs(batches: Sequence[Batch], results: Sequence[BatchResult], folder: Path) -> None:
    """For the next cost card, also of what ran before an error. A fault here is not the batch's."""
    for batch, result in zip(batches, results, strict=True):
        with contextlib.suppress(WeirError, OSError):
            if costs := batch_costs(batch, result, folder.resolve()):
                append_costs(folder, costs)


def _batch(plan: Plan, name: str) -> Batch:
    try:
        return plan.batch(name)
    except KeyError:
        known = [batch.batch for batch in plan.batches]
        raise WeirError(
            f"the plan has no batch '{name}'", key="--batch", hint=did_you_mean(name, known), exit_code=2
        ) from None


def _job(plan: Plan, batch: Batch, args: argparse.Namespace, seed: int) -> BatchJob:
    system = surrounding(os.environ)
    return replace(
        job_of(plan, batch, require_plain_path(args.results.resolve(), "the directory of --results,")),
        seed=seed,
        retry_failed=args.retry_failed,
        kept_since=args.kept_since,
        ends_at=system.ends_at(os.environ) if system else None,
        wait_s=args.wait,
        any_kind=args.any_kind,
        judge=rows_text,
        width_of=width_meter(args.results.resolve()),
    )


def _preflight(plan: Plan, batches: list[Batch], args: argparse.Namespace) -> int:
    """Of a target that its own commands cannot prepare, the row has the reason; the others are checked."""
    rows = [
        {"batch": batch.batch, "check": check.name, "found": check.found, "problem": check.problem}
        for batch in batches
        for check in _checks(_job(plan, batch, args, seed=0))
    ]
    if args.json:
        print(json.dumps(rows, indent=1))
    else:
        for row in rows:
            mark = "FAILED" if row["problem"] else "ok"
            print(f"{mark:6} {row['batch']}  {row['check']}: {row['problem'] or row['found']}")
    return 1 if any(row["problem"] for row in rows) else 0


def _checks(job: BatchJob) -> list[Check]:
    try:
        return preflight(job)
    except TargetUnavailableError as error:
        return [Check("prepare", "failed", error.problems[0].message, error.problems[0].hint or "")]


def _counts(result: BatchResult) -> dict[str, Any]:
    return {
        "batch": result.batch,
        "executions": result.planned,
        "kept": result.kept,
        "done": result.done,
        "added": result.added,
        "failed": result.failed,
        "unavailable": result.unavailable,
        "error": error_data(result.error)["errors"] if result.error else None,
        "left": result.left,
        "slow_nodes": None if result.slow_nodes is None else [vars(item) for item in result.slow_nodes],
    }


def _report(results: list[BatchResult], summary: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(summary, indent=1))
        return
    for result in results:
        if result.unavailable:
            print(f"{result.batch}: unavailable: {result.unavailable}")
            continue
        if result.error:
            print(f"{result.batch}: stopped after {result.done} executions, see the error")
            continue
        print(
            f"{result.batch}: {result.done} executions done, {len(result.failed)} failed, "
            f"{result.kept} of {result.planned} were there already"
            + (f", {result.added} in added rounds" if result.added else "")
        )
        for line in result.failed:
            print(f"  failed: {line}")
