"""libweir-witness: preloaded beside programs that do not report their calls, and what it counted."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from weir.files import from_json, write_atomically

LIBRARY_NAME = "libweir-witness.so"
_ENGINE = "weir-io"


def witness_library(checkout: Path, path: str | None) -> Path:
    """Of the checkout, else of the prefix of the engine on the PATH; without any, where a build puts it."""
    built = checkout / "build" / LIBRARY_NAME
    engine = shutil.which(_ENGINE, path=path)
    if built.is_file() or not engine:
        return built
    found = (folder / LIBRARY_NAME for folder in library_folders(Path(engine).resolve()))
    return next((file for file in found if file.is_file()), built)


def library_folders(engine: Path) -> tuple[Path, ...]:
    """Where the libraries of an engine are: beside it in a build, in its prefix when it is installed."""
    return (engine.parent, *(engine.parent.parent / name for name in ("lib", "lib64")))


LIBRARY = witness_library(Path(__file__).resolve().parents[2], os.environ.get("PATH"))
WITNESS_FILE = "witness.json"
_PART = "witness"


def witness_variables(outputs: Path, data_folder: Path, real_folder: str, preloaded: str) -> dict[str, str]:
    """What makes a program's ranks report to outputs about files in data_folder; nothing without the library.

    Behind what is preloaded already: there it sees what reaches the system.
    """
    if not LIBRARY.is_file():
        return {}
    return {
        "LD_PRELOAD": ":".join([*filter(None, preloaded.replace(" ", ":").split(":")), str(LIBRARY)]),
        "WEIR_WITNESS": str(outputs.resolve() / _PART),
        "WEIR_WITNESS_ROOT": real_folder,
        "WEIR_WITNESS_PATH": str(data_folder),
    }


def gather_witness(outputs: Path) -> None:
    """Make one file of those that the processes of a launch left."""
    parts = sorted(outputs.glob(f"{_PART}.*.*.json"))
    processes = list(_documents(parts))
    if processes:
        processes.sort(key=lambda process: (process["rank"], process["pid"]))
        text = json.dumps({"schema": 1, "processes": processes}, indent=1)
        write_atomically(outputs / WITNESS_FILE, text + "\n")
    for part in parts:
        part.unlink()


def _documents(parts: list[Path]) -> Iterator[dict[str, Any]]:
    for part in parts:
        try:
            document = from_json(part.read_text(encoding="utf-8", errors="replace"))
        except ValueError:
            continue  # of a process that was killed while it wrote
        if isinstance(document, dict) and document.get("schema") == 1:
            yield document
