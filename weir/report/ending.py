"""The end of a workflow on the terminal: what was decided and where the files are, in at most three lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from weir.base.errors import WeirError
from weir.base.files import from_json
from weir.records.tally import verdict_counts
from weir.report.page_file import PAGE_FILE, checked_page
from weir.report.publications import publication_lines
from weir.report.text import headline
from weir.workflow.rules import Workflow
from weir.workflow.study import cells_left

_PAGE, _PRINT, _RECORDS = "report.html", "report.pdf", "records.csv"


def print_ending(workflow: Workflow) -> None:
    """Called by the Snakefile when all jobs ended well."""
    print(*ending(workflow), sep="\n", flush=True)


def ending(workflow: Workflow) -> list[str]:
    """The answer first. Files of an earlier workflow are not named: they may be of other records."""
    folder = workflow.printed_folder
    newest = max((_written(folder / name) for name in (_RECORDS, PAGE_FILE, _PRINT)), default=0)
    if not newest or newest < workflow.began_ns:
        return list(_measured(workflow))
    if _written(folder / PAGE_FILE) < _written(folder / _RECORDS):
        return list(_collected(folder))
    return list(_drawn(folder))


def _drawn(folder: Path) -> Iterator[str]:
    page = folder / PAGE_FILE
    try:
        answer = headline(checked_page(from_json(page.read_text(encoding="utf-8")), page))
    except WeirError as error:
        answer = str(error)
    except (OSError, ValueError) as error:
        answer = f"{page}: is not readable: {error}"
    yield "; ".join([answer, *publication_lines(folder)])
    yield f"HTML: {folder / _PAGE}"
    if _written(folder / _PRINT) >= _written(page):
        yield f"PDF:  {folder / _PRINT}"


def _collected(folder: Path) -> Iterator[str]:
    facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    yield f"{folder / _RECORDS}: {facts['records']} records: {verdict_counts(facts['verdicts'])}"
    yield f"why: weir audit {folder / _RECORDS}"


def _measured(workflow: Workflow) -> Iterator[str]:
    plan, results = workflow.plan, workflow.site_folder
    left = sum(len(cells_left(batch, results)) for batch in plan.batches)
    yield f"{len(plan.cells) - left} of {len(plan.cells)} cells measured: {results / 'runs'}"


def _written(file: Path) -> int:
    """The time in nanoseconds since 1970; 0 where there is no file."""
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0
