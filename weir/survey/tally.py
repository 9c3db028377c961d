"""Counts of a directory or a tree: all files by extension, the sampled ones by what they contain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

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
