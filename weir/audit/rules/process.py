"""The processes that measured: how many there were, their clock, what else kept the machine busy, and
whether they ran all the time."""

from collections.abc import Mapping

from weir.audit.registry import Outcome, degraded, invalid, not_observable, note, passed, rule
from weir.audit.subject import RunFacts, Subject, throttled_periods

_CLOCK_OFF = 0.01  # share of the time; NTP moves a clock by at most 0.0005
_SET_S = 1.0  # NTP sets a clock that is off by more than 0.128 s; a clock that runs wrong is off by less
_TIME_LEFT_S = 0.05  # the phases may exceed the launch by so much
# Open MPI starts in 0.2 to 0.4 s on one machine, and in a few seconds through a batch system.
_START_S, _START_TIMES = 5.0, 4.0
_MUCH_WAITING = 0.1  # share of the run
# A swapped page of a file in memory takes a hundred times as long, so that one of a hundred doubles the time.
_MUCH_SWAPPED, _PAGE_BYTES = 0.01, 4096


@rule("INVALID", needs_output=True)
def measured_several_times(subject: Subject) -> Outcome | None:
    """More processes of the program than ranks did the work of a measurement, as libweir-witness saw them: a
    script ran it several times, and printed one of the results.

    Hint: start the program itself, and let the suite repeat (repetitions: {rounds: 4}): weir keeps each run.

    Of a log: start the program itself, without a script around it.
    """
    seen = subject.observed.get("witness") or {}
    measuring, ranks = seen.get("measuring"), seen.get("ranks")
    if not subject.has_result or not measuring or not ranks:
        return None
    text = f"{measuring} processes measured for {ranks} ranks"
    return invalid(text) if measuring > ranks else passed(text)


@rule("NOTE", needs_output=True)
def launch_unexplained(subject: Subject) -> Outcome | None:
    """The launch lasted more than 5 s longer than the program ran, and at least four times as long: launcher
    and MPI took the time, or a script did something else, such as keeping the best of several runs.

    Hint: look at program and launcher of the site file; let cells share a launch.
    """
    elapsed, program_s = subject.run.elapsed_s if subject.run else None, subject.observed.get("program_s")
    if not subject.has_result or elapsed is None or program_s is None:
        return None
    text = f"the launch lasted {elapsed:.1f} s, the program {program_s:.1f} s"
    unexplained = elapsed > program_s + _START_S and elapsed >= _START_TIMES * program_s
    return note(text) if unexplained else passed(text)


@rule("INVALID", needs_output=True)
def clock_wrong(subject: Subject) -> Outcome | None:
    """The clock of the phases differs on a rank by more than 1 % from the kernel's own (CLOCK_MONOTONIC_RAW),
    or the phases last longer than the whole launch by weir's clock. The time of day may be set meanwhile, if
    the program's times do not contain that.

    Hint: look for LD_PRELOAD (libfaketime) and for a broken clock source of the node (dmesg).
    """
    # NTP moves a clock by at most 0.05 %, but sets the time of day where that is far off.
    if not subject.has_result:
        return None
    total, elapsed = subject.number("total_s"), subject.run.elapsed_s if subject.run else None
    if total is not None and elapsed is not None and total > elapsed + _TIME_LEFT_S:
        return invalid(f"the access lasted {total:g} s, the launch {elapsed:g} s")
    error, wall = subject.observed.get("clock_error"), subject.observed.get("wall_clock")
    if error is None:
        return not_observable("the program does not compare its clock")
    if error <= _CLOCK_OFF and wall and abs(wall["off_s"]) > _CLOCK_OFF * wall["span_s"]:
        text = f"the time of day went {wall['off_s']:+.3g} s beyond the {wall['span_s']:.3g} s of the access"
        return passed(f"{text}, which its times do not contain") if _is_set(subject, wall) else invalid(text)
    text = f"the clock is off by {100 * error:.2g} %"
    return invalid(text) if error > _CLOCK_OFF else passed(text)


def _is_set(subject: Subject, wall: Mapping[str, float]) -> bool:
    """Whether somebody set the time of day, and the program did not time the access by it."""
    printed_s = subject.printed_s
    if abs(wall["off_s"]) < _SET_S or printed_s is None or subject.passes > 1:
        return False
    return abs(printed_s - wall["span_s"]) < abs(wall["off_s"]) / 4


@rule("NOTE", "DEGRADED", needs_output=True)
def machine_busy(subject: Subject) -> Outcome | None:
    """Before the run more processes were runnable than the machine has cores, now and by the 1-minute load
    average less the ranks (a note). While it lasted, the CPU limit of weir's control group or of a rank's own
    held its processes back or the node swapped (DEGRADED), or processes waited for memory for a tenth of the
    run (a note).

    Hint: wait for the other work to end, request more cores (--cpus-per-task), or raise the CPU limit.
    """
    # Writing more than fits into memory waits for memory on an idle node, too. The previous run may have
    # caused the load average, which therefore does not count the ranks.
    if not subject.has_result:
        return None
    throttled = throttled_periods(subject)
    if subject.run is None:
        return _held_back(subject, throttled)
    host = subject.run.host
    load, cores = host.get("load_1min"), host.get("cores")
    if load is None or not cores:
        return not_observable("the load is unknown")
    busy = f"load {load:.1f} on {cores} cores"
    held = {"throttled periods": throttled, "swapped pages": host.get("swapped_pages")}
    if any(held.values()):
        texts = [f"{count} {name}" for name, count in held.items() if count]
        return degraded(", ".join([*texts, busy]))
    waited = _waited_for_memory(subject.run)
    if waited is not None and waited >= _MUCH_WAITING:
        return note(f"some process waited for memory in {100 * waited:.0f} % of the run, {busy}")
    # The load forgets in minutes: after a run of many ranks it is high on an idle machine.
    still = host.get("running")
    was_busy = load > cores + (subject.row.get("ppn") or 0)
    return note(busy) if was_busy and (still is None or still > cores) else passed(busy)


@rule("NOTE", needs_output=True)
def ranks_on_few_processors(subject: Subject) -> Outcome | None:
    """The ranks of a node may run on fewer processors than there are ranks, and than the launch had: the
    launcher, or taskset, bound several to one, where they wait for each other.

    Hint: bind each rank to a processor of its own (mpirun --bind-to core, srun --cpu-bind=cores), or none.
    """
    found = subject.observed.get("processors")
    cores = (found or {}).get("cores") or subject.host.get("cores")
    if not subject.has_result or not found or not cores:
        return None
    ranks, allowed = found["ranks"], found["allowed"]
    text = f"{ranks} ranks of a node may run on {allowed} of {cores} processors"
    return note(text) if allowed < min(ranks, cores) else passed(text)


def _held_back(subject: Subject, throttled: int | None) -> Outcome | None:
    """The outcome without a run: nobody knows whose swapped pages were, but for those of files in memory."""
    if throttled:
        return degraded(f"{throttled} throttled periods")
    swapped = (subject.observed.get("group") or {}).get("swapped_pages") or 0
    moved = subject.number("moved_bytes") or 0
    if subject.in_memory and swapped * _PAGE_BYTES > _MUCH_SWAPPED * moved:
        return degraded(f"{swapped} swapped pages, and the files are in memory")
    return None


def _waited_for_memory(run: RunFacts) -> float | None:
    """Share of the run. The cells of a launch are counted in steps that may be longer than a short cell."""
    stalled_us, elapsed_s = run.host.get("memory_stalled_us"), run.elapsed_s
    return min(stalled_us / 1e6 / elapsed_s, 1.0) if stalled_us is not None and elapsed_s else None


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
