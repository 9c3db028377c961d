"""Rules about the source of the bytes of a read: storage or a cache."""

from weir.audit.registry import Outcome, degraded, invalid, not_observable, note, passed, rule
from weir.audit.rules.servers import received_share
from weir.audit.subject import FETCHED_SHARE, NO_CLIENT_CACHE, Subject
from weir.base.units import about_size, sizes

_NEARLY_ALL = 0.95  # share of the bytes that partly-from-cache requires
# A read-ahead fetches a little beyond the last byte; with more than this it fetched what nobody read.
_MORE_THAN_READ = 1.25
# A node without one free GiB of memory for its page cache is not in use for benchmarks.
_FITS_ANY_NODE = 2**30
# Times that later passes are as fast as the first one.
_MAYBE_KEPT_BELOW = 2.0
_KEPT_BELOW = 4.0
# Times the rate of the write: all published reads of a cache that was meant are, of other nodes' none.
_FAR_FASTER = 10.0
_ENOUGH = 0.25  # share of a pass: a shorter part ends too soon to tell


@rule("DEGRADED", "INVALID", needs_output=True)
def read_from_cache(subject: Subject) -> Outcome | None:
    """Less than 80 % of the bytes of a read were fetched from the storage, or more than 20 % of the file was
    in the page cache before: the bandwidth is in part that of memory. With O_DIRECT it is INVALID, because
    something took the flag away. Storage in memory and requested warm caches are excluded.

    Hint: let the cell drop the caches by a program that does it, weir-io (ior, netcdf-bench: drop_caches:
    true; io-model: cache: uncached), or declare that a warm one is meant (cache: cached).

    Of a log: drop the caches of the nodes before the read, or read from other nodes (IOR -C) or
    more than they hold.
    """
    # What counts is what the kernel fetched for the program, or what the device below gave where a daemon
    # fetches (FUSE); where that device is unknown nothing is proven, also by an empty page cache. Where the
    # program dropped the pages before the read or between its passes, pages that are there are a finding
    # whatever was fetched, since that may have been while the clock did not run. So are they where a
    # read-ahead fetched more than was read, which makes up for bytes of a cache. Where nobody looked at the
    # pages such a count proves nothing, nor does one of more calls than those of the result (a ramp, several
    # jobs).
    # Under `weir prove` each process counts by itself, from its first read on: what advice, a mapping or
    # another process fetched before does not count, and mappings, streams or queues that may have fetched as
    # much prove nothing.
    if not _needs_storage(subject):
        return None
    is_direct = bool(subject.observed.get("direct"))
    outcome = (None if is_direct else _came_back(subject)) or _fetched(subject, is_direct)
    if outcome is None and not is_direct:
        outcome = _resident(subject) or _cache_kept(subject)
    return outcome or not_observable("the output does not tell how much was fetched from the storage")


@rule("NOTE", needs_output=True)
def partly_from_cache(subject: Subject) -> Outcome | None:
    """Less than 95 % of the bytes of a read were fetched from the storage, or more than 5 % of the file was
    in the page cache after its pages were dropped (below 80 %: read-from-cache).

    Hint: look for other users of the file (fuser -v, lsof); write it anew before the read.
    """
    # Another process may lock (vmtouch -l) or map pages.
    if not _needs_storage(subject):
        return None
    share, kept = _fetched_share(subject), _kept(subject)
    share = received_share(subject) if share is None else share
    if share is None and kept is None:
        return not_observable("the output does not tell how much was fetched from the storage")
    if share is not None and FETCHED_SHARE <= share < _NEARLY_ALL:
        return note(f"{100 * share:.0f} % of the bytes were fetched from the storage")
    if kept is not None and 1 - _NEARLY_ALL < kept <= 1 - FETCHED_SHARE:
        return note(f"{100 * kept:.0f} % of the file was in the page cache after its pages were dropped")
    return passed("nearly all came from the storage, or read-from-cache tells")


def _needs_storage(subject: Subject) -> bool:
    if not subject.is_read or subject.stores_nothing or subject.in_memory or subject.warm_cache_requested:
        return False
    return subject.observed.get("cache") not in ("cached", "discarded")  # there memory is what was requested


def _kept(subject: Subject) -> float | None:
    """Share of the file in the page cache after its pages were dropped."""
    before = (subject.observed.get("residency") or {}).get("before")
    return before if subject.observed.get("drop_caches") else None


def _came_back(subject: Subject) -> Outcome | None:
    before = _kept(subject)
    if before is None or before <= 1 - FETCHED_SHARE:
        return None
    share = f"{100 * before:.0f} % of the file was in the page cache before the read"
    return degraded(f"{share}, after its pages were dropped")


def _fetched_share(subject: Subject) -> float | None:
    """Fetched bytes as a share of those that the program read."""
    fetched, moved = subject.number("fetched_bytes"), subject.number("moved_bytes")
    if fetched is None:
        fetched = subject.observed.get("device_read_bytes")
    return None if fetched is None or not moved else fetched / subject.of_files(moved)


def _fetched(subject: Subject, is_direct: bool) -> Outcome | None:
    """Bytes that the kernel fetched for the program against those that the program read."""
    fetched, share = subject.number("fetched_bytes"), _fetched_share(subject)
    if share is None:
        return None
    moved = subject.number("moved_bytes") or 0.0
    count = fetched
    if count is None:
        count = given = subject.observed.get("device_read_bytes") or 0
        name = (subject.observed.get("device") or {}).get("name")
        read, got = sizes(moved, given)
        text = f"read {read} through {subject.file_system}, {name} gave {got}"
    else:
        read, got = sizes(moved, count)
        text = f"read {read}, {got} of them were fetched from storage"
    if share < FETCHED_SHARE:
        text += f" ({100 * share:.0f} %)"
        if count and subject.may_expand:
            return _expanded(subject, count, text)
        return invalid(f"{text} although opened with O_DIRECT") if is_direct else degraded(text)
    looked = subject.run is not None or subject.observed.get("device") is not None
    if fetched is not None and looked and subject.device_unknown:
        return not_observable(f"{text}, and {subject.device_unknown}")
    if is_direct:
        return passed(text)
    needed = subject.of_files(moved)
    if count < FETCHED_SHARE * needed + subject.beyond:
        return not_observable(f"{text}, and calls read {about_size(subject.beyond)} more in the same time")
    return _read_ahead(subject, count, needed + subject.beyond, text) or passed(text)


def _expanded(subject: Subject, fetched: float, text: str) -> Outcome:
    """A file system that compresses fetches fewer bytes: only the page cache shows whether they are all."""
    text += f": {subject.stored_on} may store fewer bytes than it gives"
    before = (subject.observed.get("residency") or {}).get("before")
    given = subject.observed.get("device_read_bytes")
    if before is None or given is None or given < FETCHED_SHARE * fetched:
        return not_observable(text)
    text += f"; {100 * before:.0f} % of the file was in the page cache before the read"
    return degraded(text) if before > 1 - FETCHED_SHARE else passed(text)


def _read_ahead(subject: Subject, fetched: float, read: float, text: str) -> Outcome | None:
    if fetched <= _MORE_THAN_READ * read:
        return None
    before = (subject.observed.get("residency") or {}).get("before")
    if before is None:
        return not_observable(f"{text}, more than were read: what else was in the page cache is unknown")
    if before <= 1 - FETCHED_SHARE:
        return None
    return degraded(f"{text}, and {100 * before:.0f} % of the file was in the page cache before the read")


def _resident(subject: Subject) -> Outcome | None:
    before = (subject.observed.get("residency") or {}).get("before")
    if before is None:
        return None
    text = f"{100 * before:.0f} % of the file was in the page cache before the read"
    if before > 1 - FETCHED_SHARE:
        return degraded(text)
    return _cache_kept(subject) or not_observable(f"{text}, and {subject.device_unknown}")


def _cache_kept(subject: Subject) -> Outcome | None:
    requested = subject.cell is not None and bool(subject.cell.params.get("drop_caches"))
    if not requested or subject.observed.get("drop_caches"):
        return None
    program = subject.row.get("program") or "the program"
    return degraded(f"dropped caches were requested, and {program} does not drop them")


@rule("NOTE", "DEGRADED", needs_output=True)
def later_passes_faster(subject: Subject) -> Outcome | None:
    """A read that began again (`read_again`) made its later passes more than twice as fast as the first (a
    note) or more than 4 times (DEGRADED): a cache of a server, a controller or a hypervisor kept the data.

    Hint: write more, so that a pass lasts as long as the stonewall, or read once (read_again: false).

    Of a log: write more, so that a pass lasts as long as the stonewall, or read once, without --read-again.
    """
    passes = subject.observed.get("passes") or {}
    moved, io_s = subject.number("moved_bytes"), subject.number("io_s")
    if subject.passes < 2 or subject.in_memory or not moved or io_s is None:
        return None
    first_bytes, first_s = passes.get("first_bytes"), passes.get("first_s")
    if not first_bytes or not first_s or io_s <= first_s:
        return not_observable("the time of the first pass is unknown")
    if moved - first_bytes < _ENOUGH * first_bytes:
        return None
    times = (moved - first_bytes) / (io_s - first_s) / (first_bytes / first_s)
    text = f"the first pass moved {about_size(first_bytes)} in {first_s:.3g} s"
    text += f"; the others: {times:.2f} times as fast"
    if times > _KEPT_BELOW:
        return degraded(text)
    return note(text) if times > _MAYBE_KEPT_BELOW else passed(text)


@rule("DEGRADED", "NOTE", needs_output=True)
def read_after_write(subject: Subject) -> Outcome | None:
    """The ranks read back what their own nodes had just written, without O_DIRECT, reordering or dropped
    caches, and each node's share fits into its memory (1 GiB where unknown). A larger share is a note where
    the memory is unknown and the read was 10 times as fast as the write.

    Hint: read with reorder: constant on more than one node, with direct: true or drop_caches: true, or read
    more than the memory holds.

    Of a log: read from other nodes (IOR -C), with O_DIRECT (--posix.odirect), or more than the
    memory of the nodes holds.
    """
    if not subject.is_read or subject.stores_nothing or subject.in_memory or subject.warm_cache_requested:
        return None
    if subject.named_in_memory:
        return None  # files-in-memory tells it
    if _fetched_share(subject) is not None or (subject.observed.get("residency") or {}):
        return None  # read-from-cache has better evidence
    seen = subject.observed
    if not seen.get("written_bytes"):
        return not_observable("the run did not write what it read")
    if subject.row.get("api") in NO_CLIENT_CACHE:
        return passed(f"{subject.row['api']} has no cache in the client")
    moved = subject.number("moved_bytes")
    if moved is None:
        return not_observable("the bytes moved are unknown")
    if subject.row.get("direct") or seen.get("direct") or seen.get("drop_caches"):
        return passed("opened with O_DIRECT or with dropped caches")
    nodes = subject.row.get("nn")
    if seen.get("reorder") not in (None, "none", False) and (nodes or 2) > 1:
        return passed("other ranks read than wrote")
    if nodes is None:
        return not_observable("the number of nodes is unknown")
    memory = seen.get("memory_bytes") or subject.host.get("memory_bytes")
    share, limit = moved / subject.passes / nodes, memory or _FITS_ANY_NODE
    if share < limit:
        back, held = sizes(share, limit)
        of_memory = f"{held} of memory" if memory else "any node's memory"
        return degraded(f"each node read back the {back} that it wrote, less than {of_memory}")
    times = (subject.number("bw_mib_s") or 0.0) / (seen.get("written_mib_s") or float("inf"))
    if memory is None and times >= _FAR_FASTER:
        text = f"each node read back the {about_size(share)} that it wrote, {times:.0f} times as fast"
        return note(f"{text}, and its memory is unknown")
    if memory is None:
        return not_observable(f"the memory of the nodes is unknown; each read {about_size(share)}")
    back, held = sizes(share, memory)
    return passed(f"each node read {back} and has {held} of memory")
