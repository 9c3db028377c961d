"""The end of a workflow on the terminal: what was decided and where the files are, in at most three lines."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from weir.base.errors import WeirError
from weir.base.files import WRONG_CONTENT, from_json
from weir.collect.tally import verdict_counts
from weir.plan import Plan
from weir.report.page import checked_page, publication_lines
from weir.report.text import headline
from weir.workflow.study import PAGE, PRINT, RECORDS, cells_left, output_times

_HTML = "report.html"


def ending(plan: Plan, printed: Path, before: Mapping[str, int], results: Path) -> list[str]:
    """The answer first. Outputs that an earlier workflow left are not named: they may be of other records.

    printed: folder of the study, whose outputs had the times of before when the workflow began."""
    times = output_times(printed)
    if times == before:
        return list(_measured(plan, results))
    return list(_written(printed, times))


def earlier_ending(printed: Path) -> list[str]:
    """The ending of an earlier workflow, for one that finds nothing to do: Snakemake then ends at once."""
    times = output_times(printed)
    if PAGE not in times or times[PAGE] < times.get(RECORDS, 0):
        return []
    return ["drawn by an earlier workflow:", *(f"  {line}" for line in _written(printed, times))]


def _written(folder: Path, times: Mapping[str, int]) -> Iterator[str]:
    if times.get(PAGE, 0) < times.get(RECORDS, 0):
        return _collected(folder)
    return _drawn(folder, has_print=times.get(PRINT, 0) >= times.get(PAGE, 0))


def _drawn(folder: Path, has_print: bool) -> Iterator[str]:
    page = folder / PAGE
    try:
        answer = headline(checked_page(from_json(page.read_text(encoding="utf-8")), page))
    except WeirError as error:
        answer = str(error)
    except (OSError, *WRONG_CONTENT) as error:
        answer = f"{page}: is not readable: {error}"
    yield "; ".join([answer, *publication_lines(folder)])
    yield f"HTML: {folder / _HTML}"
    if has_print:
        yield f"PDF:  {folder / PRINT}"


def _collected(folder: Path) -> Iterator[str]:
    facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    yield f"{folder / RECORDS}: {facts['records']} records: {verdict_counts(facts['verdicts'])}"
    yield f"why: weir audit {folder / RECORDS}"


def _measured(plan: Plan, results: Path) -> Iterator[str]:
    left = sum(len(cells_left(batch, results)) for batch in plan.batches)
    yield f"{len(plan.cells) - left} of {len(plan.cells)} cells measured: {results / 'runs'}"
