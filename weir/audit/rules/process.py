"""The process that measured: its clock, and the libraries between it and the system."""

from __future__ import annotations

from pathlib import PurePath

from weir.audit.outcome import Outcome, degraded, invalid, not_observable, note, passed
from weir.audit.registry import rule
from weir.audit.subject import RunFacts, Subject

# Libraries that watch calls and pass them on. MPI libraries wrap memory calls, not those of files.
_KNOWN = (
    "libdarshan",
    "libweir-witness",
    "libweir-ime",
    "libime",
    "libasan",
    "libtsan",
    "libubsan",
    "libmpi",
    "libopen-",  # Open MPI's parts, and UCX's, watch mmap to keep registrations of memory
    "libucm",
)
_CLOCK_OFF = 0.01
_TIME_LEFT_S = 0.05
_MUCH_WAITING = 0.1  # of the run


@rule("INVALID", needs_output=True)
def interposed_library(subject: Subject) -> Outcome | None:
    """Calls that the measurement rests on (open, pread, pwrite, fsync, posix_fadvise, fcntl, clock_gettime
    and others) are provided by a library that is neither the C library nor one that is known to pass them on
    (Darshan, weir's own witness, MPI); or the dynamic linker was given an audit library (LD_AUDIT), or the
    process is traced (ptrace). Each of them can drop a synchronisation or a flag and report success.

    Hint: unset LD_PRELOAD and LD_AUDIT, end strace or the debugger; if the library is a profiler of yours,
    propose it for the list of known ones.
    """
    if not subject.has_result:
        return None
    seen = subject.observed.get("interposed")
    if seen is None:
        return not_observable("the program does not tell which libraries provide its calls")
    strange = [one for one in seen if not PurePath(one["object"]).name.startswith(_KNOWN)]
    if strange:
        calls = ", ".join(sorted({one["call"] for one in strange}))
        return invalid(f"{calls} come from {', '.join(sorted({one['object'] for one in strange}))}")
    return passed("the C library or known libraries provide all calls")


@rule("INVALID", needs_output=True)
def clock_wrong(subject: Subject) -> Outcome | None:
    """The clock of the phases differs on a rank by more than 1 % from the kernel's own (CLOCK_MONOTONIC_RAW,
    read without the C library), or the phases of the run together last longer than the whole launch by the
    clock of weir. NTP moves a clock by at most 0.05 %.

    Hint: look for LD_PRELOAD (libfaketime) and for a broken clock source of the node (dmesg).
    """
    if not subject.has_result:
        return None
    total, elapsed = subject.number("total_s"), subject.run.elapsed_s if subject.run else None
    if total is not None and elapsed is not None and total > elapsed + _TIME_LEFT_S:
        return invalid(f"the access lasted {total:g} s, the launch {elapsed:g} s")
    error = subject.observed.get("clock_error")
    if error is None:
        return not_observable("the program does not compare its clock")
    text = f"the clock is off by {100 * error:.2g} %"
    return invalid(text) if error > _CLOCK_OFF else passed(text)


@rule("NOTE", "DEGRADED", needs_output=True)
def machine_busy(subject: Subject) -> Outcome | None:
    """Before the run more processes were runnable than the machine has cores (a note). The rule checks the
    current number and the 1-minute load average, less the run's ranks per node, because the previous run may
    have caused that load. While the run lasted, its CPU limit held its processes back or the node swapped
    (DEGRADED): then the clock also timed the waiting. Processes that waited for memory for a tenth of the run
    or longer are a note: writing more than fits into memory has the same effect on an idle node.

    Hint: wait for the other work to end, request more cores (--cpus-per-task), or raise the CPU limit.
    """
    if subject.run is None or not subject.has_result:
        return None
    host = subject.run.host
    load, cores = host.get("load_1min"), host.get("cores")
    if load is None or not cores:
        return not_observable("the load is unknown")
    busy = f"load {load:.1f} on {cores} cores"
    held = {name: host.get(name) for name in ("throttled_periods", "swapped_pages") if host.get(name)}
    if held:
        texts = [f"{count} {name.replace('_', ' ')}" for name, count in held.items()]
        return degraded(", ".join([*texts, busy]))
    waited = _waited_for_memory(subject.run)
    if waited is not None and waited >= _MUCH_WAITING:
        return note(f"some process waited for memory in {100 * waited:.0f} % of the run, {busy}")
    # The load forgets in minutes: after a run of many ranks it is high on an idle machine.
    still = host.get("running")
    was_busy = load > cores + (subject.row.get("ppn") or 0)
    return note(busy) if was_busy and (still is None or still > cores) else passed(busy)


def _waited_for_memory(run: RunFacts) -> float | None:
    """Share of the run. The cells of a launch are counted in steps that may be longer than a short cell."""
    stalled_us, elapsed_s = run.host.get("memory_stalled_us"), run.elapsed_s
    return min(stalled_us / 1e6 / elapsed_s, 1.0) if stalled_us is not None and elapsed_s else None
