"""Where the files of a run lie, and how run.json appears: whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

RUN_FILE = "run.json"


def run_folder(results: Path, cell_id: str, run: int) -> Path:
    """results is the folder of one site: results/<site>."""
    return results / "runs" / cell_id / f"{run:03d}"


def read_run_file(results: Path, cell_id: str, run: int) -> dict[str, Any] | None:
    """None for an execution that never ended."""
    try:
        text = (run_folder(results, cell_id, run) / RUN_FILE).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    document: dict[str, Any] = json.loads(text)
    return document


def is_finished(results: Path, cell_id: str, run: int, only_successful: bool = False) -> bool:
    """Whether a run.json is there; with only_successful, one that says done."""
    if not only_successful:
        return (run_folder(results, cell_id, run) / RUN_FILE).is_file()
    document = read_run_file(results, cell_id, run)
    return document is not None and document["status"] == "done"


def fresh_folder(results: Path, cell_id: str, run: int) -> Path:
    """An empty folder for this run; an interrupted run's litter goes, a failed run's files are set aside."""
    folder = run_folder(results, cell_id, run)
    if (folder / RUN_FILE).is_file():
        attempts = len(list(folder.parent.glob(f"{folder.name}.failed-*")))
        folder.rename(folder.with_name(f"{folder.name}.failed-{attempts + 1}"))
    elif folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    return folder


def write_atomically(path: Path, text: str) -> None:
    """The file has its old or its new content at any moment, also after a power cut."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    with temporary.open("w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(path)


def write_run_file(folder: Path, document: Mapping[str, Any]) -> None:
    write_atomically(folder / RUN_FILE, json.dumps(document, indent=1, sort_keys=True) + "\n")


def note_left_out(results: Path, batch: str, reason: str | None) -> None:
    """Remember why a batch was not tried; None forgets it."""
    file = results / "left-out" / batch
    if reason is None:
        file.unlink(missing_ok=True)
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(file, reason + "\n")


def why_left_out(results: Path, batch: str) -> str | None:
    """What note_left_out remembers."""
    try:
        return (results / "left-out" / batch).read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None
