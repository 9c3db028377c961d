"""The page of a study while it is measured: what its runs show so far, and what is still missing.

It is made between two rounds by the process that measures, or on another node by `weir watch --page`; never
while a phase is timed on the node that makes it.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from weir.audit.judge import UNPROVEN, names_in
from weir.base.errors import WeirError
from weir.base.files import write_atomically
from weir.base.units import about_duration
from weir.collect.parsed_runs import requested_columns
from weir.collect.progress import BatchProgress, EndedExecution, StudyProgress
from weir.collect.study_facts import Planned, study_facts
from weir.collect.tally import Tally, facts_of_run
from weir.plan import Plan
from weir.records.model import Row
from weir.report.answers import Counts, page_of
from weir.report.page import write_page
from weir.report.points import Points
from weir.report.text import proof, rates
from weir.tools import purpose_of

LIVE_PAGE = "live.html"
LIVE_TEXT = "live.txt"  # the same for a terminal

_LOOK_S = 0.3  # runs that were there before are read round by round, so that a page takes no longer
_INTERVAL_RUNS = 6  # fewer give no interval at 95 %
_MOST_TROUBLES = 8
_OVER = ("finished", "skipped", "failed")


def page_writer(plan: Plan, folder: Path) -> Callable[[], None]:
    """Writes the page of a study; a fault of the page is not one of the measurement."""
    live = LiveStudy(plan, folder)

    def write() -> None:
        try:
            live.look()
            live.write()
        except (WeirError, OSError) as error:
            print(f"weir: the live page was not written: {error}", file=sys.stderr)

    return write


class LiveStudy:
    """A study that is measured; look() takes in the runs that ended since the last look."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        self._folder, self._plan = folder, plan
        self.progress = StudyProgress(plan, folder, self.take)
        cells = [cell for batch in plan.batches for cell in batch.cells]
        self._planned = Planned.of_cells(cells)
        self._rounds = {cell.cell: cell.rounds for cell in cells}
        self._points, self._counts, self._tally = Points(), Counts(), Tally()
        self._runs: Counter[str] = Counter()
        self._nodes: dict[str, dict[str, None]] = {}
        self._troubles: dict[tuple[str, int], dict[str, Any]] = {}

    def look(self, limit_s: float = _LOOK_S) -> None:
        began = time.monotonic()
        self.progress.look()
        while self.progress.unread and time.monotonic() - began < limit_s:
            self.progress.look()

    def write(self) -> None:
        """Both files, with what is known now."""
        facts = self.facts()
        write_page(self._folder / LIVE_PAGE, facts)
        write_atomically(self._folder / LIVE_TEXT, "".join(f"{line}\n" for line in self._text(facts)))

    def facts(self) -> dict[str, Any]:
        of_study = study_facts(self._plan, self._planned, self._tally)
        page = page_of(of_study, self._folder.name, self._counts, self._points)
        return page | {"live": self._state()}

    def _state(self) -> dict[str, Any]:
        batches = self.progress.batches
        done, executions = (sum(getattr(one, name) for one in batches) for name in ("ended", "executions"))
        over = all(one.state in _OVER for one in batches)
        rounds, planned = self._complete_rounds(), max(self._rounds.values(), default=0)
        return {
            "over": over,
            "written": datetime.now(UTC).isoformat(timespec="seconds"),
            "rounds": rounds,
            "planned": planned,
            "done": done,
            "executions": executions,
            "unread": self.progress.unread,
            "left": "" if over else _left_text(batches),
            "first": "" if done else _left_text(batches, planned),
            "reload_s": _reload_s(batches, planned),
            "missing": list(_missing(rounds, planned, done, executions)),
            "batches": [self._batch(one) for one in batches],
            "troubles": _by_reason(self._troubles.values()),
        }

    def _complete_rounds(self) -> int:
        """The number of complete rounds of the batches that can be measured."""
        most = max(self._rounds.values(), default=0)
        counted = [
            self._runs[cell.cell]
            for one in self.progress.batches
            if one.state not in ("skipped", "failed")
            for cell in one.batch.cells
            if cell.rounds == most
        ]
        return min(counted, default=0)

    def _batch(self, one: BatchProgress) -> dict[str, Any]:
        name = one.batch.batch
        return {
            "batch": name,
            "state": one.state,
            "reason": one.reason,
            "target": one.batch.target,
            "nodes": list(self._nodes.get(name, ())),
            "executions": one.executions,
            "done": one.ended,
            "failed": one.failures,
            "invalid": one.invalid,
            "degraded": one.degraded,
            "rates": one.rates_mib_s,
            "left": _left_text([one]) if one.left and one.state in ("running", "waiting") else "",
        }

    def take(self, found: EndedExecution) -> None:
        """One more execution, or one that was repeated or judged since."""
        cell, key = found.cell, (found.cell.cell, found.number)
        if not cell.checks:
            self._points.add(found.rows if found.run else self._unjudged(found))
        if found.run is None:
            return
        facts = found.run.facts
        if not cell.checks:
            self._counts.add(key, found.rows)
        self._troubles.pop(key, None)
        if "host" in facts:
            self._runs[cell.cell] += 1
            self._tally.add_run(facts_of_run(facts))
            nodes = facts["host"].get("nodes") or facts["host"].get("node")  # a text
            self._nodes.setdefault(found.batch.batch, {}).update({str(nodes): None} if nodes else {})
        if reason := _trouble(found):
            self._troubles[key] = {"cell": cell.label, "round": found.number + 1, "reason": reason}

    def _unjudged(self, found: EndedExecution) -> list[Row]:
        """Rows of an execution whose launch goes on: the audit needs the whole run."""
        cell = found.cell
        common: Row = requested_columns(cell) | {
            "cell": cell.cell,
            "target": cell.target,
            "label": cell.label,
            "run": found.number,
            "purpose": purpose_of(cell.tool),
            "emulated": self._plan.site.targets[cell.target].emulated,
            "verdict": UNPROVEN,
        }
        return [
            {**common, **row, "iteration": found.number * cell.iterations + row["iteration"]}
            for row in found.rows
        ]

    def _text(self, facts: dict[str, Any]) -> Iterator[str]:
        """The lines that a terminal shows after a round."""
        state = facts["live"]
        rounds = f"{state['rounds']} of {state['planned']} rounds complete"
        yield f"{rounds}, {state['done']} of {state['executions']} executions"
        yield proof(facts["verdicts"])
        yield from rates(facts)


def _trouble(found: EndedExecution) -> str:
    """Why a run failed, or why records of it are degraded or invalid."""
    facts = found.run.facts if found.run else {}
    if facts.get("status") != "done":
        return str(facts.get("error") or "failed")
    return ", ".join(dict.fromkeys(rule for row in found.rows for rule in names_in(row.get("reasons"))))


def _by_reason(troubles: Collection[dict[str, Any]]) -> list[dict[str, Any]]:
    """The commonest reasons: how many executions, and the last of them."""
    last = {one["reason"]: one for one in troubles}
    counts = Counter(one["reason"] for one in troubles)
    return [last[reason] | {"count": count} for reason, count in counts.most_common(_MOST_TROUBLES)]


def _left_text(batches: Sequence[BatchProgress], rounds: int = 1) -> str:
    """Batches in turns count each other's time; of the rest, the longest decides. Of one of the rounds."""
    left = [one.time_left_s() for one in batches if one.left and one.state in ("running", "waiting")]
    if not left:
        return ""
    expected, low, high = (max(column) / max(rounds, 1) for column in zip(*left, strict=True))
    return f"{about_duration(expected)} ({about_duration(low)} to {about_duration(high)})"


def _reload_s(batches: Sequence[BatchProgress], rounds: int) -> float:
    """The time of a round as expected: a page that is loaded sooner has no news."""
    seconds = [second for one in batches for second in one.elapsed_s]
    ended, executions = len(seconds), sum(one.executions for one in batches)
    round_s = sum(seconds) / ended * executions / rounds if ended and rounds else 0.0
    return round(min(60.0, max(5.0, round_s)), 1)


def _missing(rounds: int, planned: int, done: int, executions: int) -> Iterator[str]:
    if done < executions:
        yield f"{executions - done} of {executions} executions"
    if rounds < min(_INTERVAL_RUNS, planned):
        yield f"intervals of medians: they need {_INTERVAL_RUNS} runs of a cell"
    yield "what a setting changes, doubts, advice and figures: when all rounds are measured"
