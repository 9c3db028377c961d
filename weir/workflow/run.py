"""Batches of a plan measured in one session: what `weir run` does for Snakemake, ReFrame and people."""

from __future__ import annotations

import contextlib
import math
import secrets
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weir.base.errors import TargetUnavailableError, WeirError, did_you_mean
from weir.base.files import require_plain_path
from weir.measure.batches import measure_in_rounds, measure_in_turn, preflight
from weir.measure.preflight import Check
from weir.measure.receipt import Receipt
from weir.measure.session import (
    PlannedBatch,
    Session,
    SessionBatch,
    planned_batch,
)
from weir.plan import Batch, Plan
from weir.plan.experience import append_costs
from weir.records.intervals import width_meter
from weir.records.judged import rows_text
from weir.records.measured import batch_costs

_LONG_ROUND_S = 5.0


@dataclass(frozen=True)
class Request:
    """A request to measure batches of a plan."""

    plan: Plan
    results: Path  # of the site
    batches: Sequence[str] = ()  # empty: all of the plan
    beside: Sequence[str] = ()  # in turns with the one batch
    seed: int | None = None  # None: drawn
    in_rounds: bool = True
    retry_failed: bool = False
    kept_since: float = math.inf  # in seconds since 1970
    wait_s: float = 0.0
    any_kind: bool = False  # measure also where a target's kind is not that of its file system
    progress: Path | None = None  # a line for each execution is appended to it; None: to stderr
    between_rounds: Callable[[], None] | None = None  # writes the page for somebody who waits for it

    @property
    def chosen(self) -> list[Batch]:
        """The batches that decide what becomes of the session."""
        return [self._batch(name) for name in self.batches] or list(self.plan.batches)

    @property
    def others(self) -> list[Batch]:
        """Measured in turns with the one that is chosen, as far as it takes."""
        if self.beside and len(self.chosen) != 1:
            raise WeirError("needs exactly one --batch", key="--beside", exit_code=2)
        return [self._batch(name) for name in self.beside]

    def _batch(self, name: str) -> Batch:
        try:
            return self.plan.batch(name)
        except KeyError:
            hint = did_you_mean(name, [batch.batch for batch in self.plan.batches])
            raise WeirError(
                f"the plan has no batch '{name}'", key="--batch", hint=hint, exit_code=2
            ) from None

    @property
    def folder(self) -> Path:
        return require_plain_path(self.results.resolve(), "the directory of --results,")

    def planned(self, batch: Batch) -> PlannedBatch:
        """The batch with the objects of its plan."""
        return planned_batch(self.plan, batch, self.folder, self.any_kind)


def measure(request: Request) -> Receipt:
    """Measure what is missing, and return what became of the chosen batches. A batch beside them has a job of
    its own, which meets its faults again."""
    chosen, others = request.chosen, request.others
    session = Session(
        [request.planned(batch) for batch in (*chosen, *others)],
        seed=secrets.randbits(32) if request.seed is None else request.seed,
        retry_failed=request.retry_failed,
        kept_since=request.kept_since,
        wait_s=request.wait_s,
        width_of=width_meter(request.folder),
        judge=rows_text,
        progress_file=request.progress,
    )
    between = request.between_rounds or (lambda: None)
    if others:
        measure_in_rounds(session, until_first=True, between=between)
    elif request.in_rounds and (len(chosen) > 1 or _is_watched_for_long(request, chosen)):
        measure_in_rounds(session, between=between)
    else:
        measure_in_turn(session)
    _keep_costs([*chosen, *others], session.batches, request.folder)
    for batch in session.batches[len(chosen) :]:
        if reason := batch.unavailable or batch.error:
            print(f"weir: {batch.planned.batch}, beside: {reason}", file=sys.stderr)
    return Receipt.of(session, len(chosen))


def check(request: Request) -> list[dict[str, Any]]:
    """The checks of each batch. Of a target that its own commands cannot prepare, the row has the reason; the
    others are checked."""
    return [
        {"batch": batch.batch, "check": one.name, "found": one.found, "problem": one.told}
        for batch in request.chosen
        for one in _checks(batch, request)
    ]


def _checks(batch: Batch, request: Request) -> list[Check]:
    try:
        return preflight(request.planned(batch), request.wait_s)
    except TargetUnavailableError as error:
        return [Check("prepare", "failed", error.problems[0].message, error.problems[0].hint or "")]


def _is_watched_for_long(request: Request, batches: Sequence[Batch]) -> bool:
    """Rounds of one batch have launches of their own if somebody would wait for the page."""
    return request.between_rounds is not None and any(
        batch.estimated_s / max(cell.rounds for cell in batch.cells) >= _LONG_ROUND_S for batch in batches
    )


def _keep_costs(batches: Sequence[Batch], measured: Sequence[SessionBatch], results: Path) -> None:
    """Keeps the costs for the next cost card, also of what ran before an error. A fault here is not the
    batch's."""
    for batch, one in zip(batches, measured, strict=True):
        with contextlib.suppress(WeirError, OSError):
            if costs := batch_costs(batch, one, results):
                append_costs(results, costs)
