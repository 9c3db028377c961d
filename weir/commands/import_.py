"""weir import: measurements made by others as audited records, so that figures work on them too."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from weir.integrity.manifest import write_manifest
from weir.records.excluded import write_excluded
from weir.records.facts import Facts, read_facts
from weir.records.importing import import_files
from weir.records.latencies import LATENCIES_FILE, write_latencies
from weir.records.study_facts import archive_facts
from weir.records.summary import describe, summarise
from weir.records.table import write_records, write_whole

NAME = "import"
HELP = "turn logs of benchmark programs or tables of measurements into audited records"
EXAMPLE = (
    "weir import reference/ddn-lustre-2018.csv --facts reference/ddn-lustre-2018.yaml --out build/records.csv"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="output of a benchmark program (tables, JSON, CSV) or a table of records",
    )
    parser.add_argument("--facts", type=Path, metavar="FILE", help="YAML with what the files do not say")
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("imported/records.csv"),
        metavar="FILE",
        help="default %(default)s; excluded.csv, latencies.csv and facts.json go beside it",
    )
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")


def execute(args: argparse.Namespace) -> int:
    facts = read_facts(args.facts) if args.facts else Facts()
    imported = import_files(args.files, facts)
    write_records(args.out, imported.rows)
    write_excluded(args.out.with_name("excluded.csv"), ())
    write_latencies(args.out.with_name(LATENCIES_FILE), ())
    digest = write_manifest(args.out.parent, args.out.name)
    about = archive_facts(facts.about, imported.rows) | {"digest": digest}
    write_whole(args.out.with_name("facts.json"), json.dumps(about, indent=1) + "\n")
    empty = [str(file) for file in imported.without_results]
    summary = summarise(imported.rows, args.out) | {"files": len(args.files), "files_without_results": empty}
    print(json.dumps(summary, indent=1) if args.json else describe(summary))
    for file in [] if args.json else empty:
        print(f"  no results in {file}")
    return 0
