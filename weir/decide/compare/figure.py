"""A comparison as a table: of each pair a dot and an interval on a logarithmic axis, the ratio, what
decides."""

import html
from collections.abc import Sequence
from pathlib import Path

from weir.base.errors import InputError
from weir.base.files import reading, write_atomically
from weir.base.units import ratio_text
from weir.collect.metrics import Metric
from weir.decide.compare.output import (
    headline,
    interval_text,
    is_too_wide,
    notes_of,
    sorted_for_reading,
    why_undecided,
)
from weir.decide.compare.verdict import FASTER, SAME, SLOWER, UNDECIDED, JudgedPair
from weir.report import drawing
from weir.report.drawing import BAD, GOOD, INK, NEUTRAL, PALE

BEGIN, END = "<!-- comparison -->", "<!-- end of comparison -->"
_COLORS = {SLOWER: BAD, FASTER: GOOD, SAME: INK}
_CLASSES = {SLOWER: "INVALID", FASTER: "VALID"}
_WIDTH, _ROW, _AXIS = 320.0, 22.0, 16.0


def fragment(
    names: tuple[str, str],
    judged: Sequence[JudgedPair],
    margin: float,
    metric: Metric,
    confirmation: Sequence[str] = (),
) -> str:
    """A section for any HTML page."""
    better = "right" if metric.higher_is_better else "left"
    return "\n".join(
        [
            '<section id="comparison">',
            f"<h2>B: {html.escape(names[1])}<br>against A: {html.escape(names[0])}</h2>",
            f"<p><strong>{html.escape(headline(judged, margin))}</strong></p>",
            f'<p class="small">Ratio of {metric.name}, B over A, with its 95 % interval; '
            f"B is faster to the {better}. "
            f"Blue: faster, red: slower, black: no difference within ±{100 * margin:.3g}% (the grey band), "
            "hollow: undecided. At most 5 % of the verdicts are expected to be false."
            + (" †: with UNPROVEN records.</p>" if any(one.unproven for one in judged) else "</p>"),
            table(judged, margin),
            *(f"<p>{html.escape(note)}</p>" for note in notes_of(judged)),
            *_list(confirmation),
            "</section>",
        ]
    )


def _list(lines: Sequence[str]) -> list[str]:
    """A headline and its lines."""
    if not lines:
        return []
    items = "".join(f"<li>{html.escape(line.strip())}</li>" for line in lines[1:])
    return [f"<p><strong>{html.escape(lines[0])}</strong></p>", f"<ul>{items}</ul>"]


def write_into(report: Path, section: str) -> None:
    """Append the section to a report, or replace an earlier one."""
    with reading(report):
        text = report.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    if begin:
        text = before + rest.partition(END)[2]
    for mark in ("</main>", "</body>", "</html>"):
        head, found, tail = text.rpartition(mark)
        if found:
            write_atomically(report, f"{head}{BEGIN}{section}{END}{mark}{tail}")
            return
    raise InputError("is not an HTML page", file=report, hint="name report.html of a study")


def table(judged: Sequence[JudgedPair], margin: float) -> str:
    """A row for each pair; those without an interval have the reason."""
    rows = sorted_for_reading(judged)
    labels, shared = _short([one.pair.label for one in rows])
    estimates = [one.estimate for one in rows if one.estimate is not None]
    # An interval that tells nothing would leave no room for the others: it ends where they do.
    narrow = [one.estimate for one in rows if one.estimate is not None and not is_too_wide(one)]
    values = [one.ratio() for one in estimates] + [end for one in narrow for end in one.interval()]
    x = drawing.scale_of([1 / (1 + margin), 1 + margin, *values], 0, _WIDTH)
    parts = [f'<p class="small">Each: {html.escape(shared)}</p>'] if shared else []
    parts.append('<table class="listed">')
    if estimates:
        parts.append(f'<tr><td></td><td class="drawn">{_axis(x)}</td><td></td><td></td></tr>')
    parts += [_row(label, one, x, margin) for label, one in zip(labels, rows, strict=True)]
    return "\n".join([*parts, "</table>"])


def _short(labels: Sequence[str]) -> tuple[list[str], str]:
    """Labels without the parts with which all of them end, and these parts."""
    parts = [label.split() for label in labels]
    shared = 0
    while len(parts) > 1 and all(len(one) > shared + 1 for one in parts):
        if len({one[-1 - shared] for one in parts}) > 1:
            break
        shared += 1
    kept = [" ".join(one[: len(one) - shared]) for one in parts]
    return kept, " ".join(parts[0][len(parts[0]) - shared :]) if parts else ""


def _row(label: str, one: JudgedPair, x: drawing.LogScale, margin: float) -> str:
    name = html.escape(f"{one.pair.access} {label}" + (" †" if one.unproven else ""))
    verdict = f'<b class="{_CLASSES.get(one.verdict, "second")}">{html.escape(one.verdict)}</b>'
    if one.estimate is None:
        reason = html.escape("; ".join([why_undecided(one), *one.notes]))
        ratio = "–" if one.ratio is None else f"×{ratio_text(one.ratio)}"
        return f'<tr><td>{name}</td><td></td><td class="number">{ratio}</td><td>{verdict}: {reason}</td></tr>'
    low, high = one.estimate.interval()
    if is_too_wide(one):
        low, high = max(low, x.low), min(high, x.high)  # the line ends with the drawing
    verdict += f": {html.escape(why_undecided(one))}" if one.verdict == UNDECIDED else ""
    numbers = f"×{ratio_text(one.estimate.ratio())} [{interval_text(one)}]"
    drawn = _drawn(one.verdict, (low, one.estimate.ratio(), high), x, margin)
    shown = f'<td class="drawn">{drawn}</td><td class="number">{numbers}</td>'
    return f"<tr><td>{name}</td>{shown}<td>{verdict}</td></tr>"


def _drawn(verdict: str, ends: tuple[float, float, float], x: drawing.LogScale, margin: float) -> str:
    color, y = _COLORS.get(verdict, NEUTRAL), _ROW / 2
    left, right = x.at(1 / (1 + margin)), x.at(1 + margin)
    parts = [drawing.box(left, 0, right - left, _ROW, PALE)]
    parts += [drawing.line(x.at(tick), 0, x.at(tick), _ROW, PALE) for tick in x.ticks()]
    parts.append(drawing.line(x.at(1), 0, x.at(1), _ROW, INK))
    parts.append(drawing.line(x.at(ends[0]), y, x.at(ends[2]), y, color, 2))
    parts.append(drawing.dot(x.at(ends[1]), y, color, hollow=verdict not in _COLORS))
    low, middle, high = map(ratio_text, ends)
    return drawing.svg(_WIDTH, _ROW, f"ratio {middle}, interval {low} to {high}", parts)


def _axis(x: drawing.LogScale) -> str:
    parts = [drawing.text(x.at(tick), _AXIS - 4, f"×{tick:g}", "middle", 11) for tick in x.ticks()]
    return drawing.svg(_WIDTH, _AXIS, "ratios", parts)
