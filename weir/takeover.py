"""A workflow that was killed left Snakemake's lock: the next one takes it, once the process is gone."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
from pathlib import Path

from weir.files import write_atomically
from weir.measure.processes import is_the_same, started

HOLDER_FILE = "weir-workflow.json"


def take_over_from_a_killed_workflow(folder: Path) -> None:
    """Remove the locks below folder (.snakemake) if the workflow of this machine that made them has ended.

    A living workflow keeps its locks, and so does one of another machine: Snakemake then refuses the second.
    """
    holder = _holder(folder / HOLDER_FILE)
    own = {"host": socket.gethostname(), "pid": os.getpid(), "started_ticks": started(os.getpid())}
    if holder is not None:
        if holder["host"] != own["host"] or is_the_same(holder["pid"], holder["started_ticks"]):
            return
        locks = list((folder / "locks").glob("*"))
        for lock in locks:
            with contextlib.suppress(OSError):
                lock.unlink()
        if locks:
            print(
                f"weir: process {holder['pid']}, which ran this workflow, is gone: going on", file=sys.stderr
            )
    with contextlib.suppress(OSError):  # without it Snakemake's own message tells what to do
        folder.mkdir(exist_ok=True)
        write_atomically(folder / HOLDER_FILE, json.dumps(own) + "\n")


def _holder(file: Path) -> dict[str, int] | None:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        return content if {"host", "pid", "started_ticks"} <= set(content) else None
    except (OSError, ValueError, TypeError):
        return None
