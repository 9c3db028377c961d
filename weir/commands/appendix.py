"""weir appendix: the artifact description and evaluation of a study, from its files."""

import argparse
import json
from dataclasses import astuple, fields
from pathlib import Path

from weir.base.files import csv_lines, write_atomically
from weir.base.options import Parser
from weir.report.bundle.appendix import TABLE, TEXT, ClaimLine, appendix, claim_lines

NAME = "appendix"
GROUP = "publish"
HELP = "write the artifact appendix of a study as LaTeX: claims, commands, expected values, machine, cost"
EXAMPLE = "weir appendix results/local/quick"


def add_arguments(parser: Parser) -> None:
    parser.path("study", "STUDY", "directory of a drawn study")
    text = f"LaTeX file to write (default: {TEXT} in the study, where reports/appendix/main.tex reads it)"
    parser.flag("--json", "print the name of the file as JSON")
    parser.path("--out", "FILE", text)


def execute(args: argparse.Namespace) -> int:
    out: Path = args.out or args.study / TEXT
    write_atomically(out, appendix(args.study))
    table = out.parent / TABLE
    columns = [field.name for field in fields(ClaimLine)]
    write_atomically(table, csv_lines([columns, *map(astuple, claim_lines(args.study))]))
    if args.json:
        print(json.dumps({"appendix": str(out), "table": str(table)}))
        return 0
    arguments = f"reports/appendix/main.tex {args.study} {args.study / 'appendix.pdf'}"
    print(f"{out}; print it: reports/print.sh {arguments}")
    return 0
