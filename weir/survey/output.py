"""The result of a scan: text for people, JSON and CSV for programs, and a bar chart. Shares of files and of
volume by format are those of all files, estimated from the sampled ones, with 95 % intervals.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from typing import Any

from weir.base.files import csv_lines
from weir.base.units import about_size, format_size, percent
from weir.report.drawing import BAD, GOOD, box, line, svg, text
from weir.survey.tally import EXTENSIONS, SIZES, FormatTally, Sums

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


def formats(tally: FormatTally) -> list[Format]:
    """The largest volume first."""
    by_name: dict[str, Sums] = {}
    sample = Sums()
    for (_, name), sums in tally.content.items():
        by_name.setdefault(name, Sums()).add(sums)
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


def share_of_files(count: float, sampled: float, fraction: float) -> Share:
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
    if sums.size_bytes == sample.size_bytes:  # files of other formats may be unseen
        as_many = sample.size_bytes**2 / sample.squares  # files of one size tell as much
        return share_of_files(as_many, as_many, fraction)
    squares = sums.squares * (1 - value) ** 2 + (sample.squares - sums.squares) * value**2
    mean_bytes = sample.size_bytes / sample.files
    error = sqrt((1 - fraction) / sample.files * squares / (sample.files - 1)) / mean_bytes
    return Share(value, max(0.0, value - _Z * error), min(1.0, value + _Z * error))


def extensions(tally: FormatTally) -> Sequence[Extension]:
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


_EXTENSIONS_SHOWN = 12
_FIRST = 3  # formats in the first line
_NAME, _BAR, _SHARES, _ROW = 150, 440, 110, 24  # widths, and a height


def lines(tally: FormatTally, share: float, elapsed_s: float, operations: int) -> Iterator[str]:
    found = formats(tally)
    sampled = sum(one.files for one in found)
    most = sorted(found, key=lambda one: -one.of_volume.value)[:_FIRST]
    of_volume = ", ".join(f"{one.name} {percent(one.of_volume.value)}%" for one in most)
    where = f"{_counted(tally.files, 'file')} in {_counted(tally.directories, 'directory')}"
    whole = f"{where}, {about_size(tally.size_bytes)}"
    yield f"{whole}: {of_volume} of the volume" if most else whole
    yield f"{_counted(sampled, 'file')} recognised by content ({percent(share)}% chosen)"
    yield f"{_counted(operations, 'operation')} in {elapsed_s:.1f} s"
    yield ""
    yield f"  {'content':<22}{'sampled':>9}  {'share of files':<27}{'share of volume'}"
    for one in found:
        yield f"  {one.name:<22}{one.files:>9,}  {_share(one.of_files):<27}{_share(one.of_volume)}"
    yield ""
    yield f"  {'extension':<22}{'files':>9}  {'contain what it names':<22}{'most frequent other content'}"
    for extension in extensions(tally)[:_EXTENSIONS_SHOWN]:
        yield _extension_line(extension)
    yield ""
    yield "  sizes: " + ", ".join(f"{count:,} {name}" for name, count in _sizes(tally))
    for reason, count in sorted(tally.skipped.items()):
        yield f"  skipped: {count:,} {reason}"
    if share < 1:
        yield "  in brackets: 95 % interval of the share among all files"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what if count == 1 else f'{what[:-1]}ies' if what.endswith('y') else f'{what}s'}"


def _extension_line(one: Extension) -> str:
    matching = "names no format" if one.matching is None else f"{one.matching:,} of {one.sampled:,}"
    return f"  {one.name or '(none)':<22}{one.files:>9,}  {matching:<22}{one.otherwise}".rstrip()


def _share(share: Share) -> str:
    value = f"{percent(share.value, 2)}%"
    low, high = (percent(end, 1) for end in (share.low, share.high))
    return value if share.low == share.high else f"{value} ({low}%-{high}%)"


def _sizes(tally: FormatTally) -> Sequence[tuple[str, int]]:
    ranges = [f"below {format_size(SIZES[0])}"]
    ranges += [f"{format_size(low)} to {format_size(high)}" for low, high in pairwise(SIZES)]
    ranges.append(f"from {format_size(SIZES[-1])} on")
    return [(word, tally.sizes[index]) for index, word in enumerate(ranges)]


def facts(tally: FormatTally, share: float, elapsed_s: float, operations: int) -> dict[str, Any]:
    return {
        "files": tally.files,
        "directories": tally.directories,
        "bytes": tally.size_bytes,
        "share": share,
        "elapsed_s": elapsed_s,
        "operations": operations,
        "formats": [
            {
                "format": one.name,
                "sampled_files": one.files,
                "sampled_bytes": one.size_bytes,
                "share_of_files": vars(one.of_files),
                "share_of_volume": vars(one.of_volume),
            }
            for one in formats(tally)
        ],
        "extensions": [vars(one) for one in extensions(tally)],
        "sizes": dict(_sizes(tally)),
        "skipped": dict(sorted(tally.skipped.items())),
    }


def table(tally: FormatTally) -> str:
    columns = [f"{what}{end}" for what in ("share_of_files", "share_of_volume") for end in ("", "_lo", "_hi")]
    rows: list[list[object]] = [["format", "sampled_files", "sampled_bytes", *columns]]
    for one in formats(tally):
        shares = [value for share in (one.of_files, one.of_volume) for value in vars(share).values()]
        rows.append([one.name, one.files, one.size_bytes, *(f"{value:.6g}" for value in shares)])
    return csv_lines(rows)


def chart(tally: FormatTally) -> str:
    """Two bars for each format, with intervals: share of the files above, share of the volume below."""
    found = formats(tally)
    width, height = _NAME + _BAR + _SHARES, _ROW * len(found) + 2 * _ROW
    parts = [box(0, 0, width, height, "white")]
    for row, one in enumerate(found):
        parts += _bars((row + 0.5) * _ROW, one)
    key = "upper bar: share of files; lower bar: share of volume; lines: 95 % interval"
    parts.append(text(_NAME, height - _ROW / 2, key))
    return svg(width, height, "File formats by content", parts) + "\n"


def _bars(top: float, one: Format) -> Iterator[str]:
    yield text(_NAME - 8, top + 12, one.name, "end")
    for offset, share, color in ((0, one.of_files, "#7a9cc6"), (9, one.of_volume, GOOD)):
        low, width, high = (_BAR * value for value in (share.low, share.value, share.high))
        yield box(_NAME, top + offset, width, 8, color)
        if share.low < share.high:
            yield line(_NAME + low, top + offset + 4, _NAME + high, top + offset + 4, BAD, 1.5)
    shares = [f"{percent(share.value, 1)}%" for share in (one.of_files, one.of_volume)]
    yield text(_NAME + _BAR + 8, top + 12, " / ".join(shares))
