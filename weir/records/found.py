"""Files below the directories that a user names, for an import that recognises them by content."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from weir.errors import WeirError, hint_of
from weir.files import printable
from weir.integrity.manifest import MANIFEST, files_of_study

_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


@dataclass
class Found:
    """Each file, and whether it was found in a directory; directories that cannot be listed; tables of an
    import or a study, whose sources may be among the files: they are not read again."""

    files: list[tuple[Path, bool]] = field(default_factory=list)
    errors: list[WeirError] = field(default_factory=list)
    derived: list[Path] = field(default_factory=list)


def files_below(paths: Iterable[Path]) -> Found:
    """Links in a directory are not followed."""
    found = Found()
    for path in paths:
        if not path.is_dir():
            found.files.append((path, False))
            continue
        for folder, names in _folders(path, found.errors):
            derived = files_of_study(folder) if MANIFEST in names else ()
            found.derived += [folder / name for name in names if name in derived]
            found.files += [(folder / name, True) for name in names if name not in derived]
    return found


def _folders(folder: Path, errors: list[WeirError]) -> Iterator[tuple[Path, list[str]]]:
    """Each directory with its regular files, in the order of their names; without recursion, so that only the
    length of a path limits the depth."""
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        try:
            entries = sorted(os.scandir(here), key=lambda entry: entry.name)
            yield here, [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
            waiting += [Path(one.path) for one in reversed(entries) if one.is_dir(follow_symlinks=False)]
        except OSError as error:
            errors.append(_not_listed(here, error))


def _not_listed(folder: Path, error: OSError) -> WeirError:
    message, hint = f"cannot be listed: {error.strerror}", hint_of(error)
    return WeirError(message, file=_short(printable(folder)), hint=hint, exit_code=2)


def _short(path: str) -> str:
    return path if len(path) <= 300 else f"{path[:200]}...{path[-80:]}"


def require_file(file: Path) -> None:
    """A pipe or a device may have no end, or never begin."""
    kind = _KINDS.get(stat.S_IFMT(file.stat().st_mode))
    if kind:
        hint = "write what it gives to a file, and name that"
        raise WeirError(f"is {kind}, not a file", file=printable(file), hint=hint, exit_code=2)


def imported_before(folder: Path) -> frozenset[str]:
    """Names that an import may write over: those of an earlier one, and none of a study, which has a plan."""
    names = files_of_study(folder)
    return frozenset() if any("plan" in name or "counters" in name for name in names) else names
