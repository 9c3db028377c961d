"""What the checks are made from: the plan in WEIR_PLAN, or one for each suite of config/ on this system.

Without WEIR_PLAN a test is known by its suite and batch, and leaves what `snakemake --config suites=<suite>`
looks for. WEIR_SUITES, a list with commas, is all suites that there are then; WEIR_RESULTS is where to
measure anew. WEIR_BATCH is the one batch of the plan that a job of the workflow measures.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from reframe.core.logging import getlogger
from reframe.core.runtime import runtime

from weir.base.errors import WeirError
from weir.plan import Batch, Plan, make_plan, read_plan
from weir.plan.config import load_config
from weir.plan.config.sources import find_sources
from weir.workflow.handover import MEASURED_PLAN, Handover, start_of_workflow
from weir.workflow.study import Study, hand_over, measured_study, waiting_beside

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Case:
    """One batch of a study, which is one test."""

    plan: Plan
    batch: Batch
    study: Study

    @property
    def results(self) -> Path:
        """Of the site.

        A relative WEIR_RESULTS is relative to where reframe was started. While ReFrame loads the checks, its
        working directory is their own folder, so this is computed when the test runs.
        """
        return Path(os.environ.get("WEIR_RESULTS", ROOT / self.study.site_folder)).resolve()

    @property
    def plan_file(self) -> Path:
        return Path(os.environ.get("WEIR_PLAN", self.results / self.study.name / MEASURED_PLAN)).resolve()

    @property
    def handover(self) -> Handover:
        """Where Snakemake looks for a batch that is through: both interfaces leave the same files."""
        return Handover.of(self.plan_file.parent, self.batch.batch)

    @property
    def suites(self) -> set[str]:
        return {cell.suite for cell in self.batch.cells}

    @property
    def suite_tags(self) -> set[str]:
        return {tag for facts in self.plan.suites if facts.suite in self.suites for tag in facts.tags}

    @property
    def started(self) -> float | None:
        """When the workflow did whose job this is, where batches take turns."""
        return start_of_workflow() if self.plan.in_turns(self.batch) else None

    def waiting_beside(self) -> list[str]:
        """Batches that a job of a workflow measures in turns with its own; they keep jobs of their own."""
        if self.started is None:
            return []
        others = waiting_beside(self.plan, self.batch, self.plan_file.parent, self.started)
        return [other.batch for other in others]

    def hand_over(self) -> None:
        """Where WEIR_PLAN names no plan, this test is who begins the measurement."""
        if "WEIR_PLAN" not in os.environ:
            hand_over(self.plan, self.plan_file.parent)


@cache
def cases() -> dict[str, Case]:
    """All batches by the name of their study and their own."""
    return {f"{study}:{case.batch.batch}": case for study, case in _cases()}


def _cases() -> Iterator[tuple[str, Case]]:
    only = os.environ.get("WEIR_BATCH")
    for plan in _plans():
        study = measured_study(plan, ROOT)
        for batch in plan.batches:
            if only in (None, batch.batch):
                yield study.name, Case(plan, batch, study)


def _plans() -> Iterator[Plan]:
    if "WEIR_PLAN" in os.environ:
        yield read_plan(Path(os.environ["WEIR_PLAN"]))
        return
    known = find_sources(start=ROOT).suites()
    requested = os.environ.get("WEIR_SUITES")
    for suite in [name.strip() for name in requested.split(",")] if requested else known:
        try:
            yield make_plan(
                load_config(root=ROOT, overrides={"site": runtime().system.name, "suites": [suite]})
            )
        except WeirError as error:
            getlogger().warning(f"suite {suite} is skipped: {error}")
