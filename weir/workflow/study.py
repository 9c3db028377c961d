"""A study: what one workflow prints. Either suites measured at a site, or records that somebody archived."""

import contextlib
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from weir.base.errors import WeirError, visible
from weir.base.files import expanded
from weir.base.units import counted, listed
from weir.measure.handover import MEASURED_PLAN, Handover
from weir.plan import Batch, Plan, plan_data, write_plan
from weir.records.model import grouped
from weir.runs.files import is_finished, is_kept, unavailable_names, why_unavailable

ARCHIVE_SITE = "archive"
RECORDS, PAGE, PRINT = OUTPUTS = ("records.csv", "page.json", "report.pdf")
_COMMON_REPORT = "measurement"
_EXAMPLES = 8  # cells of a batch that are named
_CAMPAIGN = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]*")


@dataclass(frozen=True)
class Study:
    """The folder of a study, results/<site>/<name>/; runs are shared by all studies of a site."""

    site: str
    name: str
    report: str  # folder in reports/
    records: Path | None = None  # of an archive: what is adopted
    campaign: str = ""  # measured again beside what was there: it shares no runs with other campaigns

    @property
    def sidecar(self) -> list[Path]:
        """The YAML file beside archived records, which has what is known of them beyond their columns."""
        file = self.records.with_suffix(".yaml") if self.records else None
        return [file] if file and file.is_file() else []

    @property
    def site_folder(self) -> str:
        return f"results/{self.site}@{self.campaign}" if self.campaign else f"results/{self.site}"

    @property
    def folder(self) -> str:
        return f"{self.site_folder}/{self.name}"


def measured_study(plan: Plan, root: Path, campaign: str = "") -> Study:
    """Named after its suites and the scale that was requested: two choices do not overwrite each other."""
    if campaign and not (_CAMPAIGN.fullmatch(campaign) and _is_kept(campaign)):
        raise WeirError(
            f"'{campaign}' is not a name of a campaign",
            key="campaign",
            value=campaign,
            hint="letters, digits, dots and hyphens, such as 2026-12; no number with a dot or leading zeros",
        )
    suites = [facts.suite for facts in plan.suites]
    scale = f"-{plan.scale}" if plan.scale_requested else ""
    name = "+".join(suites)
    return Study(plan.site.name, name + scale, report_for(name, root), campaign=campaign)


def _is_kept(name: str) -> bool:
    """Whether Snakemake, to which 2026.10 and 2026.1 are the same number, keeps the name."""
    try:
        float(name)
    except ValueError:
        return True
    return name.isdecimal() and str(int(name)) == name


def archive_of(config: Mapping[str, Any], root: Path) -> Study | None:
    """The study that `--config records=FILE` asks for."""
    given = config.get("records")
    if not given:
        return None
    records = next((path for path in (expanded(given), root / given) if path.is_file()), None)
    if records is None:
        raise WeirError(
            f"there is no such file: {given}",
            key="records",
            value=given,
            hint="reference/README.md lists what there is",
        )
    return Study(ARCHIVE_SITE, records.stem, report_for(records.stem, root), records)


def report_for(study: str, root: Path) -> str:
    """A study with a report of its own has a folder of its name in reports/; the others share one."""
    return study if (root / "reports" / study / "main.tex").is_file() else _COMMON_REPORT


def output_times(folder: Path) -> dict[str, int]:
    """The times of the outputs of a study that are there, in nanoseconds since 1970: two of them are compared
    with each other, as the clock of the storage may differ from the node's."""
    times = {}
    for name in OUTPUTS:
        with contextlib.suppress(OSError):
            times[name] = (folder / name).stat().st_mtime_ns
    return times


def plan_digest(plan: Plan) -> str:
    """Changes when anything in plan.json would."""
    return hashlib.sha256(json.dumps(plan_data(plan), sort_keys=True).encode()).hexdigest()[:16]


def hand_over(plan: Plan, folder: Path) -> Path:
    """The plan by which a study is measured, from whoever begins that to all that take part in it; the file
    of its cost card. What is collected gets a plan of its own, so that records that are there keep theirs
    meanwhile."""
    from weir.plan.card import cost_card  # with the readers of YAML, for which no job waits

    write_plan(plan, folder / MEASURED_PLAN)
    card = folder / "plan.txt"
    card.write_text(cost_card(plan) + "\n", encoding="utf-8")
    return card


def cells_left(batch: Batch, results: Path) -> list[str]:
    """Labels of the cells of a batch that lack a run."""
    return [
        cell.point
        for cell in batch.cells
        if not all(is_finished(results, cell.cell, run) for run in range(cell.rounds))
    ]


def cells_failed(batch: Batch, results: Path) -> int:
    """Cells of a batch of which a run is missing or was not successful."""
    return sum(
        not all(is_kept(results, cell.cell, run, only_successful=True) for run in range(cell.rounds))
        for cell in batch.cells
    )


def forget_failed(plan: Plan, folder: Path) -> dict[str, int]:
    """Removes the receipts of batches with failed cells, which the next workflow then repeats. Returns the
    number of those cells by batch."""
    found = {batch.batch: cells_failed(batch, folder.parent) for batch in plan.batches}
    for batch in (name for name, count in found.items() if count):
        Handover.of(folder, batch).receipt.unlink(missing_ok=True)
    return {name: count for name, count in found.items() if count}


def waiting_beside(plan: Plan, batch: Batch, folder: Path, started: float) -> list[Batch]:
    """Batches that this workflow still has to measure and that can take turns with this one.

    started: when the workflow did, in seconds since 1970; failures before it are those of an earlier one.
    """
    return [other for other in plan.in_turns(batch) if _is_waiting(other, folder, started)]


def _is_waiting(batch: Batch, folder: Path, started: float) -> bool:
    handover = Handover.of(folder, batch.batch)
    noted = unavailable_names(folder.parent) if handover.receipt.exists() else set()
    rest = replace(batch, cells=tuple(cell for cell in batch.cells if cell.cell not in noted))
    has_failed = handover.errors.exists() and handover.errors.stat().st_mtime >= started
    return batch.batch not in noted and not has_failed and bool(cells_left(rest, folder.parent))


def why_not_measured(plan: Plan, folder: Path) -> list[str]:
    """The reason of each batch of a study that could not be measured, and where to read more."""
    lines = []
    for batch in plan.batches:
        handover = Handover.of(folder, batch.batch)
        if not handover.receipt.exists():
            if handover.log.exists():  # it was tried
                lines += [f"weir: {batch.batch} was not measured: {reason}" for reason in handover.reasons()]
                lines.append(f"    the whole log: {handover.log}")
        elif reason := why_unavailable(folder.parent, batch.batch):
            lines.append(f"weir: {batch.batch} was skipped: {reason}")
    return [visible(line) for line in lines]


def reasons_together(problems: Mapping[str, str]) -> list[str]:
    """A text for each reason with the batches that have it: on a cluster all of a target have the same."""
    batches = grouped((reason, batch) for batch, reason in problems.items())
    return [f"{listed(names, 1)}: {reason}" for reason, names in batches.items()]


def _why_skipped(batch: Batch, results: Path) -> list[str]:
    """Each reason once: that of the batch, or those of its cells."""
    names = [batch.batch, *(cell.cell for cell in batch.cells)]
    noted = unavailable_names(results)
    reasons = [why_unavailable(results, name) for name in names if name in noted]
    return list(dict.fromkeys(filter(None, reasons)))


def what_is_left(plan: Plan, results: Path, receipts: Path) -> str:
    """One line on what has been measured already, then a line for each batch with missing cells.

    A batch whose optional target was unavailable has its receipt, so that the study is printed without it.
    """
    left = {batch.batch: cells_left(batch, results) for batch in plan.batches}
    count = sum(map(len, left.values()))
    planned = counted(len(plan.cells), "cell")
    lines = [f"{planned} planned, {len(plan.cells) - count} measured, {count} to measure"]
    for name, labels in left.items():
        if labels:
            more = f" and {len(labels) - _EXAMPLES} more" if len(labels) > _EXAMPLES else ""
            lines.append(f"  {name}: {', '.join(labels[:_EXAMPLES])}{more}")
            receipt = receipts / f"{name}.json"
            if receipt.exists() and (reasons := _why_skipped(plan.batch(name), results)):
                lines += [f"    was skipped: {reason}" for reason in reasons]
                lines.append(f"    to try it again: rm {receipt}")
    return "\n".join(lines)
