"""Directories of the tree by descriptors: each is opened below its parent, so that no link leads away.

A descriptor stays open while directories in it wait for their turn, as far as there are few: the cost of a
directory does not grow with its depth. All threads share the limit on operations in a second.
"""

from __future__ import annotations

import os
import threading
import time
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass


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
    parent: Folder | None = None
    name: str = ""

    def child(self, name: str) -> Folder:
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
