"""The counts of a directory or a tree: all files by extension, the sampled ones by what they contain.

The state of a scan has one line for each finished directory, so that a stopped scan can resume.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from weir.base.errors import WeirError
from weir.base.files import WRONG_CONTENT, fault_of, from_json, write_atomically

_MOST = 2**200  # no count, volume or sum of squares of a tree reaches it
# Ends of the classes of sizes, in bytes.
SIZES = (4096, 2**20, 2**30)


@dataclass
class Sums:
    """The sums over files of one kind; the squares give the interval of a volume."""

    files: int = 0
    size_bytes: int = 0
    squares: int = 0

    def count(self, size_bytes: int) -> None:
        self.files += 1
        self.size_bytes += size_bytes
        self.squares += size_bytes * size_bytes

    def add(self, other: Sums) -> None:
        self.files += other.files
        self.size_bytes += other.size_bytes
        self.squares += other.squares


@dataclass
class Tally:
    """seen: every file, by extension. content: the sampled ones, by extension and format."""

    seen: dict[str, Sums] = field(default_factory=dict)
    content: dict[tuple[str, str], Sums] = field(default_factory=dict)
    sizes: Counter[int] = field(default_factory=Counter)  # files in each class of SIZES
    skipped: Counter[str] = field(default_factory=Counter)  # what was not opened, by reason
    directories: int = 0

    def see(self, extension: str, size_bytes: int) -> None:
        self.seen.setdefault(extension, Sums()).count(size_bytes)
        self.sizes[sum(size_bytes >= end for end in SIZES)] += 1

    def recognise(self, extension: str, content: str, size_bytes: int) -> None:
        self.content.setdefault((extension, content), Sums()).count(size_bytes)

    def add(self, other: Tally) -> None:
        for extension, sums in other.seen.items():
            self.seen.setdefault(extension, Sums()).add(sums)
        for key, sums in other.content.items():
            self.content.setdefault(key, Sums()).add(sums)
        self.sizes.update(other.sizes)
        self.skipped.update(other.skipped)
        self.directories += other.directories

    @property
    def files(self) -> int:
        return sum(sums.files for sums in self.seen.values())

    @property
    def size_bytes(self) -> int:
        return sum(sums.size_bytes for sums in self.seen.values())

    def data(self) -> dict[str, Any]:
        """The tally as JSON, for the state of a scan."""
        return {
            "seen": {name: [*vars(sums).values()] for name, sums in self.seen.items()},
            "content": [[*key, *vars(sums).values()] for key, sums in self.content.items()],
            "sizes": sorted(self.sizes.items()),
            "skipped": dict(self.skipped),
            "directories": self.directories,
        }

    @staticmethod
    def of(data: Mapping[str, Any]) -> Tally:
        """Reads what data() gave; damage is one of TypeError, ValueError, KeyError and AttributeError."""
        return Tally(
            {str(name): Sums(*map(_count, values)) for name, values in data["seen"].items()},
            {(str(one), str(other)): Sums(*map(_count, values)) for one, other, *values in data["content"]},
            Counter({int(size): _count(count) for size, count in data["sizes"]}),
            Counter({str(reason): _count(count) for reason, count in data["skipped"].items()}),
            _count(data["directories"]),
        )


def _count(value: Any) -> int:
    """A count of a file that may be damaged; ValueError for a number that no tree has."""
    number = int(value)
    if not 0 <= number < _MOST:
        raise ValueError("a count is out of range")
    return number


_HINT = "name another file by --state, or remove this one to scan again from the start"


class State:
    """Appends to FILE. A truncated last line is ignored: its directory is scanned again."""

    def __init__(self, file: Path, about: dict[str, Any]) -> None:
        self.file, self.about = file, about
        self.finished: dict[str, tuple[Tally, list[str]]] = {}
        self._out: TextIO | None = None

    def open(self) -> None:
        if self.file.exists():
            self._read()
        # Written again, without what was truncated; whole before it replaces the old one.
        entries = [self.about, *(_line_of(path, *found) for path, found in self.finished.items())]
        write_atomically(self.file, "".join(map(_text, entries)))
        self._out = self.file.open("a", encoding="utf-8")

    def finish(self, path: str, tally: Tally, inner: list[str]) -> None:
        self._write(_line_of(path, tally, inner))

    def close(self) -> None:
        if self._out:
            self._out.close()

    def _write(self, entry: dict[str, Any]) -> None:
        assert self._out is not None
        self._out.write(_text(entry))
        self._out.flush()

    def _read(self) -> None:
        content = self.file.read_bytes() if self.file.is_file() else b"not a regular file"
        known = list(_whole(content.splitlines()))
        if content and (not known or known[0] != self.about):
            other = bool(known) and isinstance(known[0], dict) and known[0].keys() == self.about.keys()
            message = f"is the state of another scan: {known[0]}" if other else "is not the state of a scan"
            raise WeirError(message, file=str(self.file), hint=_HINT, exit_code=2)
        for number, line in enumerate(known[1:], start=2):
            try:
                path, tally, inner = line["directory"], Tally.of(line["tally"]), line["inner"]
                if fault_of([path, *inner], [str]) or "\0" in "".join([path, *inner]):
                    raise ValueError("a name is damaged")
            except WRONG_CONTENT:
                raise WeirError(
                    "is damaged", file=str(self.file), line=number, hint=_HINT, exit_code=2
                ) from None
            self.finished[path] = (tally, inner)


def _text(entry: dict[str, Any]) -> str:
    return json.dumps(entry) + "\n"


def _line_of(path: str, tally: Tally, inner: list[str]) -> dict[str, Any]:
    return {"directory": path, "inner": inner, "tally": tally.data()}


def _whole(lines: list[bytes]) -> Iterator[Any]:
    for line in lines:
        try:
            yield from_json(line)
        except ValueError:
            return
