"""Time in which this process did not run at all, with the job and the machine that it belongs to."""

from __future__ import annotations

import threading
import time
from functools import cache

_BEAT_S = 0.2
# Shorter ones are not told from a Python that waits for a core.
_LEAST_S = 1.0


def paused_so_far_ms() -> int:
    """The pauses since the first call, which begins to look."""
    return int(1000 * _watch().look())


class _Watch:
    """A thread that only sleeps: where it wakes up far too late, nothing ran. Who looks first counts it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last_s, self._sum_s = _now_s(), 0.0
        threading.Thread(target=self._beat, daemon=True).start()

    def look(self, beats: bool = False) -> float:
        with self._lock:
            now_s = _now_s()
            gap_s = now_s - self._last_s
            if gap_s >= _LEAST_S:
                self._sum_s += gap_s
            if beats or gap_s >= _LEAST_S:
                self._last_s = now_s
            return self._sum_s

    def _beat(self) -> None:
        never = threading.Event()
        while not never.wait(_BEAT_S):
            self.look(beats=True)


@cache
def _watch() -> _Watch:
    return _Watch()


def _now_s() -> float:
    """Goes on while the machine is suspended."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)
