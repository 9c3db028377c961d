"""A limit on operations in a second, shared by all threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class EndedError(Exception):
    """The scan is over, and its other threads end with it."""


class Pace:
    """Operations begin at least 1/rate apart on average; a pause does not allow a burst."""

    def __init__(
        self,
        rate: float,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] | None = None,
    ) -> None:
        self._gap_s = 1 / rate if rate > 0 else 0.0
        self._ended = threading.Event()
        self._clock, self._sleep = clock, sleep or self._ended.wait
        self._lock = threading.Lock()
        self._next_s = self._begun_s = clock()
        self._waiting = 0
        self.operations = 0

    def wait(self) -> None:
        """Waits for the turn of one operation on the file system."""
        with self._lock:
            now = self._clock()
            begin = max(self._next_s, now)
            self._next_s = begin + self._gap_s
            self.operations += 1
            self._waiting += 1
        if begin > now:
            self._sleep(begin - now)
        with self._lock:
            self._waiting -= 1
            self._begun_s = self._clock()
        if self._ended.is_set():
            raise EndedError

    def silent_s(self) -> float:
        """The time without a new operation while none waits for its turn: the storage does not answer."""
        with self._lock:
            return 0.0 if self._waiting else self._clock() - self._begun_s

    def end(self) -> None:
        """No operation begins any more."""
        self._ended.set()
