"""Operations on files and directories: those requested, and those done."""

from __future__ import annotations

from weir.audit.registry import DEGRADED, INVALID, Said, rule
from weir.audit.subject import Subject


@rule(INVALID, needs_output=True)
def other_count(subject: Subject) -> Said | None:
    """Other numbers of files or directories were created, looked at or removed than were requested, and no
    stonewall ended the phase: the rate is that of another workload.

    Hint: look for the reason in the output of the run: a full storage, a tree of an earlier run.
    """
    done, requested = subject.number("ops"), subject.number("requested_ops")
    if done is None or requested is None or done == requested:
        return None
    wall = subject.observed.get("stonewall") or {}
    if done < requested and (wall.get("hit") or subject.observed.get("status_file")):
        return None
    return Said(INVALID, f"requested {requested:.0f} operations, {done:.0f} were done")


@rule(DEGRADED, needs_output=True)
def mean_of_iterations(subject: Subject) -> Said | None:
    """The output has only the least, the greatest and the mean rate of more than three iterations. The
    record is the mean: how far the iterations are apart is not in it.

    Hint: measure with one iteration a run (repetitions in rounds), or with weir-io, which keeps them all.
    """
    iterations = subject.observed.get("mean_of") or 1
    return Said(DEGRADED, f"mean of {iterations} iterations") if iterations > 1 else None


@rule(INVALID)
def no_rate(subject: Subject) -> Said | None:
    """A rate of zero operations per second measures nothing.

    Hint: ask for more items, so that the clock has something to measure.
    """
    rate = subject.number("ops_s")
    if subject.row.get("item") is None or rate is None or rate > 0:
        return None
    return Said(INVALID, f"the rate is {rate:g} operations per second")
