"""weir io500: phases, score, validity and percentiles of a published IO500 result."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from weir.errors import WeirError
from weir.io500.directory import read_directory
from weir.io500.output import Places, checked, facts, lines, table_facts, table_lines
from weir.io500.standing import places
from weir.io500.submissions import DEFAULT, read_submissions
from weir.io500.validity import validity

NAME = "io500"
HELP = "recompute the score of an IO500 result and show its percentiles among the submissions"
EXAMPLE = "weir io500 results/2024.11.11-11.54.32"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", type=Path, metavar="DIR", nargs="?", help="result directory of IO500")
    parser.add_argument(
        "--submissions",
        type=Path,
        metavar="FILE",
        help="table of published submissions (default: the one that weir has); "
        "without DIR, recompute its scores",
    )
    parser.add_argument("--json", action="store_true", help="print the same as JSON")


def execute(args: argparse.Namespace) -> int:
    if args.directory is None:
        return _check_table(args)
    result = read_directory(args.directory)
    valid = validity(result)
    shown: Places = {}
    why_not = ""
    if not valid.valid:
        why_not = f"because the submissions are valid runs and this one is {valid.label}"
    else:
        shown = places(result, read_submissions(args.submissions or DEFAULT))
    if args.json:
        print(json.dumps(facts(result, valid, shown, why_not), indent=1))
    else:
        print("\n".join(lines(result, valid, shown, why_not)))
    return 0


def _check_table(args: argparse.Namespace) -> int:
    if args.submissions is None:
        raise WeirError(
            "neither a result directory nor --submissions FILE is given",
            hint=f"weir io500 DIR, or weir io500 --submissions {DEFAULT}",
            exit_code=2,
        )
    found = checked(read_submissions(args.submissions))
    print(json.dumps(table_facts(found), indent=1) if args.json else "\n".join(table_lines(found)))
    return 0
