"""weir import: third-party measurements as audited records, so that figures work on them too."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from weir.integrity.manifest import MANIFEST, write_manifest
from weir.io500.imported import Scored, import_all, scored_facts, scored_lines, scored_table
from weir.records.excluded import write_excluded
from weir.records.facts import Facts, read_facts
from weir.records.found import files_below
from weir.records.importing import Imported, nothing_found
from weir.records.latencies import LATENCIES_FILE, write_latencies
from weir.records.study_facts import archive_facts
from weir.records.summary import describe, summarise
from weir.records.table import write_records, write_whole

NAME = "import"
HELP = "turn logs of benchmark programs, IO500 results or tables of measurements into audited records"
EXAMPLE = (
    "weir import reference/ddn-lustre-2018.csv --facts reference/ddn-lustre-2018.yaml --out build/records.csv"
)
_MOST_NAMES = 10
_EXCLUDED_FILE = "excluded.csv"
_SCORES_FILE = "io500.csv"
_FACTS_FILE = "facts.json"
_BESIDE = (_EXCLUDED_FILE, LATENCIES_FILE, _SCORES_FILE, _FACTS_FILE, MANIFEST)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        type=Path,
        nargs="+",
        metavar="PATH",
        help="output of a benchmark program (tables, JSON, CSV), a table of records, or a directory: "
        "everything below it is recognised by content, IO500 results included",
    )
    parser.add_argument("--facts", type=Path, metavar="FILE", help="YAML with what the files do not say")
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("imported/records.csv"),
        metavar="FILE",
        help="default %(default)s; excluded.csv, latencies.csv, facts.json and, of IO500 results, io500.csv "
        "go beside it",
    )
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")


def execute(args: argparse.Namespace) -> int:
    facts = read_facts(args.facts) if args.facts else Facts()
    own = {file.resolve() for file in (args.out, *map(args.out.with_name, _BESIDE))}
    # A directory may hold what an earlier import wrote.
    files = [one for one in files_below(args.files) if not (one[1] and one[0].resolve() in own)]
    imported, scored = import_all(files, facts)
    if not imported.rows:
        raise nothing_found(imported)
    write_records(args.out, imported.rows)
    write_excluded(args.out.with_name(_EXCLUDED_FILE), ())
    write_latencies(args.out.with_name(LATENCIES_FILE), ())
    if scored:
        write_whole(args.out.with_name(_SCORES_FILE), scored_table(scored))
    digest = write_manifest(args.out.parent, args.out.name)
    about = archive_facts(facts.about, imported.rows) | {"digest": digest}
    write_whole(args.out.with_name(_FACTS_FILE), json.dumps(about, indent=1) + "\n")
    summary = summarise(imported.rows, args.out) | _what_was_read(len(files), imported, scored)
    print(json.dumps(summary, indent=1) if args.json else "\n".join(_lines(summary, imported, scored)))
    return 0


def _what_was_read(files: int, imported: Imported, scored: list[Scored]) -> dict[str, Any]:
    return {
        "files": files,
        "files_by_tool": _files_by_tool(imported),
        "files_without_results": [str(file) for file in imported.without_results],
        "files_with_errors": [str(error) for error in imported.errors],
        "io500": [scored_facts(one) for one in scored],
    }


def _files_by_tool(imported: Imported) -> dict[str, int]:
    files = {(row["tool"] or "table", row["source"]) for row in imported.rows}
    return dict(sorted(Counter(tool for tool, _ in files).items()))


def _lines(summary: dict[str, Any], imported: Imported, scored: list[Scored]) -> Iterator[str]:
    yield describe(summary)
    by_tool = ", ".join(f"{count} of {tool}" for tool, count in summary["files_by_tool"].items())
    yield f"read {summary['files']} files; with records: {by_tool}"
    yield from scored_lines(scored)
    for file in imported.without_results[:_MOST_NAMES]:
        yield f"  no results in {file}"
    if len(imported.without_results) > _MOST_NAMES:
        yield f"  and in {len(imported.without_results) - _MOST_NAMES} more files (--json names all)"
    yield from (f"  not imported: {error}" for error in imported.errors)
