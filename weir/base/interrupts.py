"""Interrupts that end a command: TERM, Ctrl-C and a closed terminal."""

from __future__ import annotations

import select
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

EXIT_INTERRUPTED = 130
INTERRUPTS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_LOOK_S = 0.2


class Interrupt:
    """TERM, INT and HUP become one KeyboardInterrupt; what comes later does not interrupt the clean-up.

    An INT or HUP that is ignored from the start stays ignored: nohup, a background job of a script.
    """

    def __init__(self, also: Callable[[], None] = lambda: None) -> None:
        """also: what is done first."""
        self.cause = ""  # empty: none came
        self._also = also
        self._hook = sys.unraisablehook
        sys.unraisablehook = self._raise_again
        for number in caught_signals():
            signal.signal(number, self._raise)

    @property
    def text(self) -> str:
        """Message of a command that was interrupted."""
        return f"interrupted by {self.cause}" if self.cause else "interrupted"

    def _raise(self, number: int, _: FrameType | None) -> None:
        if not self.cause:
            self.cause = signal.Signals(number).name
            self._also()
            raise KeyboardInterrupt(self.cause)

    def _raise_again(self, lost: Any) -> None:
        """Python drops an exception that comes in a callback of its own, such as one of an import."""
        if not isinstance(lost.exc_value, KeyboardInterrupt):
            self._hook(lost)
            return
        self.cause = ""
        threading.Timer(0.1, signal.pthread_kill, (threading.main_thread().ident, signal.SIGTERM)).start()


def is_readable(descriptor: int, limit_s: float) -> bool:
    """Whether there is something to read in time. An interrupt that comes just before a call that waits is
    noticed when that returns, so that none waits for long."""
    poll, over = select.poll(), time.monotonic() + limit_s
    poll.register(descriptor, select.POLLIN)
    while not (found := bool(poll.poll(1000 * _LOOK_S))) and time.monotonic() < over:
        pass
    return found


def was_interrupted(error: BaseException | None) -> bool:
    """Whether an error came in the clean-up after an interrupt."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


def caught_signals() -> list[signal.Signals]:
    """All but an INT or HUP that is ignored."""
    return [
        each for each in INTERRUPTS if each is signal.SIGTERM or signal.getsignal(each) is not signal.SIG_IGN
    ]
