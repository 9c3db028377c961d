"""Times that fit each other."""

from __future__ import annotations

from weir.audit.registry import DEGRADED, INVALID, Said, rule
from weir.audit.subject import Subject
from weir.printed_values import half_digit

_PHASES = ("open_s", "io_s", "close_s")
# Ranks compare their clocks by messages: on shared cores weir-io finds one and the same clock 17 us apart.
_CLOCKS_AGREE_S = 1e-3


@rule(INVALID)
def phase_longer_than_total(subject: Subject) -> Said | None:
    """A phase lasts longer than the whole access, from the start of the first open to the end of the last
    close. Times of 0 are not lies: outputs with four decimals have no room for an open of 20 microseconds.

    Hint: distrust the clocks of the nodes; let them be synchronised, and run the cell again.
    """
    total = subject.number("total_s")
    if total is None:
        return None
    for name in _PHASES:
        phase = subject.number(name)
        if phase is not None and phase - half_digit(phase) > total + half_digit(total):
            return Said(INVALID, f"{name} is {phase:g}, total_s is {total:g}")
    return None


@rule(DEGRADED, needs_output=True)
def phases_overlap(subject: Subject) -> Said | None:
    """With barriers between open, transfer and close, the phases together cannot last longer than the
    whole. They do, so the clocks of the nodes disagree or, on one node, the program counts its phases
    wrongly: the short phases (open, close) are wrong by about the excess, the bandwidth by the same time
    over the total.

    Hint: take no open or close times from this row; let the clocks of the nodes be synchronised.
    """
    total, phases = subject.number("total_s"), [subject.number(name) for name in _PHASES]
    if total is None or not subject.observed.get("barriers"):
        return None
    known = [phase for phase in phases if phase is not None]
    rounding = half_digit(total) + sum(half_digit(phase) for phase in known)
    excess = sum(known) - total
    if excess <= rounding + _CLOCKS_AGREE_S:
        return None
    return Said(DEGRADED, f"the phases are {excess:.3g} s longer than the total of {total:g} s")


@rule(INVALID, DEGRADED)
def no_time_or_bytes(subject: Subject) -> Said | None:
    """A bandwidth of zero measures nothing. One over a time that is printed as zero was computed from more
    digits than the output has, and nothing can be held against it.

    Hint: move more bytes, so that the clock has something to measure.
    """
    bw, total = subject.number("bw_mib_s"), subject.number("total_s")
    if bw is not None and bw <= 0:
        return Said(INVALID, f"the bandwidth is {bw:g} MiB/s")
    if bw is not None and total is not None and total <= 0:
        return Said(DEGRADED, f"{bw:g} MiB/s in {total:g} s")
    return None
