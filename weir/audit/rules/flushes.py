"""Whether each file or each write was synchronised, by what waited for it: the caches of the disks."""

from __future__ import annotations

from weir.audit.outcome import Outcome, invalid, not_observable, passed
from weir.audit.registry import rule
from weir.audit.subject import Subject

_MANY = 8  # of each rank: fewer are not a series
_HALF = 0.5


@rule("INVALID", needs_output=True)
def syncs_not_at_device(subject: Subject) -> Outcome | None:
    """Each file (mdtest -y) or each write (fio with fsync or fdatasync) was to be synchronised, and most of
    these synchronisations did nothing. libweir-witness saw less than half of those that the program reports,
    or the disks flushed their caches less than half as often as one rank alone must have waited for. Disks
    without a cache, and Linux before 5.5, tell nothing.

    Hint: look for LD_PRELOAD, for filters of system calls (seccomp) and for drivers that drop flushes.
    """
    # A synchronisation at the end of all, or another process that synchronises, makes up for no count of
    # flushes. Where an option of the mount prevents flushes, mount-without-synchronisation tells it.
    wanted = _wanted(subject)
    if wanted is None:
        return None
    called, at_once = subject.observed.get("called_syncs"), _at_once(subject)
    if wanted < _MANY * at_once:
        return None
    if called is not None and called < _HALF * wanted:
        return invalid(f"{wanted:.0f} synchronisations were reported, {called} left the program")
    device = subject.observed.get("device") or {}
    flushes = device.get("flushes")
    if flushes is None:
        return not_observable("flushes of the disks are not counted")
    text = f"{flushes} flushes of {device.get('name')} for {wanted:.0f} synchronisations, {at_once} at a time"
    return passed(text) if flushes >= _HALF * wanted / at_once else invalid(text)


def _wanted(subject: Subject) -> float | None:
    """Synchronisations one after another that the result tells of; None where there are none."""
    host = (subject.run.host.get("file_system") or {}) if subject.run else {}
    if host.get("synchronisation_off") or subject.stores_nothing or subject.in_memory:
        return None
    if subject.synchronises_files:
        return subject.number("ops")
    reported = subject.observed.get("syncs_reported")
    return float(reported) if reported and subject.is_write else None


def _at_once(subject: Subject) -> int:
    """Synchronisations of several ranks may share a flush."""
    return int(max(subject.ranks, subject.observed.get("syncs_at_once") or 1))
