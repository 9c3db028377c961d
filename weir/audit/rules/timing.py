"""Times that fit each other; latencies that fit the rate: operations in flight, divided by it, are their
mean."""

from itertools import pairwise

from weir.audit.registry import Outcome, degraded, invalid, not_observable, note, passed, rule
from weir.audit.subject import SPAN_SHARE, Subject
from weir.records.model import tasks_of
from weir.records.printed_values import half_digit

_PHASES = ("open_s", "io_s", "close_s")
_MIB = 2**20
# Ranks compare their clocks by messages: on shared cores weir-io finds one and the same clock 17 us apart.
_CLOCKS_AGREE_S = 1e-3
_BOUNDARIES = 2  # between open, transfer and close
_NODES_AT_A_BOUNDARY = 2  # the one that stops last and the one that starts first, each in doubt
_SKEW_NOTE = 0.01  # share of the total
_SKEW_INVALID = 0.10  # share of the total
_SHORT_NOTE_S = 0.1
_SHORT_DEGRADED_S = 0.01
_UNEVEN = 5.0  # transfers of the fastest rank over those of the slowest
_SLOW_RANK = 3.0  # time of the slowest rank's transfers over that of the fastest
# A program that times opens and closes subtracts nothing: clocks agree within 1 %, or clock-wrong reports it.
_WHOLE_SPAN_SHARE = 0.98


@rule("INVALID")
def phase_longer_than_total(subject: Subject) -> Outcome | None:
    """A phase lasts longer than the whole access, from the first open to the last close.

    Hint: synchronise the clocks of the nodes, then measure again.
    """
    # Times of 0 are accepted: four decimals have no room for an open of 20 microseconds.
    total = subject.number("total_s")
    known = {name: phase for name in _PHASES if (phase := subject.number(name)) is not None}
    if total is None or not known:
        return not_observable("the times of the phases are unknown") if subject.has_result else None
    for name, phase in known.items():
        if phase > total and phase - half_digit(phase) > total + half_digit(total):
            return invalid(f"{name} is {phase:g}, total_s is {total:g}")
    return passed(f"no phase is longer than {total:g} s")


@rule("NOTE", "DEGRADED", "INVALID", needs_output=True)
def phases_overlap(subject: Subject) -> Outcome | None:
    """Open, transfer and close together last longer than the whole although barriers separate them: the
    clocks of the nodes disagree. The excess is a note below 1 % of the total, DEGRADED up to 10 %, and above
    INVALID, with the rate that IOR would have printed with one clock.

    Hint: take no open or close times from this row; synchronise the clocks of the nodes.
    """
    # A doubt about weir-io's comparison of clocks is a note as well. Each of the two boundaries is counted
    # twice by about half of the excess, the skew.
    total = subject.number("total_s")
    known = [phase for name in _PHASES if (phase := subject.number(name)) is not None]
    if not subject.has_result or subject.is_metadata or total is None or len(known) < len(_PHASES):
        return None
    if not subject.observed.get("barriers"):
        return not_observable("without barriers phases may overlap")
    excess, rounding = sum(known) - total, sum(map(half_digit, [total, *known]))
    if excess <= _CLOCKS_AGREE_S or total <= 0 or excess <= rounding + _CLOCKS_AGREE_S:
        return passed(f"the phases fit into {total:g} s")
    doubt_s = subject.observed.get("clock_doubt_s") or 0.0
    if excess <= _NODES_AT_A_BOUNDARY * _BOUNDARIES * doubt_s:
        return note(f"the clocks of the nodes are in doubt by {doubt_s:.3g} s, of a total of {total:g} s")
    skew = excess / _BOUNDARIES
    text = f"the phases are {excess:.3g} s longer than the total of {total:g} s, a skew of {skew:.3g} s"
    if skew < _SKEW_NOTE * total:
        return note(text)
    if skew <= _SKEW_INVALID * total:
        return degraded(text)
    return invalid(text + _corrected(subject, total - skew))


def _corrected(subject: Subject, total_s: float) -> str:
    moved = subject.number("moved_bytes")
    if moved is None or total_s <= 0:
        return ""
    return f", corrected {moved / _MIB / total_s:.6g} MiB/s over {total_s:.2f} s"


@rule("INVALID", needs_output=True)
def shorter_than_its_calls(subject: Subject) -> Outcome | None:
    """The printed time is less than 80 % of that from the first to the last call of the access on any rank,
    by libweir-witness and the kernel's clock: the result is of something else, not of all jobs, or of a
    changed clock. IOR times all opens and closes: the limit is 98 % of the time with open files on the
    slowest rank.

    Hint: look for a script around the program, and compare with one that you built; let jobs of fio last for
    seconds, on a node without other load.
    """
    # fio prints the time of its longest job as that of a group: where load lets the jobs begin apart, bytes
    # of all are divided by the time of one.
    span_s, printed_s = subject.observed.get("shortest_span_s"), subject.printed_s
    if not subject.has_result or span_s is None or printed_s is None or subject.passes > 1:
        return None
    # A mean of iterations is shorter than the slowest of them, whose calls are counted.
    if (subject.observed.get("mean_of") or 1) > 1:
        return not_observable("the output has the mean of its iterations")
    share, which = SPAN_SHARE, "quickest"
    longest_s = subject.observed.get("longest_span_s")
    if longest_s is not None and subject.habits.times_opens_and_closes:
        span_s, share, which = longest_s, _WHOLE_SPAN_SHARE, "slowest"
    text = f"the access lasted {printed_s:.3g} s, its calls {span_s:.3g} s on the {which} rank"
    margin_s = half_digit(printed_s) if subject.number("total_s") is not None else 0.0
    return invalid(text) if printed_s + margin_s < share * span_s else passed(text)


@rule("INVALID", "DEGRADED")
def no_time_or_bytes(subject: Subject) -> Outcome | None:
    """A bandwidth of zero measures nothing. One over a time printed as zero was computed from more digits
    than the output has, and cannot be checked.

    Hint: move more bytes, so that there is time to measure.
    """
    bw, total = subject.number("bw_mib_s"), subject.number("total_s")
    if bw is None:
        return None
    if bw <= 0:
        return invalid(f"the bandwidth is {bw:g} MiB/s")
    if total is None:
        return not_observable("the time is unknown")
    return degraded(f"{bw:g} MiB/s in {total:g} s") if total <= 0 else passed(f"{bw:g} MiB/s in {total:g} s")


@rule("NOTE", "DEGRADED")
def phase_too_short(subject: Subject) -> Outcome | None:
    """The access lasted less than 100 ms (a note) or less than 10 ms (DEGRADED): one synchronisation, seek or
    descheduling of a rank decides, and the number is a peak, not a rate that lasts.

    Hint: move more bytes, or set a stonewall of at least 1 s.
    """
    # 10 ms are a few periods of the scheduler (4 ms at 250 Hz) and one flush of a disk.
    time_s = _time_of(subject)
    if not subject.has_result or subject.stores_nothing:
        return None
    if time_s is None:
        return not_observable("the time is unknown")
    text = f"the access lasted {1000 * time_s:.3g} ms"
    if time_s < _SHORT_DEGRADED_S:
        return degraded(text)
    return note(text) if time_s < _SHORT_NOTE_S else passed(text)


def _time_of(subject: Subject) -> float | None:
    """The time of an access; a table of operations has it as their number and their rate alone."""
    total, io_s = subject.number("total_s"), subject.number("io_s")
    operations, rate = subject.number("ops"), subject.number("ops_s")
    printed = io_s if total is None else total
    return operations / rate if printed is None and operations and rate else printed


@rule("NOTE", "DEGRADED", needs_output=True)
def passes_too_short(subject: Subject) -> Outcome | None:
    """The passes of a read that began again (`read_again`) lasted less than 100 ms each (a note) or less than
    10 ms (DEGRADED): many peaks.

    Hint: write more, so that a pass lasts longer, or read once (read_again: false).

    Of a log: write more, so that a pass lasts longer, or read once, without --read-again.
    """
    # Between two passes the storage rests, untimed, and may finish earlier writes or regain burst credit
    # (cloud disks). Memory has no such background work.
    io_s = subject.number("io_s")
    if subject.passes < 2 or subject.in_memory or io_s is None:
        return None
    pass_s = io_s / subject.passes
    text = f"{subject.passes} passes lasted {1000 * pass_s:.3g} ms each"
    if pass_s < _SHORT_DEGRADED_S:
        return degraded(text)
    return note(text) if pass_s < _SHORT_NOTE_S else passed(text)


@rule("NOTE", needs_output=True)
def stonewall_uneven(subject: Subject) -> Outcome | None:
    """The fastest rank had made more than five times the transfers of the slowest at the stonewall. With
    wear-out all then wait for the slowest; without it the file has large gaps.

    Hint: look for a slow node or a full storage target; compare the ranks with `weir nodes`.
    """
    seen = subject.observed.get("stonewall") or {}
    least, most = seen.get("pairs_min"), seen.get("pairs_max")
    if not seen.get("hit", True) or least is None or most is None or not subject.has_result:
        return None
    made = "operations" if subject.is_metadata else "transfers"
    text = f"the fastest rank made {most} {made}, the slowest {least}"
    return note(text) if most > _UNEVEN * least else passed(text)


@rule("NOTE", needs_output=True)
def slow_rank(subject: Subject) -> Outcome | None:
    """The transfers of the slowest rank took more than three times as long as those of the fastest, which had
    as many. All wait for it: the bandwidth is its own times the ranks.

    Hint: look where that rank ran (column slowest_rank); compare the nodes with `weir nodes`.
    """
    times = subject.observed.get("rank_io_s")
    if not times or subject.is_metadata or not subject.has_result or subject.ranks == 1:
        return None
    fastest, slowest = times
    if (subject.observed.get("stonewall") or {}).get("hit"):
        return not_observable("a stonewall ended the phase on all ranks")
    text = f"the fastest rank took {fastest:.3g} s, the slowest {slowest:.3g} s"
    is_long = slowest >= _SHORT_NOTE_S
    return note(text) if is_long and slowest > _SLOW_RANK * fastest else passed(text)


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
