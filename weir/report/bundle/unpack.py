"""Unpacks a bundle into an empty folder: what it may hold is bounded, and checked while it is unpacked."""

from __future__ import annotations

import re
import shutil
import stat
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from weir.base.errors import WeirError
from weir.base.units import about_size

MOST_ENTRIES = 500_000
# Tables and logs are packed to a tenth, at best to a fiftieth; a bomb to a thousandth.
MOST_RATIO = 100  # unpacked over packed bytes of one file
MOST_RATIO_OF_ALL = 50
FREE_BYTES = 2**20  # a file may have so many, whatever its ratio
FREE_BYTES_OF_ALL = 64 * 2**20
_CHUNK_BYTES = 2**20
_DEEPEST = 30
_LONGEST_PATH = 1_000
_CONTROL = re.compile(r"[\x00-\x1f\x7f\\]")
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    RuntimeError,
    NotImplementedError,
    ValueError,
    OverflowError,
)


def unpack(bundle: Path, folder: Path) -> None:
    """Write the files of the bundle into the folder; if any is refused, the folder is removed again."""
    try:
        with zipfile.ZipFile(bundle) as archive:
            entries = archive.infolist()
            _check(bundle, entries)
            _Unpacking(bundle, folder).write(archive, entries)
    except (OSError, *_DAMAGED) as error:
        _remove(folder)
        if isinstance(error, OSError) and error.filename and Path(error.filename).is_relative_to(folder):
            raise  # the disk below the folder, not the bundle
        reason = (isinstance(error, OSError) and error.strerror) or error
        hint = "name a file that weir bundle wrote"
        raise WeirError(f"cannot be read: {reason}", file=str(bundle), hint=hint, exit_code=2) from None
    except WeirError:
        _remove(folder)
        raise


def _remove(folder: Path) -> None:
    for entry in folder.iterdir() if folder.is_dir() else ():
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()


def _check(bundle: Path, entries: Iterable[zipfile.ZipInfo]) -> None:
    """Names and kinds, before anything is written."""
    seen: set[str] = set()
    for number, entry in enumerate(entries, 1):
        if number > MOST_ENTRIES:
            raise _refused(bundle, f"holds more than {MOST_ENTRIES:,} files")
        name, parts = entry.filename, PurePosixPath(entry.filename).parts
        if name in seen:
            raise _refused(bundle, f"holds a file twice: {name[:_LONGEST_PATH]}")
        seen.add(name)
        if name.startswith("/") or ".." in parts:
            raise _refused(bundle, f"holds a path that leads out of it: {name[:_LONGEST_PATH]}")
        if len(name) > _LONGEST_PATH or len(parts) > _DEEPEST or _CONTROL.search(name):
            raise _refused(bundle, f"holds a path that weir bundle never writes: {name[:100]}")
        if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG) or entry.is_dir():
            raise _refused(bundle, f"holds what is not a file: {name}")


class _Unpacking:
    """Counts what really comes out: sizes in the headers may be wrong."""

    def __init__(self, bundle: Path, folder: Path) -> None:
        self.bundle = bundle
        self.folder = folder
        self.left_bytes = FREE_BYTES_OF_ALL + MOST_RATIO_OF_ALL * bundle.stat().st_size

    def write(self, archive: zipfile.ZipFile, entries: Iterable[zipfile.ZipInfo]) -> None:
        for entry in entries:
            path = self.folder / entry.filename
            path.parent.mkdir(parents=True, exist_ok=True)
            left_bytes = FREE_BYTES + MOST_RATIO * entry.compress_size
            with archive.open(entry) as source, path.open("xb") as goal:
                while chunk := source.read(_CHUNK_BYTES):
                    left_bytes -= len(chunk)
                    self.left_bytes -= len(chunk)
                    self._check(entry, left_bytes)
                    goal.write(chunk)

    def _check(self, entry: zipfile.ZipInfo, left_bytes: int) -> None:
        if left_bytes < 0:
            packed = about_size(entry.compress_size)
            raise _refused(
                self.bundle, f"{entry.filename}: {packed} unpack to more than {MOST_RATIO} times that"
            )
        if self.left_bytes < 0:
            raise _refused(self.bundle, f"unpacks to more than {MOST_RATIO_OF_ALL} times its size")


def _refused(bundle: Path, message: str) -> WeirError:
    hint = "weir bundle writes no such file: get it again, or from somebody else"
    return WeirError(message, file=str(bundle), hint=hint, exit_code=2)
