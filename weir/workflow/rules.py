"""The objects behind the rules of the Snakefile: the lock, the plan, and the cost card."""

import os
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from weir.base.files import expanded
from weir.measure.handover import MEASURED_PLAN, note_start
from weir.plan import Plan, make_plan, read_plan
from weir.plan.allocation import admission, allocations, retries
from weir.plan.card import cost_card, other_scale
from weir.plan.config import KEYS, load_config, variable_of
from weir.plan.config.sources import PARTS, VARIABLE
from weir.plan.config.suite import FULL
from weir.plan.cost import read_costs
from weir.plan.totals import until_words
from weir.workflow.code import CONFIG_FILE, Code, code_of, is_module, is_snakemake_9
from weir.workflow.slurm_status import wait_for_replies
from weir.workflow.study import (
    Study,
    archive_of,
    cells_left,
    hand_over,
    measured_study,
    output_times,
    plan_digest,
    what_is_left,
    why_not_measured,
)
from weir.workflow.takeover import (
    end_the_jobs_with_the_workflow,
    exit_if_interrupted,
    take_over_from_a_killed_workflow,
)

_MEASUREMENTS = "io"  # a resource: two measurements at once would measure each other


@dataclass
class Workflow:
    """The study, its plan and the code, from which the rules take their names."""

    plan: Plan
    measured: Study
    archived: Study | None  # the records that --config records=FILE names
    code: Code
    site_folder: Path  # where the rules write: what a module's prefix makes of the folders of the study
    folder: Path
    printed_folder: Path  # of the study that is printed
    retries: int
    before: Mapping[str, int] = field(init=False)  # outputs of an earlier workflow, with their times
    _started: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.before = output_times(self.printed_folder)

    @property
    def study(self) -> Study:
        """The study that is printed."""
        return self.archived or self.measured

    @property
    def plan_file(self) -> str:
        return str(self.folder / MEASURED_PLAN)

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
        if self._started:
            return
        self._started = True
        end_the_jobs_with_the_workflow()
        if not self.archived:
            hand_over(self.plan, self.folder)

    def end(self) -> None:
        """When all jobs ended well."""
        from weir.workflow.ending import ending  # the reader of a page, which no job needs

        lines = ending(self.plan, self.printed_folder, self.before, self.site_folder)
        print(*lines, sep="\n", flush=True)

    def explain(self) -> None:
        """Snakemake's message about a failed job is long, and does not end with the reason."""
        for line in why_not_measured(self.plan, self.folder):
            print(line, file=sys.stderr)
        exit_if_interrupted()

    def cells_of(self, wildcards: Any) -> list[str]:
        """The cells of a batch as texts: if they change, and only then, it is measured again, which skips
        what is there."""
        return [
            f"{cell.label} {cell.cell} x{cell.rounds}{until_words(cell.until)}"
            for cell in self.plan.batch(wildcards.batch).cells
        ]

    def partition_of(self, wildcards: Any) -> str:
        return f"{self.plan.site.name}:{self.plan.batch(wildcards.batch).partition}"

    @property
    def programs(self) -> str:
        """The folder of python3, weir and reframe as a word of the shell: before those of conda."""
        return shlex.quote(str(Path(sys.executable).parent)).replace("{", "{{").replace("}", "}}")

    def folder_of(self, wildcards: Any, output: Any) -> str:
        """The folder of the study that a job draws or prints, with a module's prefix: of its last output."""
        return str(Path(str(output[-1])).parent)


def prepared(workflow: Any, config: Mapping[str, Any]) -> Workflow:
    """workflow and config are Snakemake's, of its main process and of each job that it starts itself for."""
    code = code_of(workflow)
    _find_own_programs()
    config = requested(workflow, config)
    plan = _plan(config, code)
    campaign = config.get("campaign")
    named = "" if campaign is None or campaign is False else str(campaign)
    measured = measured_study(plan, code.root, named)
    archived = archive_of(config, code.root)
    begun = Workflow(
        plan,
        measured,
        archived,
        code,
        _as_written(workflow, measured.site_folder),
        _as_written(workflow, measured.folder),
        _as_written(workflow, (archived or measured).folder),
        retries(plan) if workflow.is_main_process else 0,
    )
    if workflow.is_main_process:
        limit_measurements(workflow)
        take_over_from_a_killed_workflow(Path(".snakemake"))
        note_start()
        wait_for_replies()
        if begun.archived:
            for line in _earlier_ending(begun):
                print(line, file=sys.stderr)
        else:
            full = partial(_plan, {**config, "scale": FULL}, code)
            # Whoever made a plan of its own has told its scale.
            scale = "" if config.get("plan") else other_scale(plan, full, f"--config scale={FULL}")
            _print_what_is_left(begun, scale)
        # Snakemake 8 runs the onstart of a module; 9 does not, but tells whether this is a dry run.
        if is_module(workflow) and is_snakemake_9(workflow) and not workflow.output_settings.dryrun:
            begun.start()
    return begun


def limit_measurements(workflow: Any) -> None:
    """One at a time, also without profiles/default: Snakemake looks for it beside the Snakefile that it was
    started with, which may be another workflow's, or that of the catalogue, and after those of the user."""
    if _MEASUREMENTS not in workflow.global_resources:
        workflow.register_resource(_MEASUREMENTS, 1)


def requested(workflow: Any, config: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of --config, --configfile or a module's `config:`, and those of config.yaml that no variable
    of the environment replaces, as for every other command."""
    given = config if is_module(workflow) else workflow.config_settings.overwrite_config
    replaced = {key for key in KEYS if key not in given and os.environ.get(variable_of(key))}
    return {key: value for key, value in config.items() if key not in replaced}


def _find_own_programs() -> None:
    """The programs beside this Python come first in the jobs, whoever started snakemake. A container or an
    environment of conda puts its own before them."""
    programs, path = str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)
    if path.split(os.pathsep)[0] != programs:
        os.environ["PATH"] = f"{programs}{os.pathsep}{path}"


def _as_written(workflow: Any, folder: str) -> Path:
    """The folder as Snakemake writes it in an output."""
    return Path(str(workflow.modifier.modify_path(f"{folder}/x"))).parent


def _plan(config: Mapping[str, Any], code: Code) -> Plan:
    """The plan of --config plan=FILE, by whoever started the workflow; else that of the configuration."""
    given = config.get("plan")
    if given:
        return read_plan(expanded(given))
    if code.is_here:
        return make_plan(load_config(overrides=config))
    own = Path("config")
    named = config.get("config_dir") or os.environ.get(VARIABLE)
    layer = named or (own if any((own / part).is_dir() for part in PARTS) else None)
    root = (
        None if code.is_installed else code.root
    )  # {root}, where weir-io is: the working directory of a wheel
    return make_plan(load_config(code.root / CONFIG_FILE, root=root, config_dir=layer, overrides=config))


def _earlier_ending(begun: Workflow) -> list[str]:
    from weir.workflow.ending import earlier_ending  # the reader of a page, which no job needs

    return earlier_ending(begun.printed_folder)


def _print_what_is_left(begun: Workflow, scale: str) -> None:
    plan, results = begun.plan, begun.site_folder
    receipts = begun.folder / "batches"
    unmeasured = [batch for batch in plan.batches if cells_left(batch, results)]
    lines = [cost_card(plan, read_costs(results), scale), "", what_is_left(plan, results, receipts)]
    lines += admission(plan, unmeasured)
    if not unmeasured:
        lines += _earlier_ending(begun)
    print(*lines, sep="\n", file=sys.stderr)
