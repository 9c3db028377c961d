"""One batch measured as weir run measures it, or a turn of it without a guardian."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from weir.measure.batches import measure_in_turn, run_all
from weir.measure.clean_up.directories import Workspace, fault
from weir.measure.clean_up.prepared_target import Guardian
from weir.measure.command import Turn
from weir.measure.session import PlannedBatch, Session, SessionBatch


def session_batch(planned: PlannedBatch, **options: Any) -> SessionBatch:
    """The batch in a session of its own."""
    (batch,) = Session([planned], **{"seed": 1, **options}).batches
    return batch


def measure_batch(planned: PlannedBatch, **options: Any) -> SessionBatch:
    """Measured alone; raises why it could not go on."""
    batch = session_batch(planned, **options)
    measure_in_turn(batch.session)
    if batch.error:
        raise batch.error
    return batch


class NoGuardian:
    """This process touches the target itself."""

    def __init__(self, planned: PlannedBatch) -> None:
        self.workspace = Workspace(Path(planned.target.path), planned.results, planned.batch)
        self._results = planned.results

    def fault(self) -> str | None:
        return fault(self.workspace, self._results)

    def remove(self, folders: Sequence[Path]) -> None:
        for folder in folders:
            self.workspace.remove_run(folder)


@contextlib.contextmanager
def claimed_turn(batch: SessionBatch) -> Iterator[Turn]:
    """On a target that needs no commands."""
    guardian = NoGuardian(batch.planned)
    guardian.workspace.claim()
    try:
        yield Turn(batch, cast(Guardian, guardian), secrets.token_hex(8))
    finally:
        guardian.workspace.remove()


def run_missing(planned: PlannedBatch, **options: Any) -> SessionBatch:
    """All that the plan lacks."""
    batch = session_batch(planned, **options)
    with claimed_turn(batch) as turn:
        run_all(batch.missing(), turn)
    return batch
