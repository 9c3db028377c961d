"""One batch measured as weir run measures it, or a turn of it without a guardian; and a batch of one cell."""

import contextlib
import json
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from tests.checkout import plain_cell
from tests.programs import write_program
from tests.unit.tools.cells import cell_of
from weir.measure.batches import measure_in_turn, run_all
from weir.measure.clean_up.directories import Workspace, fault
from weir.measure.clean_up.prepared_target import Guardian
from weir.measure.command import Turn
from weir.measure.session import PlannedBatch, Session, SessionBatch
from weir.records.model import Cell, Stack, Target
from weir.tools import tools

# What weir-io once wrote.
GOLDEN = Path(__file__).resolve().parents[2] / "golden/ior/weir-io-mpiio.json"


def on_the_path(folder: Path, monkeypatch: pytest.MonkeyPatch, **programs: str) -> None:
    """Scripts that are found before any program of the machine."""
    for name, text in programs.items():
        write_program(folder / "bin" / name, text)
    monkeypatch.setenv("PATH", f"{folder}/bin:/usr/bin:/bin")


def golden_cell(**known: Any) -> Cell:
    """The cell that GOLDEN is a result of."""
    params = dict(cell_of(tools()["ior"]).params)
    requested = json.loads(GOLDEN.read_text())["requested"]
    params |= {name: requested[name] for name in params.keys() & requested.keys()}
    return plain_cell("c" * 12, label="where what", params=params, **known)


def small_batch(folder: Path, stack: Stack, rounds: int = 1) -> PlannedBatch:
    """Two cells of IOR that move one page."""
    params = cell_of(tools()["ior"], xfer_bytes=4096, block_bytes=4096).params
    cells = [plain_cell(f"{n:012x}", label=f"c{n}", rounds=rounds, params=params) for n in range(2)]
    (folder / "target").mkdir()
    target = Target("t", "disk", str(folder / "target"))
    return PlannedBatch("b", cells, target, stack, "srun", folder / "results")


def one_cell(folder: Path, monkeypatch: pytest.MonkeyPatch, nodes: int, srun: str) -> PlannedBatch:
    """A batch of that cell, started by this script in place of srun."""
    for name in ("data", "temporary"):
        (folder / name).mkdir()
    monkeypatch.setenv("TMPDIR", str(folder / "temporary"))
    on_the_path(folder, monkeypatch, srun=srun)
    target = Target("disk", "disk", str(folder / "data"))
    stack = Stack("st", {"ior": ("true",)})
    return PlannedBatch("b", [golden_cell(nodes=nodes)], target, stack, "srun", folder / "results")


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
