"""The wall clock of a process, which a step of the machine's clock does not change.

An administrator or NTP may set the clock while a study is measured. What is ordered or limited by it goes by
the time at which the process began and by the clock that runs on since, also while the machine is suspended.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime


def steady_s() -> float:
    """Seconds since the machine started."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


_BEGAN_S, _BEGAN_STEADY_S = time.time(), steady_s()


def wall_s() -> float:
    """Seconds since 1970, by the clock as it was when this process began."""
    return _BEGAN_S + (steady_s() - _BEGAN_STEADY_S)


def wall() -> datetime:
    """The same as a date of UTC."""
    return datetime.fromtimestamp(wall_s(), UTC)
