"""One line per execution: where we are, what it was, how it ended, and when all will be done."""

from __future__ import annotations

import os
import sys
import time
from typing import TextIO

from weir.measure.order import Execution

# A stream of whoever waits, such as /proc/PID/fd/2 of a Snakemake rule: ReFrame in between keeps ours.
STREAM_VARIABLE = "WEIR_PROGRESS"


def open_stream() -> TextIO:
    """The stream that the environment names, else stderr: on another node that name means nothing."""
    try:
        return open(os.environ[STREAM_VARIABLE], "a", encoding="utf-8")
    except (KeyError, OSError):
        return sys.stderr


class Progress:
    """Counts executions; the ETA is the mean of those done so far, since the order is random."""

    def __init__(self, total: int, title: str, stream: TextIO) -> None:
        self._total, self._title, self._stream = total, title, stream
        self._done = 0
        self._started = time.monotonic()

    def step(self, execution: Execution, ending: str, elapsed_s: float) -> None:
        self._done += 1
        spent = time.monotonic() - self._started
        left = spent / self._done * (self._total - self._done)
        width = len(str(self._total))
        count = f"{self._title} [{self._done:{width}}/{self._total}]"
        line = f"{count} {execution.cell.point}: {ending} in {elapsed_s:.1f} s"
        print(f"{line}, {format_duration(left)} left", file=self._stream, flush=True)


def format_duration(seconds: float) -> str:
    """Two units at most: 8 s, 2 min 5 s, 3 h 10 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
