"""What a measurement reports while it runs: a line for each execution, with the time that is left."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from weir.base.units import about_duration
from weir.measure.executions import Execution


class Progress:
    """Counts executions; the time left is from the mean of those done so far, since the order is random."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._total = self._done = 0
        self._started = 0.0

    def report(self, line: str) -> None:
        """A line beside those of executions."""
        print(line, file=self._stream, flush=True)

    def expect(self, more: int) -> None:
        """Executions come, or (below zero) a batch cannot go on."""
        if not self._total:
            self._started = time.monotonic()
        self._total += more

    def step(self, title: str, execution: Execution, ending: str, elapsed_s: float) -> None:
        self._done += 1
        spent = time.monotonic() - self._started
        left = spent / self._done * (self._total - self._done)
        width = len(str(self._total))
        count = f"{title} [{self._done:{width}}/{self._total}]"
        line = f"{count} {execution.cell.point}: {ending} in {elapsed_s:.1f} s"
        self.report(f"{line}, {about_duration(left)} left")
