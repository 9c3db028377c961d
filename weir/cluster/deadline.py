"""When the allocation around this process ends, as Slurm says it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

# Between the end of the last program and that of the allocation: files are removed, run.json is written.
CLEAN_UP_S = 30.0


def allocation_end(environment: Mapping[str, str], ask: Callable[[Sequence[str]], str]) -> float | None:
    """Seconds since 1970; None outside of an allocation, or in one without an end."""
    job = environment.get("SLURM_JOB_ID")
    if job is None:
        return None
    known = environment.get("SLURM_JOB_END_TIME", "")  # since Slurm 23
    if known.isdigit():
        return float(known)
    return _seconds(ask(["squeue", "--noheader", f"--jobs={job}", "--format=%e"]).strip())


def fits(timeout_s: float, now: float, end: float | None) -> bool:
    """Whether a program may start now: even at its time limit it must end before the allocation does."""
    return end is None or now + timeout_s + CLEAN_UP_S <= end


def _seconds(text: str) -> float | None:
    """squeue prints local time, or N/A and the like for a job without limit."""
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return None
