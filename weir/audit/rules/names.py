"""Operations on files and directories: those requested, and those done."""

from __future__ import annotations

from weir.audit.outcome import Outcome, degraded, invalid, not_observable, passed
from weir.audit.registry import rule
from weir.audit.subject import Subject


@rule("INVALID", needs_output=True)
def other_count(subject: Subject) -> Outcome | None:
    """The number of files or directories that were created, looked at or removed differs from the request,
    and no stonewall ended the phase: the rate is that of another workload.

    Hint: look for the reason in the output of the run: a full storage, a tree of an earlier run.
    """
    if not subject.is_metadata or not subject.has_result:
        return None
    done, requested = subject.number("ops"), subject.number("requested_ops")
    if done is None or requested is None:
        return not_observable("the operations requested or done are unknown")
    if done == requested:
        return passed(f"{done:.0f} operations requested and done")
    wall = subject.observed.get("stonewall") or {}
    if done < requested and (wall.get("hit") or subject.observed.get("status_file")):
        return passed(f"a stonewall ended the phase after {done:.0f} of {requested:.0f} operations")
    return invalid(f"requested {requested:.0f} operations, {done:.0f} were done")


@rule("DEGRADED", needs_output=True)
def mean_of_iterations(subject: Subject) -> Outcome | None:
    """The output has only the smallest, the largest and the mean rate of more than three iterations. The
    record is the mean: how far the iterations are apart is not in it.

    Hint: measure with one iteration a run (repetitions in rounds), or with weir-io, which keeps them all.
    """
    if not subject.is_metadata or not subject.has_result:
        return None
    iterations = subject.observed.get("mean_of")
    if iterations is None:
        return not_observable("the number of iterations in the rate is unknown")
    return degraded(f"mean of {iterations} iterations") if iterations > 1 else passed("one iteration")


@rule("INVALID")
def no_rate(subject: Subject) -> Outcome | None:
    """A rate of zero operations per second measures nothing.

    Hint: request more items, so that the clock has something to measure.
    """
    rate = subject.number("ops_s")
    if not subject.is_metadata or rate is None:
        return None
    text = f"the rate is {rate:g} operations per second"
    return passed(text) if rate > 0 else invalid(text)
