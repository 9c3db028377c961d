"""The progress lines of a measurement: one for each execution, with the time that is left."""

from __future__ import annotations

import sys
import time
from contextlib import nullcontext
from pathlib import Path

from weir.base.units import about_duration
from weir.measure.executions import Execution


class Progress:
    """Counts executions; the time left is from the mean of those done so far, since the order is random."""

    def __init__(self, file: Path | None = None) -> None:
        """Writes to a file that whoever waits follows, because ReFrame in between keeps stderr to itself;
        else to stderr."""
        self._file = file
        self._total = self._done = 0
        self._started = 0.0

    def report(self, line: str) -> None:
        """A line beside those of executions. The file is made by the first."""
        try:
            with self._file.open("a", encoding="utf-8") if self._file else nullcontext(sys.stderr) as stream:
                print(line, file=stream, flush=True)
        except OSError:
            print(line, file=sys.stderr, flush=True)

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
