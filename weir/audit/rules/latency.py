"""Latencies beside the rate: operations in flight, divided by their rate, are their mean latency."""

from __future__ import annotations

from itertools import pairwise

from weir.audit.outcome import Outcome, not_observable, note, passed
from weir.audit.registry import rule
from weir.audit.subject import Subject
from weir.terms.model import tasks_of

_QUANTILES = {
    "lat_min_us": 0.0,
    "lat_p50_us": 0.5,
    "lat_p90_us": 0.9,
    "lat_p99_us": 0.99,
    "lat_p999_us": 0.999,
    "lat_max_us": 1.0,
}
# A worker that computes between its operations, or waits for a slower one, is busy for a part of the time.
_LITTLE = 20.0
# Percentiles are edges of classes, and times of short runs have few digits.
_MORE = 1.5


@rule("NOTE")
def latency_not_depth_over_rate(subject: Subject) -> Outcome | None:
    """Operations in flight (threads or ranks times the queue depth) over their rate are the mean time of an
    operation, and the latencies do not fit it. Where they are less than a twentieth, they are of a part of
    the operation, or the program waited in between. Where they are more than 1.5 times as long, more was in
    flight than the record has, or they are of another run.

    Hint: take no latency from this record before you know what it was measured of.
    """
    # The percentiles allow a smallest and a largest mean, each of which must fail. A part of the operation is
    # fio's clat without the submission. Where a write ends with a synchronisation, its time is in the rate
    # and in no latency.
    rate, (least_us, most_us) = subject.number("ops_s"), _mean_us(subject)
    if subject.is_metadata or not rate or most_us is None or subject.row.get("rw_mix"):
        return None
    count, is_exact = _in_flight(subject)
    if not count:
        return not_observable("the number of operations in flight is unknown")
    fitting_us = 1e6 * count / rate
    text = f"{count} in flight at {rate:.4g} operations/s take {fitting_us:.4g} us each"
    if most_us * _LITTLE < fitting_us:
        if subject.is_write and subject.row.get("sync"):
            return not_observable("the time of the synchronisation is in the rate")
        return note(f"{text}, the mean of the latencies is at most {most_us:.4g} us")
    if is_exact and least_us > _MORE * fitting_us and not subject.row.get("rate"):
        return note(f"{text}, the mean of the latencies is at least {least_us:.4g} us")
    return passed(f"{text}, the latencies have a mean of {least_us:.4g} to {most_us:.4g} us")


def _mean_us(subject: Subject) -> tuple[float, float | None]:
    """The least and the greatest mean with these percentiles; none without the slowest operation."""
    known = [
        (share, value) for name, share in _QUANTILES.items() if (value := subject.number(name)) is not None
    ]
    if not known or known[-1][0] < 1.0:
        return 0.0, None
    ends = [(0.0, 0.0), *known]
    least = sum((upper - lower) * value for (lower, value), (upper, _) in pairwise(ends))
    most = sum((upper - lower) * value for (lower, _), (upper, value) in pairwise(ends))
    return least, most


def _in_flight(subject: Subject) -> tuple[int | None, bool]:
    """The most operations at once, and whether the rate is of these alone."""
    seen = subject.observed.get("in_flight")
    if seen:
        return int(seen["count"]), bool(seen["exact"])
    tasks, depth = tasks_of(subject.row), subject.row.get("iodepth")
    return (tasks * int(depth) if tasks and depth else None), True
