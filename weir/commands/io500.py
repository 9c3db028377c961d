"""weir io500: score, validity and percentiles of an IO500 result, and the standing of single cells."""

import argparse
from pathlib import Path

from weir.base.errors import InputError
from weir.base.files import as_json
from weir.base.options import Parser
from weir.collect.study_facts import read_study_facts
from weir.collect.table import read_whole_records
from weir.decide.compare.sides import records_file
from weir.decide.io500.cells import cell_facts, cell_lines, populations, standings
from weir.decide.io500.directory import read_directory
from weir.decide.io500.output import JudgedResult, Places, checked, facts, lines, table_facts, table_lines
from weir.decide.io500.random_read import random_reads
from weir.decide.io500.result import validity
from weir.decide.io500.result_sets import audited
from weir.decide.io500.submission_rules import draft
from weir.decide.io500.submissions import DEFAULT, places, read_submissions, standing_figure

NAME = "io500"
GROUP = "decide"
HELP = (
    "recompute the score of an IO500 result; its percentiles, or those of single cells, among the submissions"
)
EXAMPLE = "weir io500 results/2024.11.11-11.54.32"


def add_arguments(parser: Parser) -> None:
    parser.path("directory", "DIR", "result directory of IO500", nargs="?")
    parser.path(
        "--submissions",
        "FILE",
        "table of published submissions (default: the one that weir has); without DIR, recompute its scores",
    )
    parser.path("--figure", "FILE", "write the percentiles of a valid result as SVG")
    parser.path(
        "--records", "FILE", "without DIR: rank the cells of a study that are comparable with a phase"
    )
    parser.path(
        "--questionnaire",
        "FILE",
        "with DIR: draft the reproducibility questionnaire from the result and, with --records, the "
        "facts of that study",
    )
    parser.value("--cell", "CELL", "with --records: this cell only")
    parser.flag("--json", "print the same as JSON")


def execute(args: argparse.Namespace) -> int:
    if args.directory is None:
        return _rank_cells(args) if args.records else _check_table(args)
    result = read_directory(args.directory)
    if args.questionnaire:
        facts_file = records_file(args.records).with_name("facts.json") if args.records else None
        study = read_study_facts(facts_file) if facts_file else {}
        args.questionnaire.write_text(draft(result, study), encoding="utf-8")
    valid = validity(result)
    shown: Places = {}
    why_not = ""
    if not valid.valid:
        why_not = f"because the submissions are valid runs and this one is {valid.label}"
    else:
        submissions = read_submissions(args.submissions or DEFAULT)
        shown = places(result, submissions)
        if args.figure:
            args.figure.write_text(standing_figure(result, shown, submissions), encoding="utf-8")
    audit, random = audited(args.directory, result), random_reads(args.directory, result)
    judged = JudgedResult(result, valid, audit, random, shown, why_not)
    print(as_json(facts(judged)) if args.json else "\n".join(lines(judged)))
    return 0


def _rank_cells(args: argparse.Namespace) -> int:
    args.records = records_file(args.records)
    rows = [row for row in read_whole_records(args.records) if not args.cell or row["cell"] == args.cell]
    if args.cell and not rows:
        hint = "the column cell of the records has the names"
        raise InputError("has no such cell", file=args.records, key="--cell", value=args.cell, hint=hint)
    found = standings(
        rows, populations(read_submissions(args.submissions or DEFAULT)), _volatile(args.records)
    )
    print(as_json(cell_facts(found)) if args.json else "\n".join(cell_lines(found)))
    return 0


def _volatile(records: Path) -> list[str]:
    """Targets that are memory, by the facts of the study beside the records."""
    facts = records.with_name("facts.json")
    if not facts.is_file():
        return []
    targets = read_study_facts(facts).get("targets", [])
    return [target["target"] for target in targets if target.get("kind") in ("memory", "pool")]


def _check_table(args: argparse.Namespace) -> int:
    if args.submissions is None:
        raise InputError(
            "neither a result directory nor --records FILE nor --submissions FILE is given",
            hint=f"weir io500 DIR, weir io500 --records FILE, or weir io500 --submissions {DEFAULT}",
        )
    found = checked(read_submissions(args.submissions))
    print(as_json(table_facts(found)) if args.json else "\n".join(table_lines(found)))
    return 0
