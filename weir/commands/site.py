"""weir site: all studies of a site on one static page."""

import argparse
import html
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from weir.audit.judge import USABLE
from weir.base.errors import InputError
from weir.base.files import as_json, damage_named, write_atomically
from weir.base.options import Parser
from weir.base.plugins import load
from weir.base.units import three_digits
from weir.commands.show import read_page
from weir.records.columns import verdict_texts
from weir.report import drawing
from weir.report.page import DRAW_AGAIN, PAGE_FILE
from weir.report.text import NUMBER_AND_UNIT, proven

NAME = "site"
GROUP = "publish"
HELP = "write one static page about all studies of a site, with links to their reports"
EXAMPLE = "weir site results/lab"
INDEX_FILE = "index.html"

_MOST_ADVICE = 3


@dataclass(frozen=True)
class Row:
    """A target and access over all studies of the site; each point is a cell's median."""

    target: str
    emulated: bool
    access: str
    best: Mapping[str, Any]
    worst: Mapping[str, Any]
    median_mib_s: float
    points: int


def add_arguments(parser: Parser) -> None:
    parser.path("site", "DIR", "folder of the site, results/<site>")
    parser.path("--out", "FILE", f"page to write (default: {INDEX_FILE} in that directory)")
    parser.path("--history", "HISTORY", "folder of campaigns: adds a page for each target")
    parser.flag("--json", "print what the page shows as JSON")


def execute(args: argparse.Namespace) -> int:
    studies = studies_of(args.site)
    with damage_named(args.site / f"*/{PAGE_FILE}", DRAW_AGAIN):
        return _written(args, studies)


def _written(args: argparse.Namespace, studies: dict[str, dict[str, Any]]) -> int:
    rows = site_rows(studies)
    if args.json:
        print(as_json([vars(row) for row in rows]))
        return 0
    out = args.out or args.site / INDEX_FILE
    histories: Sequence[Sequence[str]] = ()
    if args.history:
        linked = {row.target: _studies_of(row.target, studies) for row in rows}
        cells = {
            (one["cell"], one["access"]): _link_cell(name, one)
            for name, facts in studies.items()
            for one in facts["points"]
        }
        pages = load("weir.decide.history.figure", "statistics")
        histories = pages.write_pages(args.history, out.parent, linked, cells)
    write_atomically(out, page(args.site.resolve().name, studies, rows, histories))
    print(f"{_studies(studies)}: {out}")
    return 0


def studies_of(site: Path) -> dict[str, dict[str, Any]]:
    """The facts of each study that was drawn, by the name of its folder."""
    found = {file.parent.name: read_page(file) for file in sorted(site.glob(f"*/{PAGE_FILE}"))}
    if not found:
        raise InputError(
            f"has no study with a {PAGE_FILE}",
            file=site,
            hint="measure and draw one first: make report SITE=...",
        )
    return found


def _studies_of(target: str, studies: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Links to those with points of the target."""
    return [
        _link(name) for name, facts in studies.items() if target in {one["target"] for one in facts["points"]}
    ]


def site_rows(studies: Mapping[str, Mapping[str, Any]]) -> list[Row]:
    """Real storage first; writes before reads."""
    points = [
        {**point, "study": name}
        for name, facts in studies.items()
        for point in facts["points"]
        if point["n"] > 0
        and point["verdict"] in USABLE
        and point["median"] is not None
        and point["bandwidth"]
    ]
    keys = sorted(
        {(one["emulated"], one["target"], one["access"] != "write", one["access"]) for one in points}
    )
    return [
        _row([one for one in points if (one["target"], one["access"]) == (key[1], key[3])]) for key in keys
    ]


def _row(points: Sequence[Mapping[str, Any]]) -> Row:
    kept = ("study", "setting", "median", "lo", "hi", "n", "verdict", "cell", "access")
    ends = (max(points, key=lambda one: one["median"]), min(points, key=lambda one: one["median"]))
    best, worst = ({key: one.get(key) for key in kept} for one in ends)
    first = points[0]
    median = statistics.median(one["median"] for one in points)
    return Row(first["target"], first["emulated"], first["access"], best, worst, median, len(points))


def page(
    site: str,
    studies: Mapping[str, Mapping[str, Any]],
    rows: Iterable[Row],
    histories: Sequence[Sequence[str]] = (),
) -> str:
    """histories: target, file of its page, its verdicts in a sentence."""
    body = [
        f'<div class="second">{_studies(studies)} with reports; rates in MiB/s</div>',
        *_histories(histories),
        "<h2>Targets</h2>",
        _table(
            ("target", "access", "best", "reached with", "median", "worst", "cells"), map(_target_cells, rows)
        ),
        '<p class="small">Best and worst: medians of a cell; median: of all cells of the target.'
        " (E): emulated storage, which tests the method, not a product.</p>",
        "<h2>Studies</h2>",
        _table(("study", "measured", "question", "results", "advice"), _study_rows(studies)),
    ]
    return drawing.page(f"Storage of {site}", body)


def _histories(pages: Sequence[Sequence[str]]) -> list[str]:
    if not pages:
        return []
    rows = (
        (f'<b><a href="{_text(file)}">{_text(target)}</a></b>', _text(verdicts))
        for target, file, verdicts in pages
    )
    return ["<h2>History</h2>", _table(("target", "newest values against their bands"), rows)]


def _target_cells(row: Row) -> tuple[str, ...]:
    mark = " (E)" if row.emulated else ""
    return (
        f"<b>{_text(row.target)}</b>{mark}",
        f'<span class="{_text(row.access)}">{_text(row.access)}</span>',
        f"<b>{three_digits(row.best['median'])}</b> {_interval(row.best)}",
        _setting(row.best),
        three_digits(row.median_mib_s),
        f"{three_digits(row.worst['median'])}: {_setting(row.worst)}",
        str(row.points),
    )


def _setting(point: Mapping[str, Any]) -> str:
    """Number and unit on one line; the study that has it."""
    setting = NUMBER_AND_UNIT.sub("\u00a0", _text(point["setting"]))
    return f"{setting} ({_link_cell(point['study'], point)})"


def _link_cell(study: str, point: Mapping[str, Any]) -> str:
    """A link to the row of the cell on the first page of the study, which names the raw output."""
    return _link(study, f"#cell-{quote(point['cell'])}-{quote(point['access'])}")


def _interval(point: Mapping[str, Any]) -> str:
    if point["lo"] is None:
        return f"(n\u00a0=\u00a0{point['n']})"
    return f"[{three_digits(point['lo'])}–{three_digits(point['hi'])}]"


def _study_rows(studies: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    for name, facts in studies.items():
        counts = facts["verdicts"]["real"]
        some = {word: counts[name] for name, word in verdict_texts().items() if name != "VALID"}
        some["on a busy machine"] = facts["verdicts"].get("busy")
        others = [f"{count:,} {word}" for word, count in some.items() if count]
        shown = f"{counts['VALID']:,} of {sum(counts.values()):,} {proven(facts['verdicts'])}"
        advice = "<br>".join(_text(one["title"]) for one in facts["advice"][:_MOST_ADVICE])
        began = facts["study"]["began"][:10]
        yield (
            f"<b>{_link(name)}</b>",
            f'<span class="range">{_text(began or "unknown")}</span>',
            _text(facts["study"]["question"]),
            _text(", ".join([shown, *others])),
            advice or "no setting stands out",
        )


def _link(study: str, place: str = "") -> str:
    return f'<a href="{_text(study)}/report.html{place}">{_text(study)}</a>'


def _studies(studies: Mapping[str, object]) -> str:
    return f"{len(studies)} {'study' if len(studies) == 1 else 'studies'}"


def _table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in HTML. On a phone a row becomes a paragraph, in which each cell but the first two begins with
    its name."""
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    named = ["", "", *(f' data-name="{name}"' for name in names[2:])]
    body = "\n".join(
        "<tr>" + "".join(f"<td{name}>{cell}</td>" for name, cell in zip(named, row, strict=False)) + "</tr>"
        for row in rows
    )
    table = f"<thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody>"
    return f'<div class="scroll"><table class="listed">{table}</table></div>'


def _text(value: object) -> str:
    return html.escape(str(value))
