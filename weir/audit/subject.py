"""The subject that a rule looks at: one record and all that is known about the run it came from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from weir.base.mounts import MEMORY_FILE_SYSTEMS
from weir.records.model import Cell, Message, Row, tasks_of
from weir.tools import tools
from weir.tools.base import Habits

WRITES = ("write", "update-write")
READS = ("read", "update-read")
IN_MEMORY = " in memory"  # ends the name of a device that is there (src/engine/core/device.c)
# They may store fewer bytes than they are given; the second ones always do, and are written once.
REDUCING_FILE_SYSTEMS = ("btrfs", "zfs", "bcachefs", "f2fs")
_COMPRESSED_IMAGES = ("squashfs", "erofs", "cramfs")

NO_CLIENT_CACHE = ("DFS", "CHFS")  # interfaces whose write returns when a server has it
HEADER_FORMATS = ("HDF5", "PNETCDF", "NETCDF4")
# Limits of rules that weir prove keeps to as well.
FETCHED_SHARE = 0.8  # share of the bytes; with less, the rate is in part that of memory (read-from-cache)
# The access is timed from before its first open; what a program subtracts is far less than a fifth.
SPAN_SHARE = 0.8  # share of the time from the first to the last call (shorter-than-its-calls)
_PAGE_BYTES = 4096
# The largest folio of the page cache, which is dirty as a whole where a call writes a part of it (XFS since
# Linux 5.18, ext4 since 6.16).
FOLIO_BYTES = 2 << 20
_MEMORY_PATHS = ("/dev/shm/", "/run/shm/")


@dataclass(frozen=True)
class RunFacts:
    """The end of the execution; third-party logs have none of it."""

    exit_code: int | None
    timed_out: bool
    timeout_s: float
    error: str | None
    host: Mapping[str, Any] = field(default_factory=dict)  # of run.json
    target: Mapping[str, Any] = field(default_factory=dict)  # target_facts of run.json
    elapsed_s: float | None = None  # of the launch, by the clock of weir
    differing: tuple[str, ...] | None = None  # files that are not as run.json has them; None: it has no sums
    same_as: str | None = None  # another run of the study that this one repeats, and in what


@dataclass(frozen=True)
class Subject:
    """One record. messages are those of this row and of the whole run, not those of other rows.

    What rules ask often is worked out once: the row does not change.
    """

    row: Row
    observed: Mapping[str, Any] = field(default_factory=dict)
    messages: tuple[Message, ...] = ()
    complete: bool = True
    cell: Cell | None = None
    run: RunFacts | None = None
    from_output: bool = True  # false for a row of a table, which keeps no messages
    owed_bytes: float = 0.0  # that earlier writes of the run left with the client, where servers are counted

    def number(self, column: str) -> float | None:
        """A numeric column, or nothing where it is empty."""
        value = self.row.get(column)
        return None if value is None else float(value)

    def texts(self, level: str) -> list[str]:
        return [message.text for message in self.messages if message.level == level]

    @cached_property
    def has_result(self) -> bool:
        return self.row.get("bw_mib_s") is not None or self.row.get("ops_s") is not None

    @cached_property
    def is_metadata(self) -> bool:
        return self.row.get("item") is not None

    @cached_property
    def is_write(self) -> bool:
        """A write of data with a result."""
        return self.row.get("access") in WRITES and not self.is_metadata and self.has_result

    @cached_property
    def is_read(self) -> bool:
        """A read of data with a result."""
        return self.row.get("access") in READS and not self.is_metadata and self.has_result

    @cached_property
    def synchronises_files(self) -> bool:
        """Files are created with bytes, and each is synchronised."""
        creates = self.is_metadata and self.row.get("access") == "create" and self.has_result
        wanted = creates and bool(self.observed.get("sync_files") and self.row.get("xfer_bytes"))
        return wanted and not self.stores_nothing and not self.in_memory

    @cached_property
    def stores_nothing(self) -> bool:
        return self.row.get("api") == "NULL"

    @cached_property
    def passes(self) -> int:
        """The number of times that a read began at the start of its files."""
        return int((self.observed.get("passes") or {}).get("count") or 1)

    @cached_property
    def printed_s(self) -> float | None:
        """Printed duration; for metadata it may follow from the rate, which some programs print alone."""
        total, ops, rate = (self.number(name) for name in ("total_s", "ops", "ops_s"))
        if total is not None or not self.is_metadata:
            return total
        return ops / rate if ops and rate else None

    def of_files(self, moved: float) -> float:
        """Bytes that an access of `moved` bytes reads from its files or leaves in them. They are fewer if a
        library compresses the data, or if offsets are written again: only the last bytes stay. Bytes that are
        read again count again, because otherwise a cache gave them."""
        file_bytes, written = self.number("file_bytes"), self.observed.get("written_bytes")
        if not file_bytes or (self.is_read and not self.is_compressed):
            return moved
        if self.has_size_of_one:
            return min(moved, self.number("requested_bytes") or moved)
        if written and self.is_read:
            return moved * min(1.0, file_bytes / float(written))
        return min(moved, file_bytes * self.passes)

    @cached_property
    def beyond(self) -> float:
        """Bytes of calls that are not of the result. Counts of any program over a time may include a ramp,
        another job or another mount of the device; what such a count lacks may all be of the result."""
        called, moved = self.observed.get("called_bytes"), self.number("moved_bytes")
        beside = float(self.observed.get("beside_bytes") or 0)
        if not self.observed.get("of_calls") or called is None or not moved:
            return beside
        dirtied = self.observed.get("dirtied_bytes") if self.is_write else None
        return max(float(min(called, dirtied) if dirtied else called) - moved, 0.0) + beside

    @cached_property
    def is_compressed(self) -> bool:
        """A library of a file format compresses what it stores."""
        return bool(self.row.get("deflate_level"))

    @cached_property
    def has_size_of_one(self) -> bool:
        """Some programs call stat by the name of one of many files, and some file systems answer 0."""
        file_bytes, moved = self.number("file_bytes"), self.number("moved_bytes")
        if not self.habits.size_of_one_file or file_bytes is None or not moved:
            return False
        has_many = self.row.get("layout") == "file-per-process" or self.observed.get("many_files")
        return file_bytes == 0 or (bool(has_many) and self.ranks > 1 and file_bytes <= moved / 2)

    @cached_property
    def warm_cache_requested(self) -> bool:
        """The cell measures the page cache on purpose."""
        return self.cell is not None and self.cell.params.get("cache") == "cached"

    @cached_property
    def device_unknown(self) -> str | None:
        """Why nothing below the file system was counted; None where a device was."""
        seen = self.observed.get("device") or {}
        if self.device_in_memory and self.run is None:  # else other-target judges it
            return f"{seen['name']}: the bytes are in memory"
        if seen.get("name") and self.observed.get("device_read_bytes") is not None:
            return None
        return seen.get("reason") or "the device behind the files is unknown"

    @cached_property
    def device_in_memory(self) -> bool:
        """The device behind the files is memory of the node, or a loop over a file there."""
        return str((self.observed.get("device") or {}).get("name")).endswith(IN_MEMORY)

    @cached_property
    def leaves_client(self) -> bool:
        """A write whose bytes must be out of the client's memory when the clock stops."""
        return bool(self.row.get("sync") or self.observed.get("direct"))

    @cached_property
    def dirtied_most(self) -> float | None:
        """Bytes of the pages that the write calls can have touched. The kernel counts more for a small write
        into a large page (folio): all of it."""
        if (touched := self.observed.get("touched_bytes")) is not None:
            return float(touched)
        moved, xfer = self.number("moved_bytes"), self.number("xfer_bytes")
        if not moved or not xfer:
            return None
        pages = xfer // _PAGE_BYTES if xfer % _PAGE_BYTES == 0 else xfer // _PAGE_BYTES + 2
        counted = (self.observed.get("process_io") or {}).get("wchar"), self.observed.get("called_bytes")
        written = max(moved, *(count or 0 for count in counted))  # calls may be of several results
        return written / xfer * pages * _PAGE_BYTES

    @cached_property
    def in_memory(self) -> bool:
        """The files are pages of the node's memory: there is no storage below them."""
        return self.file_system in MEMORY_FILE_SYSTEMS

    @cached_property
    def named_in_memory(self) -> bool:
        """The path in a log of one node is that of a tmpfs. On several nodes such a path often belongs to a
        file system that answers in a library (GekkoFS)."""
        path = f"{self.observed.get('path')}/"
        return self.run is None and self.row.get("nn") == 1 and path.startswith(_MEMORY_PATHS)

    @cached_property
    def host(self) -> Mapping[str, Any]:
        """The machine and its state, as weir saw them; nothing of a log."""
        return self.run.host if self.run else {}

    @cached_property
    def mount(self) -> Mapping[str, Any]:
        """The file system at the target, as weir saw it."""
        return self.host.get("file_system") or {}

    @cached_property
    def file_system(self) -> str | None:
        """The type that the program saw at the file; else the one that weir saw at the target."""
        seen = self.observed.get("file_system")
        return self.mount.get("type") if seen is None else seen

    @cached_property
    def stored_on(self) -> str | None:
        """Type of the file system that holds the bytes: below an overlay or a FUSE file system, where what is
        there is known."""
        below = self.mount.get("below") if self.mount.get("type") == self.file_system else None
        return below or self.file_system

    @cached_property
    def may_expand(self) -> bool:
        """A read may give more bytes than the file system fetches: it stores them compressed."""
        if self.stored_on in _COMPRESSED_IMAGES or self.observed.get("compressing"):
            return True
        chosen = self.cell.params.get("payload") if self.cell is not None else None
        return self.stored_on in REDUCING_FILE_SYSTEMS and chosen not in (None, "random")

    @cached_property
    def habits(self) -> Habits:
        """Habits of the program behind the record; the default for a program without a tool in weir/tools."""
        tool = tools().get(str(self.row.get("tool")))
        return tool.habits(self.row) if tool else Habits()

    @cached_property
    def ranks(self) -> int:
        return tasks_of(self.row) or int(self.row.get("nn") or self.row.get("ppn") or 1)


Limit = Mapping[str, Any]


def block_limits(subject: Subject) -> list[Limit] | None:
    """The limits of devices below the files; None where nobody looked."""
    own: Sequence[Limit] | None = subject.host.get("block_limits")
    group = subject.observed.get("group")
    if own is None and group is None:
        return None
    of_ranks: Sequence[Limit] = (group or {}).get("block_limits") or ()
    # Those of `weir prove` are of the devices of the mount already.
    is_below, devices = (group or {}).get("is_below"), subject.host.get("devices") or ()
    return [*(own or ()), *(one for one in of_ranks if is_below or one["device"] in devices)]


def throttled_periods(subject: Subject) -> int | None:
    """Periods in which the ranks or weir itself was held back, whichever has more."""
    group = subject.observed.get("group") or {}
    counts = [one.get("throttled_periods") for one in (subject.host, group)]
    known = [int(count) for count in counts if count is not None]
    return max(known, default=None)


def waited_for_io(subject: Subject) -> float:
    """Share of the run in which some process waited for I/O; all of it where the kernel does not tell."""
    share = (subject.observed.get("group") or {}).get("io_stalled_share")
    if share is not None:
        return float(share)
    stalled_us = subject.host.get("io_stalled_us")
    elapsed_s = subject.run.elapsed_s if subject.run else None
    return stalled_us / 1e6 / elapsed_s if stalled_us is not None and elapsed_s else 1.0
