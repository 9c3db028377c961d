"""Files below the directories that a user names, for an import that recognises them by content."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from weir.base.errors import WeirError, hint_of
from weir.base.files import printable
from weir.runs.manifest import MANIFEST, files_of_study


@dataclass
class Found:
    """Each file, and whether it was found in a directory; directories that cannot be listed; tables of an
    import or a study, whose sources may be among the files: they are not read again."""

    files: list[tuple[Path, bool]] = field(default_factory=list)
    errors: list[WeirError] = field(default_factory=list)
    derived: list[Path] = field(default_factory=list)


def files_below(paths: Iterable[Path]) -> Found:
    """Links in a directory are not followed. What is named twice, or also by a directory above it, counts
    once."""
    found = Found()
    seen: set[str] = set()
    for path in paths:
        if not path.is_dir():
            found.files += [(path, False) for _ in _new(path.parent, [path.name], seen)]
            continue
        for folder, names in _folders(path, found.errors):
            derived = files_of_study(folder) if MANIFEST in names else ()
            for name in _new(folder, names, seen):
                if name in derived:
                    found.derived.append(folder / name)
                else:
                    found.files.append((folder / name, True))
    return found


def _new(folder: Path, names: Iterable[str], seen: set[str]) -> list[str]:
    """The names that were not seen before; each is seen now."""
    place = os.path.realpath(folder)
    new = [name for name in names if f"{place}/{name}" not in seen]
    seen.update(f"{place}/{name}" for name in new)
    return new


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


def imported_before(folder: Path) -> frozenset[str]:
    """Names that an import may write over: those of an earlier one, and none of a study, which has a plan."""
    names = files_of_study(folder)
    return frozenset() if any("plan" in name or "counters" in name for name in names) else names
