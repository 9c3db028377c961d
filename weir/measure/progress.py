"""One line per execution: where we are, what it was, how it ended, and when all will be done."""

from __future__ import annotations

import os
import sys
import time
from typing import TextIO

from weir.base.units import about_duration
from weir.measure.order import Execution

# A file that whoever waits follows: ReFrame in between keeps stderr to itself.
STREAM_VARIABLE = "WEIR_PROGRESS"


def open_stream() -> TextIO:
    """The file that the environment names, else stderr."""
    try:
        return open(os.environ[STREAM_VARIABLE], "a", encoding="utf-8")
    except (KeyError, OSError):
        return sys.stderr


class Progress:
    """Counts executions; the ETA is the mean of those done so far, since the order is random."""

    def __init__(self, total: int, stream: TextIO) -> None:
        self._total, self._stream = total, stream
        self._done = 0
        self._started = time.monotonic()

    def expect(self, more: int) -> None:
        """Rounds are added, or (below zero) a batch cannot go on."""
        self._total += more

    def step(self, title: str, execution: Execution, ending: str, elapsed_s: float) -> None:
        self._done += 1
        spent = time.monotonic() - self._started
        left = spent / self._done * (self._total - self._done)
        width = len(str(self._total))
        count = f"{title} [{self._done:{width}}/{self._total}]"
        line = f"{count} {execution.cell.point}: {ending} in {elapsed_s:.1f} s"
        print(f"{line}, {about_duration(left)} left", file=self._stream, flush=True)
