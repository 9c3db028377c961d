"""The device behind the files: what reached it, and what others did to it meanwhile."""

from weir.audit.moved import ARRIVED, file_share, of_syncs
from weir.audit.registry import Outcome, degraded, invalid, not_observable, note, passed, rule
from weir.audit.subject import REDUCING_FILE_SYSTEMS, Subject, block_limits, waited_for_io
from weir.base.units import about_size, sizes, three_digits

_MIB = 2**20
# A journal adds a percent or two; a tenth is more than that. With half as many bytes as ours again on the
# device, the rate may be a third too low.
_OTHERS_NOTE = 0.10
_OTHERS_DEGRADED = 0.50
_OTHERS_LEAST = 4 * _MIB  # foreign bytes: fewer are no finding
# The disk of a virtual machine gave at least 0.95 times what was fetched, in 777 reads.
_MOST = 0.8
_LIMITED = 0.5  # share of the control group's limit that the access reached
_WAITED = 0.1  # share of the run in which some process waited for I/O
_REDUCIBLE = 0.90  # share left by compression, or of distinct blocks: below it the data can be reduced
_WRITTEN_BACK_S = 5  # dirty_writeback_centisecs


@rule("INVALID", needs_output=True)
def sync_not_effective(subject: Subject) -> Outcome | None:
    """Every rank synchronised, and the device behind the file was written fewer bytes than the file got (on
    mirrors of btrfs and md, than all copies of them): a library, a file system or a driver skips
    synchronisations, or loses writes. Nothing is proven where others wrote to the device, or the storage may
    have reduced the data.

    Hint: look for LD_PRELOAD and for mount options such as nobarrier or async; compare with O_DIRECT.
    """
    # Where offsets may be met twice, half of the bytes suffices. The offsets of any program (`weir prove`)
    # are unknown: what the kernel was given less, the device need not have got (bytes-not-stored judges
    # that). An offset that is written again after a synchronisation is given to the kernel twice, and a cache
    # below, as of a loop device, joins the two: then nothing is proven. Neither is it by a count that lacks
    # bytes of other calls of the same time, as of several jobs.
    if not _on_device(subject) or not subject.is_write or not subject.row.get("sync"):
        return None
    return _arrived(subject)


@rule("INVALID", needs_output=True)
def direct_not_effective(subject: Subject) -> Outcome | None:
    """The file was open with O_DIRECT, and the device behind it was written fewer bytes than the file got: a
    cache below the file system took them, as below a loop device. It is judged like sync-not-effective.

    Hint: give the loop device its file with O_DIRECT (losetup --direct-io=on), or measure on the disk itself.
    """
    # It judges writes without a synchronisation.
    is_direct = subject.observed.get("direct") and not subject.row.get("sync")
    if not _on_device(subject) or not subject.is_write or not is_direct:
        return None
    return _arrived(subject)


def _arrived(subject: Subject) -> Outcome:
    """Compares the bytes that the device was written with those that the files got."""
    written, needed = subject.observed.get("device_written_bytes"), file_share(subject)
    is_memory = subject.device_in_memory and subject.run is None  # of a run other-target tells
    if written is None or needed is None or is_memory:
        return not_observable(subject.device_unknown or "")
    arrived, of_files = sizes(written, needed)
    text = f"{arrived} were written to {_name(subject)}, {of_files} to the files"
    least, most = _mirrors(subject)
    if most > 1:
        text += f", of which its mirrors have {least if least == most else f'{least} to {most}'} copies"
    mirrored = least * needed
    as_written = written >= ARRIVED * mirrored and subject.observed.get("compressing") is False
    if _may_be_reduced(subject) and not as_written:  # they may be bytes of other users
        return not_observable(f"{text}: the storage may have stored fewer bytes than it was given")
    dirtied = subject.observed.get("dirtied_bytes") if subject.observed.get("of_calls") else None
    if (
        dirtied is not None
        and least * ARRIVED * dirtied / _times_given(subject) <= written < ARRIVED * mirrored
    ):
        how = "the program wrote over its own, or the file system made a clone"
        return not_observable(f"{text}, {about_size(dirtied)} were given to the kernel: {how}")
    if written < ARRIVED * mirrored and subject.observed.get("compressing"):
        return not_observable(f"{text}, where they may be compressed: only the first ones were sampled")
    if written < ARRIVED * mirrored:
        return invalid(text)
    if written < ARRIVED * most * needed:
        return not_observable(f"{text}: its files have several profiles, or a mirror lacks a disk")
    if lacks_beyond(subject):
        return not_observable(f"{text}, and calls wrote {about_size(subject.beyond)} more in the same time")
    copies, ours = _copies(subject), needed + subject.beyond
    others = written - copies * ours - of_syncs(subject)
    if others >= max(_OTHERS_DEGRADED * ours, _OTHERS_LEAST):
        how = "others wrote to it, and their bytes cannot be told from ours"
        if _has_several_disks(subject):
            how = "its disks may hold copies or parity, or others wrote to them"
        return not_observable(f"{text}: {how}")
    return passed(text)


def _times_given(subject: Subject) -> int:
    """The number of times that the kernel may have been given the same offset, since it also writes pages
    back meanwhile."""
    of_kernel = (subject.number("total_s") or 0.0) // _WRITTEN_BACK_S
    return int(max(subject.observed.get("sync_calls") or 1, 1) + of_kernel)


def lacks_given(subject: Subject) -> bool:
    """The device has less than the kernel was given of any program, for whatever reason."""
    written, dirtied = (subject.observed.get(f"{name}_bytes") for name in ("device_written", "dirtied"))
    if not subject.observed.get("of_calls") or written is None or dirtied is None:
        return False
    mirrors, _ = _mirrors(subject)
    return bool(written < mirrors * ARRIVED * min(dirtied, file_share(subject) or dirtied))


@rule("DEGRADED", needs_output=True)
def read_not_from_device(subject: Subject) -> Outcome | None:
    """The file system fetched the bytes of a read, and the disks below it gave less than 80 % of them: a
    cache between the two answered, as below a loop device, which dropping the pages of the file does not
    empty.

    Hint: measure on the disk itself, or give the loop device its file with O_DIRECT
    (losetup --direct-io=on).
    """
    if not _on_device(subject) or not subject.is_read:
        return None
    fetched, given = subject.number("fetched_bytes"), subject.observed.get("device_read_bytes")
    if fetched is None or fetched < _MOST * subject.of_files(subject.number("moved_bytes") or 0.0):
        return None  # the page cache answered, or may have: that is read-from-cache
    if given is None:
        return not_observable(subject.device_unknown or "")
    of_files, from_device = sizes(fetched, given)
    text = f"{of_files} were fetched, {_name(subject)} gave {from_device}"
    return degraded(text) if given < _MOST * fetched else passed(text)


@rule("NOTE", "DEGRADED", needs_output=True)
def others_on_device(subject: Subject) -> Outcome | None:
    """The disk behind the files moved bytes of another job, another run of weir or the writeback of older
    data: at least a tenth of those of this access (a note) or half (DEGRADED). What each synchronisation may
    have added to the journal (32 KiB; 256 KiB of btrfs and its like) is not foreign.

    Hint: look at iostat and iotop, wait for other jobs and runs of weir, then measure again.
    """
    if not _on_device(subject) or not (subject.is_write or subject.is_read):
        return None
    seen = subject.observed.get("device") or {}
    disk_read, disk_written = seen.get("disk_read_bytes"), seen.get("disk_written_bytes")
    moved = subject.number("moved_bytes")
    if disk_read is None or disk_written is None or not moved:
        return not_observable(subject.device_unknown or "")
    if _has_several_disks(subject):
        return not_observable("several disks hold copies or parity of the data")
    dirtied = subject.observed.get("dirtied_bytes") or 0
    if subject.is_write and subject.dirtied_most is not None:
        dirtied = min(dirtied, subject.dirtied_most)
    beside = subject.observed.get("beside_on_disk") or (0, 0)
    own = max(moved, dirtied, subject.number("fetched_bytes") or 0)
    own += subject.beyond - (subject.observed.get("beside_bytes") or 0)
    # What the processes dirtied is their own in a read, too: a phase may mix both.
    own_written = _copies(subject) * (own if subject.is_write else dirtied)
    own_read = subject.number("fetched_bytes")
    if own_read is None:
        own_read = subject.observed.get("fetched_bytes")
    if own_read is None and subject.is_read:
        own_read = moved  # a daemon of FUSE fetched it
    others = max(0.0, disk_read - (own_read or 0) - beside[0])
    journal = of_syncs(subject)
    others += max(0.0, disk_written - own_written - beside[1] - journal)
    foreign, ours = sizes(others, own)
    text = f"{_name(subject)} moved {foreign} of other users beside {ours} of this access"
    if journal >= _OTHERS_LEAST:
        text += f" and at most {about_size(journal)} of the journal"
    if others < _OTHERS_LEAST or others < _OTHERS_NOTE * own:
        return passed(text)
    return degraded(text) if others >= _OTHERS_DEGRADED * own else note(text)


@rule("NOTE", "DEGRADED", needs_output=True)
def device_limited(subject: Subject) -> Outcome | None:
    """A control group, of weir or of a rank, limits the rate of a device below the files (io.max,
    blkio.throttle): a note. It is DEGRADED where the access reached half of the limit and some process waited
    for I/O in a tenth of the run.

    Hint: measure outside of that control group (cat /proc/self/cgroup), or have the limit raised.
    """
    # Metadata and journals count towards the limit, too: hence half of it.
    limits = block_limits(subject)
    if limits is None or not _on_device(subject) or not (subject.is_write or subject.is_read):
        return None
    access = "write" if subject.is_write else "read"
    rates = {
        f"{access}_bps": (subject.number("bw_mib_s") or 0) * _MIB,
        f"{access}_iops": subject.number("ops_s") or 0,
    }
    found = [(one, name, one[name]) for one in limits for name in rates if one.get(name)]
    if not found:
        return passed("no control group limits the devices below the files")
    reached, name, limit, device = max((rates[name] / at, name, at, one["device"]) for one, name, at in found)
    rate = f"{three_digits(limit / _MIB)} MiB/s" if name.endswith("_bps") else f"{three_digits(limit)} op/s"
    text = f"a control group allows device {device} {rate} ({name}); the access reached {100 * reached:.0f} %"
    is_limited = reached >= _LIMITED and waited_for_io(subject) >= _WAITED
    return degraded(text) if is_limited else note(text)


@rule("NOTE", "DEGRADED", needs_output=True)
def payload_reducible(subject: Subject) -> Outcome | None:
    """The data compresses or has duplicates, and the file system may store less than it is given (btrfs, ZFS,
    bcachefs, f2fs): a note. It is DEGRADED where the bytes must have left the client, no cell chose that data
    (`payload`), and the mount compresses or the device was written less than 95 % of them.

    Hint: use data that cannot be reduced (weir-io's default in cells), or measure the reduction on purpose.

    Of a log: use data that cannot be reduced (dd: if=/dev/urandom of a file in memory; fio: refill_buffers;
    IOR: --dataPacketType=random).
    """
    # The bandwidth is also that of the compressor: hence the note.
    if not subject.is_write or subject.stores_nothing:
        return None
    payload = subject.observed.get("payload") or {}
    if not payload.keys() >= {"compressed_share", "unique_share"}:
        return not_observable("the data was not sampled")
    shares = (payload["compressed_share"], payload["unique_share"])
    text = f"compression leaves {100 * shares[0]:.0f} %, {100 * shares[1]:.0f} % of the blocks are distinct"
    if subject.file_system is None:
        return not_observable("the file system is unknown")
    if min(shares) >= _REDUCIBLE or subject.stored_on not in REDUCING_FILE_SYSTEMS:
        return passed(f"{text}, on {subject.stored_on}")
    written, needed = subject.observed.get("device_written_bytes"), file_share(subject)
    is_chosen = subject.cell is not None and "payload" in subject.cell.params
    if not (subject.leaves_client and needed) or is_chosen:
        return note(f"{text}, and {subject.stored_on} may reduce them")
    if subject.observed.get("compressing"):
        return degraded(f"{text}, and {subject.stored_on} is told to compress them")
    if written is None or written >= _mirrors(subject)[0] * ARRIVED * needed:
        return note(f"{text}, and {subject.stored_on} may reduce them")
    arrived, of_files = sizes(written, needed)
    return degraded(f"{text}, and {arrived} of {of_files} were written to {_name(subject)}")


def _on_device(subject: Subject) -> bool:
    return not (subject.stores_nothing or subject.in_memory or subject.is_metadata)


def _may_be_reduced(subject: Subject) -> bool:
    payload = subject.observed.get("payload") or {}
    shares = [payload.get(name, 0.0) for name in ("compressed_share", "unique_share")]
    return subject.stored_on in REDUCING_FILE_SYSTEMS and min(shares) < _REDUCIBLE


def lacks_beyond(subject: Subject) -> bool:
    """The device may have the bytes of other calls and not those of the result."""
    written, needed = subject.observed.get("device_written_bytes"), file_share(subject)
    if not subject.beyond or written is None or needed is None:
        return False
    return bool(written < _mirrors(subject)[0] * (ARRIVED * needed + subject.beyond))


def _has_several_disks(subject: Subject) -> bool:
    return " more" in _name(subject)


def _name(subject: Subject) -> str:
    return str((subject.observed.get("device") or {}).get("name") or "the device")


def _mirrors(subject: Subject) -> tuple[int, int]:
    """The copies of each byte that a synchronisation waits for, at least and at most."""
    seen = subject.observed.get("device") or {}
    return int(seen.get("mirrors_least") or 1), int(seen.get("mirrors_most") or 1)


def _copies(subject: Subject) -> int:
    """The number of times that each byte is written: twice where a journal has data, too, and by mirrors."""
    return int((subject.observed.get("device") or {}).get("copies") or 1)
