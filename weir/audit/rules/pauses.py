"""Whether the program ran all the time."""

from __future__ import annotations

from weir.audit.outcome import Outcome, degraded, not_observable, note, passed
from weir.audit.registry import rule
from weir.audit.subject import Subject

_MUCH = 0.01  # share of the access


@rule("NOTE", "DEGRADED", needs_output=True)
def paused(subject: Subject) -> Outcome | None:
    """A rank, the job or the machine stood still during the access: SIGSTOP, a suspended job, a frozen
    control group, a stopped virtual machine. A sleeping thread woke up more than 0.5 s too late; up to 1 % of
    the access is a note, more is DEGRADED. The time is not subtracted.

    Hint: ask the batch system not to suspend the job (gang scheduling, preemption), then measure again.
    """
    # The storage went on meanwhile: hence the time counts. When the sleeping thread wakes up late, no thread
    # of its process ran. In a virtual machine the real-time clock tells, too, where the host stopped all
    # others. Where the ranks do not look, weir's own process does, over the whole launch, from 1 s.
    if not subject.has_result:
        return None
    total_s, paused_s, where = subject.number("total_s"), subject.observed.get("paused_s"), "the access"
    if paused_s is None and subject.run is not None and subject.run.host.get("paused_ms") is not None:
        total_s, paused_s, where = subject.run.elapsed_s, subject.run.host["paused_ms"] / 1000, "the launch"
    if paused_s is None:
        return not_observable("neither the ranks nor weir looked for pauses")
    if paused_s == 0:
        return passed(f"no pause in {where}")
    whole = f"{total_s:.3g} s of " if total_s else ""
    text = f"stood still for {paused_s:.3g} s of {whole}{where}"
    return note(text) if total_s and paused_s <= _MUCH * total_s else degraded(text)
