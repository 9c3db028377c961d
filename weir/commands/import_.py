"""weir import: third-party measurements as audited records, so that figures work on them too."""

import argparse
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from weir.base.errors import InputError
from weir.base.files import as_json, csv_lines, printable
from weir.base.options import Parser
from weir.base.units import counted, few
from weir.collect.imported_files import Facts, Found, files_below, imported_before, is_refused, read_facts
from weir.collect.importing import Imported, nothing_found
from weir.collect.intervals import INTERVALS_FILE, write_intervals
from weir.collect.study_facts import archive_facts
from weir.collect.table import LATENCIES_FILE, is_table_of_records, write_excluded, write_records, write_whole
from weir.collect.tally import describe, summarise
from weir.decide.io500.imported import Scored, import_all, scored_facts, scored_lines, scored_table
from weir.records.columns import columns
from weir.report.logs import logs_page
from weir.report.page import write_page
from weir.runs.manifest import MANIFEST, write_manifest

NAME = "import"
GROUP = "prove"
HELP = "turn logs of benchmark programs, IO500 results or tables of measurements into audited records"
EXAMPLE = (
    "weir import reference/ddn-lustre-2018.csv --facts reference/ddn-lustre-2018.yaml --out build/records.csv"
)
EXIT_1 = "a log was refused: it is damaged, cut, or in a form that is not read"
_MOST_NAMES = 10
_EXCLUDED_FILE = "excluded.csv"
_SCORES_FILE = "io500.csv"
_FACTS_FILE = "facts.json"
_PAGE_FILE = "logs.html"
_TABLES = (_EXCLUDED_FILE, LATENCIES_FILE, INTERVALS_FILE, _SCORES_FILE)
_BESIDE = (_PAGE_FILE, *_TABLES, _FACTS_FILE, MANIFEST)


def add_arguments(parser: Parser) -> None:
    parser.path(
        "files",
        "PATH",
        "output of a benchmark program (tables, JSON, CSV), a table of records, or a directory: "
        "everything below it is recognised by content, IO500 results included",
        nargs="+",
    )
    parser.path("--facts", "FILE", "YAML with what the files do not say")
    parser.path(
        "--out",
        "FILE",
        "default %(default)s; excluded.csv, latencies.csv, intervals.csv, facts.json and, of IO500 "
        "results, io500.csv go beside it",
        default=Path("imported/records.csv"),
    )
    parser.flag(
        "--page",
        f"write {_PAGE_FILE} beside it, for a browser: what each log proves, best and doubtful results, "
        "how to log the next time",
    )
    parser.flag("--json", "print the summary as JSON")


def execute(args: argparse.Namespace) -> int:
    facts = read_facts(args.facts) if args.facts else Facts()
    _require_free(args.out)
    found = files_below(args.files)
    if args.out.resolve() in {file.resolve() for file, is_found in found.files if not is_found}:
        hint = "name another file by --out"
        raise InputError("is both read and written", file=args.out, key="--out", hint=hint)
    # An earlier import that was killed left a table without the files beside it.
    files = [one for one in found.files if one[0].resolve() != args.out.resolve()]
    imported, scored = import_all(files, facts)
    imported.errors.extend(found.errors)
    if not imported.rows:
        raise nothing_found(imported, found.derived, args.files)
    write_records(args.out, imported.rows)
    write_excluded(args.out.with_name(_EXCLUDED_FILE), ())
    write_whole(args.out.with_name(LATENCIES_FILE), csv_lines([columns("latency")]))
    write_intervals(args.out)
    if scored:
        write_whole(args.out.with_name(_SCORES_FILE), scored_table(scored))
    digest = write_manifest(args.out.parent, args.out.name)
    given = len(found.files) + len(found.errors)
    without = len(imported.without_results) + len(imported.errors)
    read = {"files": given, "read": max(given - without, 0), "refused": imported.refused}
    about = archive_facts(facts.about, imported.rows, read) | {"digest": digest}
    write_whole(args.out.with_name(_FACTS_FILE), as_json(about) + "\n")
    summary = summarise(imported.rows, args.out) | _what_was_read(found, imported, scored)
    summary["read"] = read
    page = args.out.with_name(_PAGE_FILE)
    if args.page:
        summary["page"] = str(page)
        unread = [*_unread(imported.without_results), *map(str, imported.errors)]
        write_page(page, logs_page(imported.rows, about, args.out, unread))
    else:
        page.unlink(missing_ok=True)  # of an earlier import, of other logs
    print(as_json(summary) if args.json else "\n".join(_lines(summary, imported, scored)))
    return 1 if imported.refused else 0


def _require_free(out: Path) -> None:
    """Refuses to overwrite any file but those of an earlier import of this table: no other output, no log, no
    study."""
    if out.name in _BESIDE:
        message, hint = "is the name of another output of the import", "name the table records.csv"
        raise InputError(message, file=out, key="--out", hint=hint)
    mine = imported_before(out.parent)
    others = sorted(name for name in mine - {out.name, *_BESIDE} if out.with_name(name).exists())
    if others:
        message = f"{others[0]} is there, whose facts, checksums and page this import would replace"
        hint = f"write each import into a directory of its own, such as --out {out.stem}/records.csv"
        raise InputError(message, file=out.parent, key="--out", hint=hint)
    for file in (out, *map(out.with_name, _BESIDE)):
        is_mine = file.name in mine or (file == out and is_table_of_records(file))
        if os.path.lexists(file) and not is_mine:
            message = "exists, and no import wrote it"
            hint = "name a file in another directory by --out, or move this one away"
            raise InputError(message, file=file, key="--out", hint=hint)


def _what_was_read(found: Found, imported: Imported, scored: list[Scored]) -> dict[str, Any]:
    return {
        "files": len(found.files),
        "files_by_tool": _files_by_tool(imported),
        "files_without_results": [printable(file) for file in imported.without_results],
        "files_by_kind": dict(Counter(filter(None, imported.without_results.values())).most_common()),
        "files_of_earlier_imports": [printable(file) for file in found.derived],
        "files_with_errors": [str(error) for error in imported.errors],
        "copies": [
            {"file": file, "copy_of": other, "results": count}
            for (file, other), count in imported.copies.items()
        ],
        "io500": [scored_facts(one) for one in scored],
    }


def _files_by_tool(imported: Imported) -> dict[str, int]:
    files = {(row["tool"] or "table", row["source"]) for row in imported.rows}
    return dict(sorted(Counter(tool for tool, _ in files).items()))


def _lines(summary: dict[str, Any], imported: Imported, scored: list[Scored]) -> Iterator[str]:
    yield describe(summary)
    by_tool = ", ".join(f"{count} of {tool}" for tool, count in summary["files_by_tool"].items())
    yield f"read {counted(summary['files'], 'file')}; with records: {by_tool}"
    yield from scored_lines(scored)
    yield from (f"  refused: {error}" for error in imported.errors)
    yield from _unread(imported.without_results)
    if earlier := summary["files_of_earlier_imports"]:
        many = f"{counted(len(earlier), 'file')} not read, such as {earlier[0]}"
        yield f"  output of an earlier import or of a study: {many}"
    yield from _copies(imported.copies)
    if summary["missing"]:
        yield f"  what is missing, and how to have it: weir audit {summary['out']}"
    if page := summary.get("page"):
        yield f"page: {page}"


def _copies(copies: Mapping[tuple[str, str], int]) -> Iterator[str]:
    lines = [
        f"  counted once: {counted(count, 'result')} of {file}, as in {other}"
        for (file, other), count in copies.items()
    ]
    yield from few(lines, _MOST_NAMES, "  and {} more files with results that another has (--json names all)")


def _unread(without_results: Mapping[Path, str]) -> Iterator[str]:
    """A line for each kind of file, refused logs first; each file whose kind is not known."""
    by_kind: dict[str, list[Path]] = {}
    for file, kind in without_results.items():
        by_kind.setdefault(kind, []).append(file)
    unknown = by_kind.pop("", [])
    for kind, files in sorted(by_kind.items(), key=lambda one: (not is_refused(one[0]), -len(one[1]))):
        if is_refused(kind):  # whoever sent them wants to know which
            refused = [f"  refused: {kind}: not read: {printable(file)}" for file in files]
            yield from few(refused, _MOST_NAMES, "  refused: and {} more of these (--json names all)")
        else:
            many = f"{len(files):,} files not read, such as " if len(files) > 1 else "not read: "
            yield f"  {kind}: {many}{printable(files[0])}"
    nothing = [f"  no results in {printable(file)}" for file in unknown]
    yield from few(nothing, _MOST_NAMES, "  and in {} more files (--json names all)")
