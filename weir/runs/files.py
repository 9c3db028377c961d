"""The folder of a run and what is in it; run.json, which ledger.py writes, is there whole or not at all."""

import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from weir.base.errors import WeirError
from weir.base.files import read_object, write_atomically

RUN_FILE = "run.json"
ROWS_FILE = "rows.json"  # beside it: what the run was judged when it ended
_END = b"}\n"
MEASURE_AGAIN = "delete it and run again: only this execution is measured again"


def run_folder(results: Path, cell_id: str, run: int) -> Path:
    """results is the folder of one site: results/<site>."""
    return results / "runs" / cell_id / f"{run:03d}"


def read_run_file(results: Path, cell_id: str, run: int) -> dict[str, Any] | None:
    """The facts of run.json; None for an execution that never ended."""
    try:
        return read_object(run_folder(results, cell_id, run) / RUN_FILE, MEASURE_AGAIN)
    except FileNotFoundError:
        return None


def is_finished(results: Path, cell_id: str, run: int) -> bool:
    """Whether a run.json is there to its end; its content is not parsed: a plan asks this 100,000 times."""
    try:
        with (run_folder(results, cell_id, run) / RUN_FILE).open("rb") as stream:
            stream.seek(-len(_END), 2)
            return stream.read() == _END
    except OSError:
        return False


def is_kept(results: Path, cell_id: str, run: int, only_successful: bool = False) -> bool:
    """Whether an execution is not measured again: its run.json is sound (and done, if only_successful)."""
    try:
        document = read_run_file(results, cell_id, run)
    except WeirError:
        return False
    return document is not None and (not only_successful or document.get("status") == "done")


def ended_at(results: Path, cell_id: str, run: int) -> float | None:
    """The time at which run.json was written, in seconds since 1970; None for an execution that never
    ended."""
    try:
        return (run_folder(results, cell_id, run) / RUN_FILE).stat().st_mtime
    except OSError:
        return None


def fresh_folder(results: Path, cell_id: str, run: int) -> Path:
    """An empty folder for this run; an interrupted run's files go, a failed or damaged run is set aside."""
    folder = run_folder(results, cell_id, run)
    if (folder / RUN_FILE).is_file():
        reason = "failed" if is_kept(results, cell_id, run) else "damaged"
        attempts = len(list(folder.parent.glob(f"{folder.name}.{reason}-*")))
        folder.rename(folder.with_name(f"{folder.name}.{reason}-{attempts + 1}"))
    elif folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    return folder


def note_unavailable(results: Path, batch: str, reason: str | None) -> None:
    """Remember why a batch or a cell was not tried; None forgets it."""
    file = results / "unavailable" / batch
    if reason is None:
        file.unlink(missing_ok=True)
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(file, reason + "\n")


def note_unavailable_some(results: Path, names: Iterable[str], reasons: Mapping[str, str]) -> None:
    """Remember why some of these batches and cells cannot be measured here, and that the others can.
    A name of a cell is never that of a batch."""
    for name in unavailable_names(results) & set(names) - reasons.keys():
        note_unavailable(results, name, None)
    for name, reason in reasons.items():
        note_unavailable(results, name, reason)


def unavailable_names(results: Path) -> set[str]:
    """Batches and cells that could not be measured when it was tried last."""
    try:
        return set(os.listdir(results / "unavailable"))
    except FileNotFoundError:
        return set()


def why_unavailable(results: Path, batch: str) -> str | None:
    """The reason that note_unavailable has written for a batch or a cell."""
    try:
        return (results / "unavailable" / batch).read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None
