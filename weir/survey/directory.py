"""Directories of the tree, each opened by descriptors below its parent: no link and no rename leads out.

A descriptor stays open while directories in it wait for their turn, as far as there are few: the cost of a
directory does not grow with its depth. All threads share the limit on operations in a second.
"""

import errno
import fcntl
import os
import stat
import sys
import threading
import time
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from weir.survey.tally import (
    EMPTY,
    HDF5_HEAD_BYTES,
    HEAD_BYTES,
    FormatTally,
    extension_of,
    format_of,
    needs_more,
)


class EndedError(Exception):
    """The scan is over, and its other threads end with it."""


class Pace:
    """Operations begin at least 1/rate apart on average; a pause does not allow a burst."""

    def __init__(
        self,
        rate: float,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] | None = None,
    ) -> None:
        self._gap_s = 1 / rate if rate > 0 else 0.0
        self._ended = threading.Event()
        self._clock, self._sleep = clock, sleep or self._ended.wait
        self._lock = threading.Lock()
        self._next_s = self._begun_s = clock()
        self._waiting = 0
        self.operations = 0

    def wait(self) -> None:
        """Waits for the turn of one operation on the file system."""
        with self._lock:
            now = self._clock()
            begin = max(self._next_s, now)
            self._next_s = begin + self._gap_s
            self.operations += 1
            self._waiting += 1
        if begin > now:
            self._sleep(begin - now)
        with self._lock:
            self._waiting -= 1
            self._begun_s = self._clock()
        if self._ended.is_set():
            raise EndedError

    def silent_s(self) -> float:
        """The time without a new operation while none waits for its turn: the storage does not answer."""
        with self._lock:
            return 0.0 if self._waiting else self._clock() - self._begun_s

    def end(self) -> None:
        """No operation begins any more."""
        self._ended.set()


_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
MOST_OPEN = 256  # descriptors, beside those in use: a process may mostly have 1,024


@dataclass(frozen=True, eq=False)
class Folder:
    """A directory of the tree; the root has no parent.

    digest: CRC of the paths in it up to their last name."""

    digest: int
    parent: "Folder | None" = None
    name: str = ""

    def child(self, name: str) -> "Folder":
        """A directory in it."""
        return Folder(digest_of(f"{name}/", self.digest), self, name)

    @property
    def path(self) -> str:
        """The path from the root, which is an empty text."""
        names = []
        folder = self
        while folder.parent is not None:
            names.append(folder.name)
            folder = folder.parent
        return "/".join(reversed(names))


def digest_of(path: str, before: int = 0) -> int:
    """CRC of a path, which goes on from that of a directory: its cost does not grow with the depth."""
    return zlib.crc32(path.encode("utf-8", "surrogateescape"), before)


class Folders:
    """The open directories of a scan, for all of its threads."""

    def __init__(self, root: int, pace: Pace, digest: int = 0) -> None:
        self.root = Folder(digest)
        self._root, self._pace = root, pace
        self._lock = threading.Lock()
        self._open: OrderedDict[Folder, int] = OrderedDict()  # the longest unused first
        self._uses: dict[Folder, int] = {}

    @contextmanager
    def opened(self, folder: Folder) -> Iterator[int]:
        """The descriptor of a folder; every directory above it is opened once at most, and none may be a
        link."""
        path = [folder]
        while (descriptor := self._use(path[-1])) is None:
            parent = path[-1].parent
            assert parent is not None  # the root is always open
            path.append(parent)
        above = path.pop()
        try:
            while path:
                self._pace.wait()
                found = os.open(path[-1].name, _DIRECTORY, dir_fd=descriptor)
                descriptor = self._keep(path[-1], found)
                self._release(above)
                above = path.pop()
            yield descriptor
        finally:
            self._release(above)

    def close(self) -> None:
        """Close all but the root."""
        with self._lock:
            while self._open:
                os.close(self._open.popitem()[1])

    def _use(self, folder: Folder) -> int | None:
        """The descriptor of an open directory, which stays open until it is released."""
        with self._lock:
            descriptor = self._root if folder is self.root else self._open.get(folder)
            if descriptor is None:
                return None
            self._uses[folder] = self._uses.get(folder, 0) + 1
            if folder is not self.root:
                self._open.move_to_end(folder)
            return descriptor

    def _keep(self, folder: Folder, descriptor: int) -> int:
        """The descriptor to use: another thread may have opened the directory, too."""
        with self._lock:
            self._uses[folder] = self._uses.get(folder, 0) + 1
            if folder in self._open:
                os.close(descriptor)
                return self._open[folder]
            self._open[folder] = descriptor
            return descriptor

    def _release(self, folder: Folder) -> None:
        with self._lock:
            self._uses[folder] -= 1
            if not self._uses[folder]:
                del self._uses[folder]
            unused = (each for each in self._open if each not in self._uses)
            while len(self._open) > MOST_OPEN and (oldest := next(unused, None)):
                os.close(self._open.pop(oldest))
                unused = (each for each in self._open if each not in self._uses)


_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_BLOCK_BYTES = 512
_HASHES = 2**32
_NO_BLOCKS = "file: offline (no blocks on disk)"
_RELEASED = "file: offline (released by HSM)"
# LL_IOC_HSM_STATE_GET of lustre_user.h: _IOR('f', 211, struct hsm_user_state), which has 32 bytes.
_STATE_BYTES = 32
_STATE_GET = 2 << 30 | _STATE_BYTES << 16 | ord("f") << 8 | 211
_RELEASED_BIT = 0x4
_NOT_LUSTRE = (errno.ENOTTY, errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS)


@dataclass(frozen=True)
class Selection:
    """The files that are opened: a share by a seed, the same ones each time."""

    share: float
    seed: int

    @property
    def digest(self) -> int:
        """The begin of the digests of all directories."""
        return digest_of(f"{self.seed}/")

    def chooses(self, name: str, folder_digest: int) -> bool:
        """Whether a file is opened, by its name and the digest of its directory."""
        # CRC of similar names differ in few bits: multiply them apart.
        return (digest_of(name, folder_digest) * 2654435761 % _HASHES) < self.share * _HASHES


class HsmState:
    """Whether Lustre's HSM released the data of a file, so that a read would recall them from tape. Asks the
    file system of each file; not again after the first answer that it has no such state."""

    def __init__(self) -> None:
        self.is_supported = True

    def is_released(self, descriptor: int, pace: Pace) -> bool:
        """Opening a released file recalls nothing. An error other than an unknown request is raised."""
        if not self.is_supported:
            return False
        pace.wait()
        state = bytearray(_STATE_BYTES)
        try:
            fcntl.ioctl(descriptor, _STATE_GET, state)
        except OSError as error:
            if error.errno not in _NOT_LUSTRE:
                raise
            self.is_supported = False
            return False
        return bool(int.from_bytes(state[:4], sys.byteorder) & _RELEASED_BIT)


@dataclass(frozen=True)
class Rules:
    """The rules for every directory of a scan. device: the file system that it stays on."""

    device: int
    selection: Selection
    pace: Pace
    hsm: HsmState = field(default_factory=HsmState)


def scan_directory(folders: Folders, folder: Folder, rules: Rules) -> tuple[FormatTally, list[str]]:
    """Counts of the files in it, and names of the directories in it that are on the same file system."""
    tally, inner = FormatTally(directories=1), []
    try:
        with folders.opened(folder) as descriptor:
            rules.pace.wait()
            for name in os.listdir(descriptor):
                rules.pace.wait()
                if _look(descriptor, name, folder.digest, rules, tally):
                    inner.append(name)
    except OSError as error:
        tally.skipped[f"directory: {error.strerror}"] += 1
    return tally, inner


def _look(folder: int, name: str, digest: int, rules: Rules, tally: FormatTally) -> bool:
    """Whether it is a directory to enter; a file is counted, and opened if it is chosen."""
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        tally.skipped[f"file: {error.strerror}"] += 1
        return False
    if stat.S_ISDIR(found.st_mode):
        if found.st_dev != rules.device:
            tally.skipped["directory: on another file system"] += 1
        return found.st_dev == rules.device
    if not stat.S_ISREG(found.st_mode):
        tally.skipped["link" if stat.S_ISLNK(found.st_mode) else "not a regular file"] += 1
        return False
    extension = extension_of(name)
    tally.see(extension, found.st_size)
    if is_offline(found.st_size, found.st_blocks):
        tally.skipped[_NO_BLOCKS] += 1
    elif rules.selection.chooses(name, digest):
        _recognise(folder, name, extension, found.st_size, rules, tally)
    return False


def is_offline(size_bytes: int, blocks: int) -> bool:
    """Reading it would recall it from tape: bytes and no blocks; one block where Lustre's HSM released it."""
    return (blocks == 0 and size_bytes > 0) or (blocks == 1 and size_bytes > _BLOCK_BYTES)


def _recognise(
    folder: int, name: str, extension: str, size_bytes: int, rules: Rules, tally: FormatTally
) -> None:
    if size_bytes == 0:
        tally.recognise(extension, EMPTY, 0)
        return
    rules.pace.wait()
    try:
        head = _head(folder, name, rules)
    except OSError as error:
        tally.skipped[f"file: {error.strerror}"] += 1
        return
    if head is None:
        tally.skipped[_RELEASED] += 1
    else:
        tally.recognise(extension, format_of(head), size_bytes)


def _head(folder: int, name: str, rules: Rules) -> bytes | None:
    """The first bytes; None where reading them would recall the file."""
    descriptor = _open_unchanged(folder, name)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "has become a device or a pipe")
        if rules.hsm.is_released(descriptor, rules.pace):
            return None
        head = os.pread(descriptor, HEAD_BYTES, 0)
        return os.pread(descriptor, HDF5_HEAD_BYTES, 0) if needs_more(head) else head
    finally:
        os.close(descriptor)


def _open_unchanged(folder: int, name: str) -> int:
    """Opens a file without a new access time, which only the owner may request."""
    with suppress(PermissionError):
        return os.open(name, _FILE | os.O_NOATIME, dir_fd=folder)
    return os.open(name, _FILE, dir_fd=folder)
