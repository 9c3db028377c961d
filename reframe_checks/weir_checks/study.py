"""The study behind the checks: a plan for each suite on this system, or the plan in WEIR_PLAN.

Without WEIR_PLAN a test is known by its suite and batch, and leaves what `snakemake --config suites=<suite>`
looks for. WEIR_BATCH is the one batch of the plan that a job of a workflow measures.
"""

import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from reframe.core.logging import getlogger
from reframe.core.runtime import runtime

import weir.data
from weir.base.errors import WeirError
from weir.base.files import expanded
from weir.measure.handover import MEASURED_PLAN, Handover, start_of_workflow
from weir.plan import Batch, Plan, read_plan
from weir.workflow.study import Study, cells_left, hand_over, measured_study, waiting_beside
from weir_checks.centre import Described, described, environ_for, partitions_for, site_name
from weir_checks.choices import CHOSEN

ROOT = Path(__file__).resolve().parents[2]
# Results do not belong into an installed package; then they are below the directory of the caller.
IN_A_WHEEL = Path(weir.data.__file__).resolve().parent == ROOT
# The time of a run of ReFrame, which names the campaign that it measures anew.
SESSION = time.strftime("reframe-%Y%m%d-%H%M%S", time.gmtime())
# Folders that this run of ReFrame measures a batch in: another repetition of the test takes another one.
_TAKEN: set[tuple[Path, str]] = set()


@dataclass(frozen=True)
class Place:
    """The place of a test's batch: results, plan and name."""

    results: Path  # of the site, or of a campaign at it
    plan_file: Path
    batch: str

    @property
    def handover(self) -> Handover:
        """The files where Snakemake looks for a finished batch: both interfaces leave the same files."""
        return Handover.of(self.plan_file.parent, self.batch)


@dataclass(frozen=True)
class Case:
    """One batch of a study, which is one test."""

    plan: Plan
    batch: Batch
    study: Study

    @property
    def suites(self) -> set[str]:
        return {cell.suite for cell in self.batch.cells}

    @property
    def suite_tags(self) -> set[str]:
        return {tag for facts in self.plan.suites if facts.suite in self.suites for tag in facts.tags}

    @property
    def question(self) -> str:
        return " ".join(facts.question for facts in self.plan.suites if facts.suite in self.suites)

    @property
    def started(self) -> float | None:
        """The start of the workflow whose job this is, where batches take turns."""
        return start_of_workflow() if self.plan.in_turns(self.batch) else None

    @property
    def is_described(self) -> bool:
        """Whether ReFrame's settings describe the site, and no site.yaml."""
        return "WEIR_PLAN" not in os.environ and _described() is not None

    @property
    def systems(self) -> dict[str, str]:
        """Partitions of ReFrame on which the batch is measured, each with its environment."""
        system, site = runtime().system, list(self.plan.site.partitions)
        found = partitions_for(system, self.batch.partition, site)
        return {one.fullname: environ_for(one, self.batch.stack) for one in found}

    def place(self, results: str, keep: bool) -> Place:
        """The place to measure; a finished batch keeps its runs, and is measured anew in a campaign.

        A relative path is relative to where reframe was started. While ReFrame loads the checks, its working
        directory is their own folder, so this is called when the test runs.
        """
        base = Path.cwd() if IN_A_WHEEL else ROOT
        first = self._place(expanded(results or base / self.study.site_folder).resolve())
        if keep or not self._is_taken(first):
            _TAKEN.add((first.results, self.batch.batch))
            return first
        number = 1
        while True:
            name = f"{first.results.name}@{SESSION}" + (f".{number}" if number > 1 else "")
            place = self._place(first.results.with_name(name))
            if not self._is_taken(place):
                _TAKEN.add((place.results, self.batch.batch))
                return place
            number += 1

    def _place(self, results: Path) -> Place:
        plan_file = os.environ.get("WEIR_PLAN") or results / self.study.name / MEASURED_PLAN
        return Place(results, Path(plan_file).resolve(), self.batch.batch)

    def _is_taken(self, place: Place) -> bool:
        """Whether the batch is through there: one that was interrupted goes on."""
        if (place.results, self.batch.batch) in _TAKEN:
            return True
        begun = any((place.results / "runs" / cell.cell).is_dir() for cell in self.batch.cells)
        return begun and (place.handover.receipt.exists() or not cells_left(self.batch, place.results))

    def waiting_beside(self, place: Place) -> list[Batch]:
        """Batches that a job of a workflow measures in turns with its own; they keep jobs of their own."""
        if self.started is None:
            return []
        return waiting_beside(self.plan, self.batch, place.plan_file.parent, self.started)

    def hand_over(self, place: Place) -> None:
        """Hands the plan over; without WEIR_PLAN this test begins the measurement."""
        if "WEIR_PLAN" not in os.environ:
            hand_over(self.plan, place.plan_file.parent)


@dataclass(frozen=True)
class Refusal:
    """A suite that was requested and cannot be planned: a test that fails with the reason."""

    reason: str


@cache
def cases() -> dict[str, Case | Refusal]:
    """All batches by the name of their study and their own."""
    return dict(_cases())


def _cases() -> Iterator[tuple[str, Case | Refusal]]:
    only = os.environ.get("WEIR_BATCH")
    for name, plan in _plans():
        if isinstance(plan, Refusal):
            yield name, plan
            continue
        study = measured_study(plan, ROOT)
        for batch in plan.batches:
            if only in (None, batch.batch):
                yield f"{study.name}:{batch.batch}", Case(plan, batch, study)


def _plans() -> Iterator[tuple[str, Plan | Refusal]]:
    if "WEIR_PLAN" in os.environ:
        yield "", read_plan(Path(os.environ["WEIR_PLAN"]))
        return
    # With the readers of YAML, which no plan needs.
    from weir.plan import make_plan
    from weir.plan.config import load_config
    from weir.plan.config.sources import find_sources

    with tempfile.TemporaryDirectory(prefix="weir-site-") as folder:
        try:
            overrides = _site(Path(folder))
        except WeirError as error:
            yield "settings", Refusal(str(error))
            return
        for suite in CHOSEN.suite or find_sources(start=ROOT).suites():
            try:
                yield suite, make_plan(load_config(root=ROOT, overrides={"suites": [suite], **overrides}))
            except WeirError as error:
                reason = str(error).replace(
                    f"{folder}/", f"ReFrame's settings of {runtime().system.name}, as "
                )
                if CHOSEN.suite:
                    yield suite, Refusal(reason)
                else:
                    getlogger().warning(f"suite {suite} is skipped: {reason}")


@cache
def _described() -> Described | None:
    return None if CHOSEN.site else described(runtime().system)


def _site(folder: Path) -> dict[str, Any]:
    """The sources for load_config; a site that ReFrame's settings describe is written as files for it."""
    import yaml

    from weir.plan.config.sources import VARIABLE, find_sources

    requested = {"targets": CHOSEN.target, "stacks": CHOSEN.stack, "scale": CHOSEN.scale}
    system, sources = runtime().system, find_sources(start=ROOT)
    found = _described()
    if found is None:
        name, known = site_name(system, CHOSEN.site), sources.sites()
        if name not in known:
            raise WeirError(
                f"weir knows no storage of ReFrame's system {system.name}: there is no site '{name}'",
                hint="add 'extras': {'weir': {'targets': ...}} to a partition (docs/how-to/reframe.md), or"
                f" name a site: -S site=NAME, of {', '.join(known)}",
            )
        return {"site": name, **requested}
    own = os.environ.get(VARIABLE)
    for part in sources.folders[0].iterdir() if own else ():
        if part.name != "sites":
            (folder / part.name).symlink_to(part)
    name = str(found.site["site"])
    files = {"site.yaml": found.site, **{f"targets/{key}.yaml": one for key, one in found.targets.items()}}
    for file, data in files.items():
        path = folder / "sites" / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    # config.yaml may choose targets and stacks, of another site.
    every = {"targets": tuple(found.targets), "stacks": tuple(found.site["stacks"])}
    chosen = {key: value or every.get(key) for key, value in requested.items()}
    return {"site": name, "config_dir": folder, **chosen}
