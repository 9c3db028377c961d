"""Files below the directories that a user names, for an import that recognises them by content."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from weir.errors import WeirError

_HEAD_BYTES = 4096


def files_below(paths: Iterable[Path]) -> Iterator[tuple[Path, bool]]:
    """Each file, and whether it was found in a directory. Links in a directory are not followed."""
    for path in paths:
        if path.is_dir():
            yield from ((file, True) for file in _regular_files(path))
        else:
            yield path, False


def _regular_files(folder: Path) -> Iterator[Path]:
    for where, directories, names in os.walk(folder, onerror=_refused):
        directories.sort()
        for name in sorted(names):
            file = Path(where, name)
            if file.is_file() and not file.is_symlink():
                yield file


def _refused(error: OSError) -> None:
    raise WeirError(
        f"cannot be listed: {error.strerror}",
        file=str(error.filename),
        hint="let this user read the directory, or name the ones to read",
        exit_code=2,
    ) from None


def is_binary(file: Path) -> bool:
    """A zero byte near the start: no program prints one. False where the file cannot be read."""
    try:
        with file.open("rb") as stream:
            return b"\0" in stream.read(_HEAD_BYTES)
    except OSError:
        return False
