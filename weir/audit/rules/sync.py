"""Whether the data reached the storage before the clock stopped."""

from weir.audit.registry import Outcome, degraded, invalid, not_observable, note, passed, rule
from weir.audit.rules.device import lacks_beyond, lacks_given
from weir.audit.subject import FOLIO_BYTES, HEADER_FORMATS, NO_CLIENT_CACHE, Subject
from weir.base.units import about_size, sizes

_HEADER = 0.05
# A page that was written back and dirtied again counts again.
_COUNTED_TWICE = 2.0
_MANY = 8  # synchronisations of each rank: fewer are not a series
_HALF = 0.5  # share of the wanted synchronisations


@rule("DEGRADED", needs_output=True)
def sync_not_applied(subject: Subject) -> Outcome | None:
    """A synchronisation at the end of the write was requested and did not happen: part of the data may still
    be in the memory of the clients. Some programs drop the option for some interfaces without a warning.

    Hint: use a version that synchronises with this interface (weir-io does), or set sync: false.

    Of a log: use a version that synchronises with this interface (weir-io does), or measure without -e.
    """
    # Back ends without a client cache (DFS, CHFS) and node memory are excluded.
    row = subject.row
    if not subject.is_write or not row.get("sync") or subject.stores_nothing or subject.in_memory:
        return None
    if subject.named_in_memory:
        return None
    if row.get("api") in NO_CLIENT_CACHE:
        return passed(f"{row['api']} has no cache in the client")
    calls, tasks = subject.observed.get("sync_calls"), subject.observed.get("tasks") or 1
    if calls is not None:
        text = f"{calls} synchronisations by {tasks} ranks"
        return degraded(text) if calls < tasks else passed(text)
    dropped = [text for text in subject.texts("warning") if text.startswith("fsync() ")]
    if dropped:
        return degraded(dropped[0])
    if subject.habits.sync_dropped:
        return degraded(subject.habits.sync_dropped)
    return not_observable("the program does not count its synchronisations")


@rule("NOTE", needs_output=True)
def not_synchronised(subject: Subject) -> Outcome | None:
    """No synchronisation was requested, or one after the clock had stopped, and the file was not opened with
    O_DIRECT: data may still be in the memory of the clients. That was requested, and is not the rate of the
    storage.

    Hint: set sync: true, or write several times the memory of the nodes.

    Of a log: synchronise the write within its time (IOR -e, fio end_fsync=1, dd conv=fsync), write with
    O_DIRECT, or write several times the memory of the nodes.
    """
    if not subject.is_write or subject.stores_nothing or subject.in_memory or subject.row.get("sync"):
        return None
    if subject.named_in_memory:
        return None  # files-in-memory tells it
    if subject.row.get("sync") is None:
        return not_observable("whether a synchronisation was requested is unknown")
    if subject.observed.get("direct"):
        return passed("opened with O_DIRECT")
    if subject.row.get("direct") and subject.observed.get("direct") is None:
        return not_observable("O_DIRECT was requested; whether it was applied is unknown")
    if subject.row.get("api") in NO_CLIENT_CACHE:
        return passed(f"{subject.row['api']} has no cache in the client")
    return note("no synchronisation before the clock stopped was requested")


@rule("DEGRADED", needs_output=True)
def bytes_not_stored(subject: Subject) -> Outcome | None:
    """The kernel counted less than half of the reported bytes on their way to a file system with a block
    device below it.

    Hint: look for LD_PRELOAD, and for data that were written over before they left the page cache.
    """
    # The count of a synchronised or O_DIRECT write proves nothing where the device is unknown or has less,
    # nor where the kernel counted more than the writes can have touched. An unknown device may be memory.
    if not subject.is_write or subject.stores_nothing or subject.in_memory:
        return None
    dirtied, moved = subject.observed.get("dirtied_bytes"), subject.number("moved_bytes")
    if dirtied is None or not moved:
        return not_observable(f"the kernel does not count writes to {subject.file_system or 'these files'}")
    needed = subject.of_files(moved)
    given, of_files = sizes(dirtied, needed)
    text = f"{given} of {of_files} were given to {subject.file_system or 'the file system'}"
    if dirtied < needed / 2:
        return degraded(text)
    if subject.leaves_client and subject.device_unknown:
        return not_observable(f"{text}, and {subject.device_unknown}")
    if subject.leaves_client and (lacks_beyond(subject) or lacks_given(subject)):
        return not_observable(f"{text}, and the device has not those of all calls")
    if subject.dirtied_most is not None and dirtied > _COUNTED_TWICE * subject.dirtied_most:
        return not_observable(f"{text}: the kernel counted whole pages for parts of them")
    return passed(text)


@rule("INVALID", needs_output=True)
def sync_left_dirty_pages(subject: Subject) -> Outcome | None:
    """A synchronisation was reported as done, and at the last close the page cache still had unwritten pages
    of the files (cachestat(2), Linux 6.5): something answered it. Formats that write a header on close may
    leave 5 %; up to 2 MiB of each file tell nothing, since a large page (folio) is dirty as a whole.

    Hint: look for LD_PRELOAD, filters of system calls (seccomp: systemd-nspawn --suppress-sync, containers)
    and mount options such as volatile.
    """
    # Other users of the device cannot blur this count. Another process of the program that writes to the same
    # file may have a few pages there, too.
    if not subject.is_write or subject.stores_nothing or subject.in_memory or not subject.row.get("sync"):
        return None
    seen, moved = subject.observed.get("unwritten"), subject.number("moved_bytes")
    if not seen or not moved:
        return not_observable("the kernel does not show the pages of the files")
    left = seen["dirty_bytes"] + seen["writeback_bytes"]
    text = f"after the synchronisation {about_size(left)} of {seen['files']} files were not written back"
    has_header = subject.row.get("api") in HEADER_FORMATS
    if left <= (_HEADER * moved if has_header or seen.get("is_shared") else 0):
        return passed(text)
    if has_header and left <= FOLIO_BYTES * seen["files"]:
        return not_observable(f"{text}, of which a header may have touched a few bytes")
    return invalid(text)


@rule("INVALID", "NOTE", needs_output=True)
def mount_without_synchronisation(subject: Subject) -> Outcome | None:
    """A synchronisation was requested, and an option of a mount below prevents it: an overlay with volatile
    returns at once (INVALID). With nobarrier a file system does not empty the cache of its disk, and a loss
    of power takes the bytes (a note).

    Hint: mount without the option; containers set volatile for their own layers: bind a directory of the
    storage.
    """
    wanted = (subject.is_write and subject.row.get("sync")) or subject.synchronises_files
    if not wanted or subject.stores_nothing or subject.in_memory:
        return None
    found = subject.observed.get("synchronisation_off")  # by `weir prove`
    if subject.run is None and not found:
        return None
    mount = subject.mount
    if subject.run and ("synchronisation_off" not in mount or mount.get("type") != subject.file_system):
        return not_observable("the options of the mount are unknown")
    found = found or mount["synchronisation_off"]
    if not found:
        return passed("no option of the mounts prevents it")
    text = f"{found['mount']}: a synchronisation is {found['effect']}"
    return invalid(text) if found["effect"] == "ignored" else note(text)


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
    wanted = _wanted_syncs(subject)
    if wanted is None:
        return None
    called = subject.observed.get("called_syncs")
    at_once = int(max(subject.ranks, subject.observed.get("syncs_at_once") or 1))  # may share a flush
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


def _wanted_syncs(subject: Subject) -> float | None:
    """Synchronisations one after another that the result tells of; None where there are none."""
    is_off = subject.mount.get("synchronisation_off") or subject.observed.get("synchronisation_off")
    if is_off or subject.stores_nothing or subject.in_memory:
        return None
    if subject.synchronises_files:
        return subject.number("ops")
    reported = subject.observed.get("syncs_reported")
    return float(reported) if reported and subject.is_write else None
