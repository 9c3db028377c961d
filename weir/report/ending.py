"""The end of a workflow on the terminal: what was decided and where the files are, in at most three lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from weir.base.errors import WeirError
from weir.base.files import from_json
from weir.records.tally import verdict_counts
from weir.report.page_file import checked_page, publication_lines
from weir.report.text import headline
from weir.workflow.rules import Workflow
from weir.workflow.study import PAGE, PRINT, RECORDS, cells_left, output_times

_HTML = "report.html"


def print_ending(workflow: Workflow) -> None:
    """Called by the Snakefile when all jobs ended well."""
    print(*ending(workflow), sep="\n", flush=True)


def ending(workflow: Workflow) -> list[str]:
    """The answer first. Outputs that an earlier workflow left are not named: they may be of other records."""
    folder = workflow.printed_folder
    times = output_times(folder)
    if times == workflow.before:
        return list(_measured(workflow))
    if times.get(PAGE, 0) < times.get(RECORDS, 0):
        return list(_collected(folder))
    return list(_drawn(folder, has_print=times.get(PRINT, 0) >= times.get(PAGE, 0)))


def _drawn(folder: Path, has_print: bool) -> Iterator[str]:
    page = folder / PAGE
    try:
        answer = headline(checked_page(from_json(page.read_text(encoding="utf-8")), page))
    except WeirError as error:
        answer = str(error)
    except (OSError, ValueError) as error:
        answer = f"{page}: is not readable: {error}"
    yield "; ".join([answer, *publication_lines(folder)])
    yield f"HTML: {folder / _HTML}"
    if has_print:
        yield f"PDF:  {folder / PRINT}"


def _collected(folder: Path) -> Iterator[str]:
    facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    yield f"{folder / RECORDS}: {facts['records']} records: {verdict_counts(facts['verdicts'])}"
    yield f"why: weir audit {folder / RECORDS}"


def _measured(workflow: Workflow) -> Iterator[str]:
    plan, results = workflow.plan, workflow.site_folder
    left = sum(len(cells_left(batch, results)) for batch in plan.batches)
    yield f"{len(plan.cells) - left} of {len(plan.cells)} cells measured: {results / 'runs'}"
