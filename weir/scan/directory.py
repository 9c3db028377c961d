"""One directory of the tree: opened by descriptors, so that no link and no rename leads out of it."""

from __future__ import annotations

import errno
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from weir.scan.pace import Pace
from weir.scan.signatures import EMPTY, HDF5_HEAD_BYTES, HEAD_BYTES, extension_of, format_of, needs_more
from weir.scan.tally import Tally

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_BLOCK_BYTES = 512
_HASHES = 2**32


@dataclass(frozen=True)
class Selection:
    """Which files are opened: the same ones each time."""

    share: float
    seed: int

    def chooses(self, path: str) -> bool:
        digest = zlib.crc32(f"{self.seed}/{path}".encode("utf-8", "surrogateescape"))
        # CRC of similar names differ in few bits: multiply them apart.
        return (digest * 2654435761 % _HASHES) < self.share * _HASHES


@contextmanager
def opened(root: int, path: str, pace: Pace) -> Iterator[int]:
    """A directory below root, step by step: none of them may be a link."""
    descriptor = os.dup(root)
    try:
        for name in path.split("/") if path else ():
            pace.wait()
            inner = os.open(name, _DIRECTORY, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


def scan_directory(
    root: int, path: str, device: int, selection: Selection, pace: Pace
) -> tuple[Tally, list[str]]:
    """Counts of the files in it, and the directories in it that are on the same file system."""
    tally, inner = Tally(directories=1), []
    try:
        with opened(root, path, pace) as descriptor:
            pace.wait()
            for name in os.listdir(descriptor):
                pace.wait()
                below = f"{path}/{name}" if path else name
                if _look(descriptor, name, below, device, selection, pace, tally):
                    inner.append(below)
    except OSError as error:
        tally.skipped[f"directory: {error.strerror}"] += 1
    return tally, inner


def _look(
    folder: int, name: str, below: str, device: int, selection: Selection, pace: Pace, tally: Tally
) -> bool:
    """Whether it is a directory to enter; a file is counted, and opened if it is chosen."""
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        tally.skipped[f"file: {error.strerror}"] += 1
        return False
    if stat.S_ISDIR(found.st_mode):
        if found.st_dev != device:
            tally.skipped["directory: on another file system"] += 1
        return found.st_dev == device
    if not stat.S_ISREG(found.st_mode):
        tally.skipped["link" if stat.S_ISLNK(found.st_mode) else "not a regular file"] += 1
        return False
    extension = extension_of(name)
    tally.see(extension, found.st_size)
    if is_offline(found.st_size, found.st_blocks):
        tally.skipped["file: offline (no blocks on disk)"] += 1
    elif selection.chooses(below):
        _recognise(folder, name, extension, found.st_size, pace, tally)
    return False


def is_offline(size_bytes: int, blocks: int) -> bool:
    """Reading it would recall it from tape: bytes and no blocks; one block where Lustre's HSM released it."""
    return (blocks == 0 and size_bytes > 0) or (blocks == 1 and size_bytes > _BLOCK_BYTES)


def _recognise(folder: int, name: str, extension: str, size_bytes: int, pace: Pace, tally: Tally) -> None:
    if size_bytes == 0:
        tally.recognise(extension, EMPTY, 0)
        return
    pace.wait()
    try:
        content = format_of(_head(folder, name))
    except OSError as error:
        tally.skipped[f"file: {error.strerror}"] += 1
    else:
        tally.recognise(extension, content, size_bytes)


def _head(folder: int, name: str) -> bytes:
    descriptor = _open_unchanged(folder, name)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "has become a device or a pipe")
        head = os.pread(descriptor, HEAD_BYTES, 0)
        return os.pread(descriptor, HDF5_HEAD_BYTES, 0) if needs_more(head) else head
    finally:
        os.close(descriptor)


def _open_unchanged(folder: int, name: str) -> int:
    """Without a new access time, which only the owner may request."""
    with suppress(PermissionError):
        return os.open(name, _FILE | os.O_NOATIME, dir_fd=folder)
    return os.open(name, _FILE, dir_fd=folder)
