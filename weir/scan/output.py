"""The result of a scan: text for people, JSON and CSV for programs, and a bar chart."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from html import escape
from itertools import pairwise
from typing import Any

from weir.scan.estimate import Extension, Format, Share, extensions, formats
from weir.scan.tally import SIZES, Tally
from weir.units import format_size

_EXTENSIONS_SHOWN = 12
_BAR_MM, _ROW_MM, _NAME_MM = 110, 6, 38


def lines(tally: Tally, share: float, elapsed_s: float, operations: int) -> Iterator[str]:
    found = formats(tally)
    sampled = sum(one.files for one in found)
    yield f"{tally.files:,} files in {tally.directories:,} directories, {format_bytes(tally.size_bytes)}"
    yield f"{sampled:,} files recognised by content ({share:.0%} chosen)"
    yield f"{operations:,} operations in {elapsed_s:.1f} s"
    yield ""
    yield f"  {'content':<22}{'sampled':>9}  {'share of files':<22}{'share of volume'}"
    for one in found:
        yield f"  {one.name:<22}{one.files:>9,}  {_share(one.of_files):<22}{_share(one.of_volume)}"
    yield ""
    yield f"  {'extension':<22}{'files':>9}  {'contain what it names':<22}{'most frequent other content'}"
    for extension in extensions(tally)[:_EXTENSIONS_SHOWN]:
        yield _extension_line(extension)
    yield ""
    yield "  sizes: " + ", ".join(f"{count:,} {words}" for words, count in _sizes(tally))
    for reason, count in sorted(tally.skipped.items()):
        yield f"  skipped: {count:,} {reason}"
    if share < 1:
        yield "  in brackets: 95 % interval of the share among all files"


def _extension_line(one: Extension) -> str:
    matching = "names no format" if one.matching is None else f"{one.matching:,} of {one.sampled:,}"
    return f"  {one.name or '(none)':<22}{one.files:>9,}  {matching:<22}{one.otherwise}".rstrip()


def _share(share: Share) -> str:
    value = f"{share.value:.2%}"
    return value if share.low == share.high else f"{value} ({share.low:.1%}-{share.high:.1%})"


def _sizes(tally: Tally) -> Sequence[tuple[str, int]]:
    words = [f"below {format_size(SIZES[0])}"]
    words += [f"{format_size(low)} to {format_size(high)}" for low, high in pairwise(SIZES)]
    words.append(f"from {format_size(SIZES[-1])} on")
    return [(word, tally.sizes[index]) for index, word in enumerate(words)]


def format_bytes(size_bytes: int) -> str:
    amount, units = float(size_bytes), ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
    while amount >= 1024 and len(units) > 1:
        amount, units = amount / 1024, units[1:]
    return f"{amount:.3g} {units[0]}" if amount < 1000 else f"{amount:,.0f} {units[0]}"


def facts(tally: Tally, share: float, elapsed_s: float, operations: int) -> dict[str, Any]:
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


def table(tally: Tally) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    columns = [f"{what}{end}" for what in ("share_of_files", "share_of_volume") for end in ("", "_lo", "_hi")]
    writer.writerow(["format", "sampled_files", "sampled_bytes", *columns])
    for one in formats(tally):
        shares = [value for share in (one.of_files, one.of_volume) for value in vars(share).values()]
        writer.writerow([one.name, one.files, one.size_bytes, *(f"{value:.6g}" for value in shares)])
    return out.getvalue()


def chart(tally: Tally) -> str:
    """Two bars for each format, with intervals: share of the files above, share of the volume below."""
    found = formats(tally)
    height = _ROW_MM * len(found) + 14
    body = [part for row, one in enumerate(found) for part in _bars(row, one)]
    key = (
        f'<text x="{_NAME_MM}" y="{height - 3}">upper bar: share of files; lower bar: share of volume; '
        "lines: 95 % interval</text>"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_NAME_MM + _BAR_MM + 24} {height}" '
        f'width="{_NAME_MM + _BAR_MM + 24}mm" height="{height}mm" font-family="sans-serif" font-size="3">'
        f'<rect width="100%" height="100%" fill="white"/>{"".join(body)}{key}</svg>\n'
    )


def _bars(row: int, one: Format) -> Iterator[str]:
    top = 4 + row * _ROW_MM
    yield f'<text x="{_NAME_MM - 2}" y="{top + 3}" text-anchor="end">{escape(one.name)}</text>'
    for offset, share, colour in ((0.0, one.of_files, "#7a9cc6"), (2.2, one.of_volume, "#1f3d66")):
        low, width, high = (_BAR_MM * value for value in (share.low, share.value, share.high))
        middle = top + offset + 1
        yield f'<rect x="{_NAME_MM}" y="{top + offset}" width="{width:.2f}" height="2" fill="{colour}"/>'
        if share.low < share.high:
            yield (
                f'<line x1="{_NAME_MM + low:.2f}" x2="{_NAME_MM + high:.2f}" y1="{middle}" y2="{middle}" '
                'stroke="#b00020" stroke-width="0.4"/>'
            )
    words = f"{one.of_files.value:.1%} / {one.of_volume.value:.1%}"
    yield f'<text x="{_NAME_MM + _BAR_MM + 2}" y="{top + 3}">{words}</text>'
