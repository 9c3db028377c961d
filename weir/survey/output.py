"""The result of a scan: text for people, JSON and CSV for programs, and a bar chart."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from weir.base.units import about_size, format_size
from weir.report.drawing import BAD, GOOD, box, line, svg, text
from weir.survey.estimate import Extension, Format, Share, extensions, formats
from weir.survey.tally import SIZES, Tally

_EXTENSIONS_SHOWN = 12
_FIRST = 3  # formats in the first line
_NAME, _BAR, _SHARES, _ROW = 150, 440, 110, 24  # widths, and a height


def lines(tally: Tally, share: float, elapsed_s: float, operations: int) -> Iterator[str]:
    found = formats(tally)
    sampled = sum(one.files for one in found)
    most = sorted(found, key=lambda one: -one.of_volume.value)[:_FIRST]
    of_volume = ", ".join(f"{one.name} {one.of_volume.value:.0%}" for one in most)
    where = f"{_counted(tally.files, 'file')} in {_counted(tally.directories, 'directory')}"
    whole = f"{where}, {about_size(tally.size_bytes)}"
    yield f"{whole}: {of_volume} of the volume" if most else whole
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
    value = f"{share.value:.2%}"
    return value if share.low == share.high else f"{value} ({share.low:.1%}-{share.high:.1%})"


def _sizes(tally: Tally) -> Sequence[tuple[str, int]]:
    ranges = [f"below {format_size(SIZES[0])}"]
    ranges += [f"{format_size(low)} to {format_size(high)}" for low, high in pairwise(SIZES)]
    ranges.append(f"from {format_size(SIZES[-1])} on")
    return [(word, tally.sizes[index]) for index, word in enumerate(ranges)]


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
    yield text(_NAME + _BAR + 8, top + 12, f"{one.of_files.value:.1%} / {one.of_volume.value:.1%}")
