"""libweir-witness: preloaded beside programs that cannot be asked what they did, and what it saw."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any

from weir.files import write_atomically

LIBRARY = Path(__file__).resolve().parents[2] / "build" / "libweir-witness.so"
WITNESS_FILE = "witness.json"
_PART = "witness"
_SYSTEM = ("libc.so", "libc-", "ld-linux", "ld-musl", "linux-vdso", "libpthread")
_COUNTS = {
    "opens": "opens",
    "direct_opens": "direct_requested",
    "direct_reported": "direct_reported",
    "direct_kernel": "direct_kernel",
    "read_bytes": "read_bytes",
    "written_bytes": "written_bytes",
    "reads_failed": "reads_failed",
    "writes_failed": "writes_failed",
    "dontneed": "dontneed",
    "truncations": "truncations",
    "mappings": "mappings",
}


def witness_variables(outputs: Path, data_folder: Path, preloaded: str) -> dict[str, str]:
    """What makes a program's ranks report to outputs about files in data_folder; nothing without the library.

    Behind what is preloaded already: there it sees what reaches the system.
    """
    if not LIBRARY.is_file():
        return {}
    return {
        "LD_PRELOAD": ":".join([*filter(None, preloaded.replace(" ", ":").split(":")), str(LIBRARY)]),
        "WEIR_WITNESS": str(outputs.resolve() / _PART),
        "WEIR_WITNESS_ROOT": os.path.realpath(data_folder),
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
            document = json.loads(part.read_text(encoding="utf-8", errors="replace"))
        except ValueError:
            continue  # of a process that was killed while it wrote
        if isinstance(document, dict) and document.get("schema") == 1:
            yield document


def witness_facts(outputs: Mapping[str, Path]) -> dict[str, Any]:
    """Observed facts of the whole launch, for the rows of a program with a witness; else none.

    A file that is no longer what the library wrote is no evidence.
    """
    file = outputs.get("witness")
    try:
        document = json.loads(file.read_text(encoding="utf-8")) if file else {}
        return _facts(document["processes"]) if document else {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _facts(processes: list[dict[str, Any]]) -> dict[str, Any]:
    records = [record for process in processes for record in (*process["files"], process["others"])]
    seen = {name: sum(int(record[key]) for record in records) for name, key in _COUNTS.items()}
    for name, key in (("syncs", "done"), ("syncs_failed", "failed")):
        seen[name] = sum(int(call[key]) for record in records for call in record["syncs"].values())
    seen["ranks"] = len({process["rank"] for process in processes if process["rank"] >= 0})
    return {"witness": seen, "interposed": list(_interposed(processes))}


def _interposed(processes: list[dict[str, Any]]) -> Iterator[dict[str, str]]:
    """Calls that another object than the C library and the witness provides, once each."""
    found = {
        (call["call"], call[place])
        for process in processes
        for call in process["calls"]
        for place in ("first", "next")
        if call[place] and not PurePath(call[place]).name.startswith((*_SYSTEM, LIBRARY.stem))
    }
    for name, provider in sorted(found):
        yield {"call": name, "object": provider}
