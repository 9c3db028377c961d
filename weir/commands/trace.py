"""weir trace: the trace files of weir-io as CSV."""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path

from weir.base.files import as_json
from weir.tools.trace import COLUMNS, read_trace, rows

NAME = "trace"
GROUP = "prove"
HELP = "convert the trace files of weir-io (--trace) to CSV, one line for each operation"
EXAMPLE = "weir trace build/trace.0 build/trace.1 > operations.csv"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.RANK", help="trace file of a rank")
    parser.add_argument("--json", action="store_true", help="print a list of objects instead of CSV")


def execute(args: argparse.Namespace) -> int:
    phases = [phase for path in args.files for phase in read_trace(path)]
    if args.json:
        print(as_json([dict(zip(COLUMNS, row, strict=True)) for row in rows(phases)]))
    else:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows(phases))
    for phase in phases:
        if phase.dropped:
            print(
                f"weir: rank {phase.rank}, {phase.name} of iteration {phase.iteration}: "
                f"{phase.dropped} operations did not fit; hint: --trace-records",
                file=sys.stderr,
            )
    return 0
