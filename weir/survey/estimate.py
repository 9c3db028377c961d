"""Shares of files and of volume by format, of all files from the sampled ones, with 95 % intervals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from weir.survey.signatures import EXTENSIONS
from weir.survey.tally import Sums, Tally

_Z = 1.959963984540054


@dataclass(frozen=True)
class Share:
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Format:
    """files and size_bytes are of the sample; the shares are of the tree."""

    name: str
    files: int
    size_bytes: int
    of_files: Share
    of_volume: Share


@dataclass(frozen=True)
class Extension:
    """An extension: how many of its sampled files contain what it names."""

    name: str
    files: int
    sampled: int
    matching: int | None
    otherwise: str


def formats(tally: Tally) -> list[Format]:
    """The largest volume first."""
    by_name: dict[str, Sums] = {}
    for (_, name), sums in tally.content.items():
        by_name.setdefault(name, Sums()).add(sums)
    sample = Sums()
    for sums in by_name.values():
        sample.add(sums)
    fraction = sample.files / tally.files if tally.files else 1.0
    found = [
        Format(
            name,
            sums.files,
            sums.size_bytes,
            share_of_files(sums.files, sample.files, fraction),
            share_of_volume(sums, sample, fraction),
        )
        for name, sums in by_name.items()
    ]
    return sorted(found, key=lambda one: (-one.size_bytes, -one.files, one.name))


def share_of_files(count: int, sampled: int, fraction: float) -> Share:
    """Wilson's interval; it shrinks to zero as the sample approaches all files."""
    if sampled == 0:
        return Share(0.0, 0.0, 1.0)
    value = count / sampled
    if fraction >= 1:
        return Share(value, value, value)
    n = sampled / (1 - fraction)
    centre = (value + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z / (1 + _Z**2 / n) * sqrt(value * (1 - value) / n + _Z**2 / (4 * n**2))
    return Share(value, max(0.0, centre - half), min(1.0, centre + half))


def share_of_volume(sums: Sums, sample: Sums, fraction: float) -> Share:
    """Ratio of two sums of the sample; the interval by linearisation, as sizes differ much."""
    if sample.size_bytes == 0:
        return Share(0.0, 0.0, 0.0 if fraction >= 1 else 1.0)
    value = sums.size_bytes / sample.size_bytes
    if fraction >= 1 or sample.files < 2:
        return Share(value, value, value) if fraction >= 1 else Share(value, 0.0, 1.0)
    squares = sums.squares * (1 - value) ** 2 + (sample.squares - sums.squares) * value**2
    mean_bytes = sample.size_bytes / sample.files
    error = sqrt((1 - fraction) / sample.files * squares / (sample.files - 1)) / mean_bytes
    return Share(value, max(0.0, value - _Z * error), min(1.0, value + _Z * error))


def extensions(tally: Tally) -> Sequence[Extension]:
    """The most frequent first."""
    found = []
    by_extension: dict[str, dict[str, int]] = defaultdict(dict)
    for (name, content), sums in tally.content.items():
        by_extension[name][content] = sums.files
    for name, seen in tally.seen.items():
        contents = by_extension[name]
        named = EXTENSIONS.get(name, ())
        others = {content: files for content, files in contents.items() if content not in named}
        most = max(others, key=lambda content: (others[content], content)) if others else ""
        matching = sum(files for content, files in contents.items() if content in named) if named else None
        found.append(Extension(name, seen.files, sum(contents.values()), matching, most))
    return sorted(found, key=lambda one: (-one.files, one.name))
