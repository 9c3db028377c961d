"""The receipt of a session: for each batch what was measured, what was kept from when, and why not the
rest."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from weir.base.errors import Problem, ProblemsError, WeirError, error_data
from weir.base.files import write_atomically
from weir.base.units import counted, few
from weir.measure.handover import Handover
from weir.measure.nodes import Slow
from weir.measure.session import Run, Session, SessionBatch

_MOST_SHOWN = 10  # failed executions of a batch: thousands may fail for one reason


@dataclass(frozen=True)
class BatchReceipt:
    """Counts of executions of one batch, with the reasons."""

    batch: str
    executions: int  # of the plan
    kept: int  # of them, that had run before
    kept_from: str | None  # when the first of those kept ended, and the last
    kept_to: str | None
    measured: int  # now
    done: int  # of those measured, that succeeded
    added: int  # of those measured, that the plan did not have
    failed: tuple[str, ...]  # of those measured: cell, run and reason
    left: int  # that the rest of the allocation is too short for
    successes: int  # executions of the plan that have succeeded, now or before
    first_failure: str | None  # the message of the execution that failed first
    unavailable: str | None  # why nothing was tried on an optional target
    unavailable_cells: Mapping[str, str]  # label of each that the programs lack something for, and what
    error: WeirError | None  # why the batch could not go on
    slow_nodes: Sequence[Slow] | None  # None: they were not compared

    @classmethod
    def of(cls, batch: SessionBatch) -> "BatchReceipt":
        kept = sorted(filter(None, (batch.finished[key].ended for key in batch.kept)))
        planned = _of_the_plan(batch)
        known = [batch.finished[key] for key in planned if key in batch.finished]
        without_success = [one for one in known if not one.is_success]
        first = min(without_success, key=lambda one: one.ended or "", default=None)
        return cls(
            batch=batch.planned.batch,
            executions=len(planned),
            kept=len(batch.kept),
            kept_from=kept[0] if kept else None,
            kept_to=kept[-1] if kept else None,
            measured=len(batch.ran),
            done=batch.done,
            added=sum(each.run >= each.cell.rounds for each in batch.ran),
            failed=tuple(
                f"{each.cell.label} ({each.cell.cell}, run {each.run}): {batch.finished[each.key].error}"
                for each in batch.failed
            ),
            left=batch.left,
            successes=len(known) - len(without_success),
            first_failure=first.error if first else None,
            unavailable=batch.unavailable,
            unavailable_cells={
                f"{cell.label} ({cell.cell})": batch.unavailable_cells[cell.cell]
                for cell in batch.planned.cells
                if cell.cell in batch.unavailable_cells
            },
            error=batch.error,
            slow_nodes=batch.slow_nodes,
        )

    def data(self) -> dict[str, Any]:
        """The receipt as JSON."""
        return {
            **vars(self),
            "error": error_data(self.error)["errors"] if self.error else None,
            "slow_nodes": None if self.slow_nodes is None else [vars(item) for item in self.slow_nodes],
        }

    def lines(self) -> Iterator[str]:
        """The receipt as lines for people."""
        if self.unavailable:
            yield f"{self.batch}: unavailable: {self.unavailable}"
        elif self.error:
            yield f"{self.batch}: stopped after {self.measured} executions, see the error"
        else:
            yield (
                f"{self.batch}: {self.done} executions done, {len(self.failed)} failed, "
                f"{self.kept} of {self.executions} were there already"
                + (f", {self.added} in added rounds" if self.added else "")
            )
            for reason, count in Counter(self.unavailable_cells.values()).items():
                yield f"  unavailable: {counted(count, 'cell')}: {reason}"
            failed = [f"  failed: {line}" for line in self.failed]
            yield from few(failed, _MOST_SHOWN, "  and {} more failed: the receipt has all")


@dataclass(frozen=True)
class Receipt:
    """The batches of a session that were requested; others, beside them, have receipts of their own."""

    seed: int
    batches: tuple[BatchReceipt, ...]
    retries: bool = False  # what failed before was measured once more
    in_turns: tuple[BatchReceipt, ...] = ()  # of the others that are through, as a later session finds them

    @classmethod
    def of(cls, session: Session, chosen: int) -> "Receipt":
        """The receipt of a session whose first batches are the chosen ones."""
        receipts = tuple(map(BatchReceipt.of, session.batches[:chosen]))
        through = [
            SessionBatch(batch.planned, session) for batch in session.batches[chosen:] if _is_through(batch)
        ]
        return cls(session.seed, receipts, session.retry_failed, tuple(map(BatchReceipt.of, through)))

    def data(self) -> dict[str, Any]:
        """The receipt as JSON."""
        return {"seed": self.seed, "batches": [batch.data() for batch in self.batches]}

    def note_in_turns(self, file: Path) -> None:
        """The jobs of batches that are through find their receipts beside that of the chosen one."""
        for one in self.in_turns:
            data = Receipt(self.seed, (one,)).data()
            Handover(file.with_name(f"{one.batch}.json")).note_in_turns(data, by=file.stem)

    def require_through(self) -> None:
        """Raises the reasons for which batches have to be started again."""
        self._require_no_error()
        if left := sum(batch.left for batch in self.batches):
            raise WeirError(
                f"{left} executions do not fit the rest of the allocation",
                hint="run again: finished runs are kept",
            )
        without = [batch for batch in self.batches if batch.successes == 0 and batch.unavailable is None]
        if without:
            raise ProblemsError([_no_success(batch, self.retries) for batch in without])

    def _require_no_error(self) -> None:
        """Names each batch that could not go on, when the others are measured."""
        stopped = [(batch.batch, batch.error) for batch in self.batches if batch.error]
        problems = [
            replace(problem, message=f"{batch}: {problem.message}") if len(self.batches) > 1 else problem
            for batch, error in stopped
            for problem in error.problems
        ]
        if problems:
            raise ProblemsError(problems, exit_code=max(error.exit_code for _, error in stopped))


def deliver(session: Session, chosen: int, as_json: bool, file: Path | None) -> int:
    """Print what became of the first batches of a session, and write the file that Snakemake waits for.
    Returns the exit code of a session that ran to its end; raises why batches have to be started again."""
    receipt = Receipt.of(session, chosen)
    text = json.dumps(receipt.data(), indent=1)
    for line in [text] if as_json else (line for batch in receipt.batches for line in batch.lines()):
        print(line)
    receipt.require_through()
    has_failed = any(batch.failed or batch.unavailable_cells for batch in receipt.batches)
    if file:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, text + "\n")
        if not has_failed:
            receipt.note_in_turns(file)
    return 1 if has_failed else 0


def _of_the_plan(batch: SessionBatch) -> list[Run]:
    return [(cell.cell, run) for cell in batch.planned.cells for run in range(cell.rounds)]


def _is_through(batch: SessionBatch) -> bool:
    """Whether each execution has succeeded and none is to be added."""
    is_done = all(key in batch.finished and batch.finished[key].is_success for key in _of_the_plan(batch))
    return batch.can_go_on and is_done and not batch.failed and not batch.left and not batch.todo()


def _no_success(batch: BatchReceipt, retries: bool) -> Problem:
    """The problem of a batch without a success, with the message of its first failure: the log with it may be
    elsewhere."""
    reason = batch.first_failure or "no reason is known"
    return Problem(
        f"{batch.batch}: no execution succeeded; the first one: {reason}",
        hint="fix that, then start the same command again" + ("" if retries else " with --retry-failed"),
    )
