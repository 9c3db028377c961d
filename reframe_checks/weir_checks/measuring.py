"""A check that measures a batch, and what it demands before it passes."""

import contextlib
import os
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import reframe.utility.sanity as sn
import reframe.utility.typecheck as typ
from reframe.core.builtins import run_after, run_before, sanity_function, variable
from reframe.core.exceptions import ReframeError

from weir.base.errors import WeirError
from weir.collect.judged import collect_cell
from weir.collect.metrics import metric_named
from weir.collect.parsed_runs import Run
from weir.measure.handover import Handover, start_of_workflow
from weir.plan import Batch
from weir.records.model import Cell, Row, Site
from weir_checks.batch_test import WeirRun
from weir_checks.choices import CHOSEN
from weir_checks.receipt import BatchCounts, RunName, days_of, finished, runs_since, without_records
from weir_checks.references import Access, references

# run_batch.py names the batch; the values are then those of this workflow.
IN_WORKFLOW = "WEIR_BATCH" in os.environ


class MeasureBatch(WeirRun):
    """The cells of a batch; the performance variables are the median rates of the cells."""

    #: Whether runs that are there count; by default a batch that is through is measured anew, beside them.
    keep = variable(typ.Bool, value=IN_WORKFLOW)
    #: Bounds of `weir history reference`, a results database of ReFrame, or `stored`: that of this ReFrame.
    reference_file = variable(str, value=CHOSEN.reference_file)
    #: Of each performance variable its cell, for `weir history add` and for references from stored results.
    cells = variable(dict, value={}, loggable=True)

    tags = {"measure"}  # noqa: RUF012 - ReFrame copies it

    @run_after("init")
    def take_the_tags_of_the_suites(self):
        if not self._faults:
            self.tags |= self.case.suite_tags

    @run_before("setup")
    def look_for_the_references(self):
        """Refuses a file without any before the batch is measured, which may take hours."""
        try:
            references(self.reference_file)
        except WeirError as error:
            raise ReframeError(str(error)) from None

    def find_place(self):
        return self.case.place(self.results, self.keep)

    @run_after("setup")
    def name_what_is_handed_over(self):
        handover = self.place.handover
        if not self.is_dry_run():
            handover.receipt.unlink(missing_ok=True)
        since = start_of_workflow() if IN_WORKFLOW else None
        self.beside = self.case.waiting_beside(self.place)
        self.earlier: set[RunName] = finished([self.case.batch, *self.beside], self.place.results, since)
        self.executable_opts += ["--retry-failed", "--json", "--receipt", str(handover.receipt)]
        self.executable_opts += ["--errors", str(handover.errors), "--progress", str(handover.progress)]
        if self._partition.scheduler == "local":
            self.executable_opts.append("--page")  # elsewhere `weir watch --page` writes it, on another node
        for other in self.beside:
            self.executable_opts += ["--beside", other.batch]
        if self.case.started:  # what failed beside an earlier batch of this workflow has been tried
            self.executable_opts += ["--kept-since", str(self.case.started)]

    @run_before("sanity")
    def skip_what_was_not_measured(self):
        batch, results = self.case.batch, self.place.results
        self.receipt = BatchCounts.read(self.place)
        if self.receipt.unavailable:
            self.skip(f"unavailable: {self.receipt.unavailable}")
        runs = runs_since(batch, results, self.earlier)
        if not self.receipt.problem() and not any(runs.values()) and self.earlier:
            self.skip(f"measured on {days_of(batch, results)}; -S keep=no measures it anew")
        self.rows = rows_of(batch, runs, results)
        for other in self.measured_beside():
            self.rows += rows_of(other, runs_since(other, results, self.earlier), results)

    def measured_beside(self) -> list[Batch]:
        """Batches that are through with this one: their jobs start no ReFrame, so their values are logged
        here."""
        study = self.place.plan_file.parent
        return [other for other in self.beside if Handover.of(study, other.batch).in_turns.exists()]

    @sanity_function
    def each_cell_has_records(self):
        if problem := self.receipt.problem() or without_records(self.case.batch, self.all_rows()):
            return sn.assert_true(False, problem)
        ended = "weir run failed or was ended; rfm_job.err has the reason"
        return sn.assert_found("^weir run ended with 0$", self.stdout, ended)

    def all_rows(self) -> list[Row]:
        """The rows, with those of runs that were kept, which give no value but are measured, too."""
        batch, results = self.case.batch, self.place.results
        return rows_of(batch, runs_since(batch, results, set()), results)

    @run_before("performance")
    def one_variable_per_cell(self):
        own = {cell.cell: cell for cell in self.case.batch.cells}
        cells = {cell.cell: cell for other in self.measured_beside() for cell in other.cells} | own
        found = median_rates(self.rows)
        # The test's own name has the rest of the label of its own cells.
        labels = {name: cell.point if name in own else cell.label for name, cell in cells.items()}
        names = {(cell, access): f"{access} {labels[cell]}" for cell, access in found}
        self.perf_variables = {
            names[key]: sn.make_performance_function(sn.defer(value.median), value.unit)
            for key, value in found.items()
        }
        self.cells = {
            names[key]: facts(cells[key[0]], self.case.plan.site)
            | {"access": key[1], "verdict": value.verdict}
            for key, value in found.items()
        }
        known = references(self.reference_file)
        limits = {names[key]: (*known[key], None, found[key].unit) for key in names if key in known}
        self.add_references(limits)

    def add_references(self, limits: dict[str, tuple[float, float, None, str]]) -> None:
        """Adds references beside those of the class, which count where there are both."""
        if not limits or getattr(self.reference, "index", None):  # a class that indexes its own knows better
            return
        partition, own = self.current_partition.fullname, {}
        for name in limits:
            with contextlib.suppress(KeyError):
                own[name] = self.reference[f"{partition}:{name}"]
        of_class = {key: value for key, value in _plain(self.reference).items() if key != partition}
        self.reference = {
            **of_class,
            partition: {**_plain(self.reference).get(partition, {}), **limits, **own},
        }


def rows_of(batch: Batch, runs: Mapping[str, Iterable[Run]], results: Path) -> list[Row]:
    """The rows of these runs of each cell."""
    return [row for cell in batch.cells for row in collect_cell(cell, runs[cell.cell], results)]


def _plain(reference: Any) -> dict[str, Any]:
    return dict(getattr(reference, "data", reference))


def facts(cell: Cell, site: Site) -> dict[str, Any]:
    """The facts about a value in the results database that `weir history` needs."""
    names = ("cell", "label", "suite", "experiment", "site", "target", "stack", "tool")
    api = cell.params.get("api", cell.tool)
    about = {"api": api, "nn": cell.nodes, "ppn": cell.ppn, "emulated": site.targets[cell.target].emulated}
    return {name: getattr(cell, name) for name in names} | about


@dataclass(frozen=True)
class MeasuredValue:
    """The value of one cell and access."""

    median: float
    unit: str
    verdict: str  # the weakest of the records in it


def median_rates(rows: Iterable[Row]) -> dict[Access, MeasuredValue]:
    """The medians over the repetitions, without what the audit calls invalid; degraded ones count only where
    there are no others."""
    rate = metric_named("rate")
    found: dict[Access, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    units: dict[Access, str] = {}
    for row in rows:
        value = rate.of(row)
        if row["verdict"] != "INVALID" and value is not None:
            key = row["cell"], row["access"]
            found[key][row["verdict"]].append(value)
            units[key] = rate.unit_of(row)
    return {key: _value(values, units[key]) for key, values in found.items()}


def _value(values: Mapping[str, list[float]], unit: str) -> MeasuredValue:
    good = [name for name in ("UNPROVEN", "VALID") if name in values] or ["DEGRADED"]
    median = statistics.median([one for name in good for one in values[name]])
    return MeasuredValue(float(f"{median:.5g}"), unit, good[0])
