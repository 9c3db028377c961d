"""A comparison as a figure: a dot and an interval for each pair, the ratio on a logarithmic axis.

`fragment` is a section for any HTML page, `page` a page of its own.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path

from weir import drawing
from weir.compare.output import headline, sorted_for_reading
from weir.compare.verdict import FASTER, SAME, SLOWER, Judged
from weir.drawing import BAD, GOOD, INK, NEUTRAL, PALE
from weir.errors import WeirError
from weir.files import write_atomically
from weir.metrics import Metric

BEGIN, END = "<!-- comparison -->", "<!-- end of comparison -->"
_COLORS = {SLOWER: BAD, FASTER: GOOD, SAME: INK}
_WIDTH, _LABELS, _NUMBERS, _ROW, _TOP, _BOTTOM = 1000.0, 415.0, 190.0, 22.0, 24.0, 34.0
_MOST_LETTERS = 66


def fragment(
    names: tuple[str, str],
    judged: Sequence[Judged],
    margin: float,
    metric: Metric,
    confirmation: Sequence[str] = (),
) -> str:
    better = "right" if metric.higher_is_better else "left"
    return "\n".join(
        [
            '<section id="comparison">',
            f"<h2>{html.escape(names[1])} against {html.escape(names[0])}</h2>",
            f"<p><strong>{html.escape(headline(judged, margin))}</strong></p>",
            chart(judged, margin),
            f"<p>Ratio of {metric.name}, second over first, with its 95 % interval; "
            f"the second is faster to the {better}. "
            f"Blue: faster, red: slower, black: no difference within ±{margin:.0%} (the grey band), "
            "hollow: undecided. "
            "At most 5 % of the verdicts are expected to be false."
            + (" †: with UNPROVEN records.</p>" if any(one.unproven for one in judged) else "</p>"),
            *_list(confirmation),
            "</section>",
        ]
    )


def page(
    names: tuple[str, str],
    judged: Sequence[Judged],
    margin: float,
    metric: Metric,
    confirmation: Sequence[str] = (),
) -> str:
    return drawing.page("Comparison", [fragment(names, judged, margin, metric, confirmation)])


def _list(lines: Sequence[str]) -> list[str]:
    """A headline and its lines."""
    if not lines:
        return []
    items = "".join(f"<li>{html.escape(line.strip())}</li>" for line in lines[1:])
    return [f"<p><strong>{html.escape(lines[0])}</strong></p>", f"<ul>{items}</ul>"]


def write_into(report: Path, section: str) -> None:
    """Append the section to a report, or replace an earlier one."""
    try:
        text = report.read_text(encoding="utf-8")
    except OSError as error:
        raise WeirError(f"cannot be read: {error.strerror}", file=str(report), exit_code=2) from None
    before, begin, rest = text.partition(BEGIN)
    if begin:
        text = before + rest.partition(END)[2]
    for mark in ("</main>", "</body>", "</html>"):
        head, found, tail = text.rpartition(mark)
        if found:
            write_atomically(report, f"{head}{BEGIN}{section}{END}{mark}{tail}")
            return
    raise WeirError("is not an HTML page", file=str(report), hint="name report.html of a study", exit_code=2)


def chart(judged: Sequence[Judged], margin: float) -> str:
    rows = [one for one in sorted_for_reading(judged) if one.estimate is not None]
    values = [1 / (1 + margin), 1 + margin]
    for one in rows:
        assert one.estimate is not None
        values += [*one.estimate.interval(), one.estimate.ratio()]
    x = drawing.scale_of(values, _LABELS, _WIDTH - _NUMBERS)
    bottom = _TOP + _ROW * len(rows)
    left = x.at(1 / (1 + margin))
    parts = [drawing.box(left, _TOP, x.at(1 + margin) - left, bottom - _TOP, "#eeeeee")]
    for tick in x.ticks():
        parts.append(drawing.line(x.at(tick), _TOP, x.at(tick), bottom, PALE))
        parts.append(drawing.text(x.at(tick), bottom + 16, f"×{tick:g}", "middle", 11))
    parts.append(drawing.line(x.at(1), _TOP, x.at(1), bottom, INK))
    for number, one in enumerate(rows):
        parts += _row(one, _TOP + _ROW * (number + 0.5), x)
    return drawing.svg(_WIDTH, bottom + _BOTTOM, "ratio of each pair with its interval", parts)


def _row(one: Judged, y: float, x: drawing.LogScale) -> list[str]:
    assert one.estimate is not None
    low, high = one.estimate.interval()
    ratio, color = one.estimate.ratio(), _COLORS.get(one.verdict, NEUTRAL)
    label = f"{one.pair.access} {one.pair.label}"
    if len(label) > _MOST_LETTERS:
        label = label[: _MOST_LETTERS - 1] + "…"
    label += " †" if one.unproven else ""
    numbers = f"×{ratio:.3f} [{low:.3f}–{high:.3f}]"
    return [
        drawing.text(0, y + 4, label, size=11.5),
        drawing.line(x.at(low), y, x.at(high), y, color, 2),
        drawing.dot(x.at(ratio), y, color, hollow=one.verdict not in _COLORS),
        drawing.text(_WIDTH, y + 4, numbers, "end", 11.5, color),
    ]
