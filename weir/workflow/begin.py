"""All that the Snakefile needs before its first rule: the lock, the plan, and the cost card."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weir.plan import Plan, make_plan, read_plan
from weir.plan.added import until_words
from weir.plan.admission import admission
from weir.plan.allocation import allocations, retries
from weir.plan.card import cost_card
from weir.plan.config import load_config
from weir.plan.experience import read_costs
from weir.workflow.handover import MEASURED_PLAN, note_start
from weir.workflow.slurm_status import wait_for_replies
from weir.workflow.study import (
    Study,
    archive_of,
    cells_left,
    hand_over,
    measured_study,
    plan_digest,
    what_is_left,
    why_not_measured,
)
from weir.workflow.takeover import (
    end_the_jobs_with_the_workflow,
    exit_if_interrupted,
    take_over_from_a_killed_workflow,
)


@dataclass(frozen=True)
class Workflow:
    """What the rules are made of."""

    plan: Plan
    measured: Study
    archived: Study | None  # the records that --config records=FILE names
    root: Path
    retries: int

    @property
    def study(self) -> Study:
        """What is printed."""
        return self.archived or self.measured

    @property
    def plan_file(self) -> str:
        return f"{self.measured.folder}/{MEASURED_PLAN}"

    @property
    def digest(self) -> str:
        return plan_digest(self.plan)

    @property
    def receipts(self) -> list[str]:
        return [f"{self.measured.folder}/batches/{batch.batch}.json" for batch in self.plan.batches]

    @property
    def allocations(self) -> dict[str, Any]:
        return allocations(self.plan)

    def start(self) -> None:
        """Once, before the jobs start: a dry run writes nothing."""
        end_the_jobs_with_the_workflow()
        if not self.archived:
            hand_over(self.plan, Path(self.measured.folder))

    def explain(self) -> None:
        """Snakemake's message about a failed job is long, and does not end with the reason."""
        for line in why_not_measured(self.plan, Path(self.measured.folder)):
            print(line, file=sys.stderr)
        exit_if_interrupted()

    def cells_of(self, wildcards: Any) -> list[str]:
        """What a batch consists of: if this changes, and only then, it is measured again, which skips what is
        there."""
        return [
            f"{cell.label} {cell.cell} x{cell.rounds}{until_words(cell.until)}"
            for cell in self.plan.batch(wildcards.batch).cells
        ]

    def partition_of(self, wildcards: Any) -> str:
        return f"{self.plan.site.name}:{self.plan.batch(wildcards.batch).partition}"

    @property
    def shell_prefix(self) -> str:
        """The programs beside this Python come first, whoever started snakemake. In a container they are the
        container's, which work on this checkout's code."""
        root, programs = shlex.quote(str(self.root)), shlex.quote(str(Path(sys.executable).parent))
        return (
            "set -euo pipefail;"
            f' [ -z "${{{{APPTAINER_CONTAINER:-}}}}" ] || export PYTHONPATH={root};'
            f' [ -n "${{{{APPTAINER_CONTAINER:-}}}}" ] || export PATH={programs}:$PATH; '
        )


def begin(workflow: Any, config: Mapping[str, Any]) -> Workflow:
    """workflow and config are Snakemake's, of its main process and of each job that it starts itself for."""
    root = Path(workflow.basedir)
    plan = _plan(config)
    measured = measured_study(plan, root, str(config.get("campaign") or ""))
    begun = Workflow(
        plan, measured, archive_of(config, root), root, retries(plan) if workflow.is_main_process else 0
    )
    if workflow.is_main_process:
        take_over_from_a_killed_workflow(Path(".snakemake"))
        note_start()
        wait_for_replies()
        if not begun.archived:
            _print_what_is_left(begun)
    return begun


def _plan(config: Mapping[str, Any]) -> Plan:
    """That of --config plan=FILE, by whoever started the workflow; else that of the configuration."""
    given = config.get("plan")
    return read_plan(Path(given)) if given else make_plan(load_config(overrides=config))


def _print_what_is_left(begun: Workflow) -> None:
    plan, results = begun.plan, Path(begun.measured.site_folder)
    receipts = Path(begun.measured.folder) / "batches"
    unmeasured = [batch for batch in plan.batches if cells_left(batch, results)]
    lines = [cost_card(plan, read_costs(results)), "", what_is_left(plan, results, receipts)]
    print(*lines, *admission(plan, unmeasured), sep="\n", file=sys.stderr)
