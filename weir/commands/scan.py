"""weir scan: file formats in a directory tree, by content."""

import argparse
import sys
import time

from weir.base.errors import InputError
from weir.base.files import as_json
from weir.base.options import Parser
from weir.survey.directory import Pace, Selection
from weir.survey.output import chart, facts, lines, table
from weir.survey.tally import FormatTally, State
from weir.survey.walk import scan_tree

NAME = "scan"
GROUP = "decide"
HELP = "count the file formats in a directory tree by content; reads only, rate-limited, resumable"
EXAMPLE = "weir scan /work --sample 0.2 --rate 500 --state work.state --csv formats.csv --chart formats.svg"
_PROGRESS_S = 10.0
LEAST_RATE, MOST_RATE = 0.001, 1e9  # operations per second; less is a scan that never ends
MOST_THREADS = 256  # each has a stack and descriptors; a metadata server is busy with far fewer


def add_arguments(parser: Parser) -> None:
    parser.path("tree", "DIR", "directory to scan, on one file system")
    parser.value("--rate", "N", "operations per second (default: 1000)", type=float, default=1000.0)
    parser.value("--sample", "SHARE", "share of the files to open (default: 1)", type=float, default=1.0)
    parser.value("--seed", "N", "seed of the sample (default: 0)", type=int, default=0)
    parser.value("--threads", "N", "directories scanned at a time (default: 4)", type=int, default=4)
    parser.path("--state", "FILE", "record finished directories; a later scan resumes from it")
    parser.path("--csv", "FILE", "write a row for each format")
    parser.path("--chart", "FILE", "write a bar chart as SVG")
    parser.flag("--json", "print the result as JSON")


def execute(args: argparse.Namespace) -> int:
    _check(args)
    scanned = {"tree": str(args.tree.resolve()), "sample": args.sample, "seed": args.seed}
    state = State(args.state, scanned) if args.state else None
    pace = Pace(args.rate)
    begin = time.monotonic()
    if state:
        state.open()
    try:
        progress = _Progress(begin, pace)
        tally = scan_tree(
            args.tree, Selection(args.sample, args.seed), pace, args.threads, state, progress.show
        )
    finally:
        if state:
            state.close()
    about = (args.sample, time.monotonic() - begin, pace.operations)
    if args.csv:
        args.csv.write_text(table(tally))
    if args.chart:
        args.chart.write_text(chart(tally))
    print(as_json(facts(tally, *about)) if args.json else "\n".join(lines(tally, *about)))
    return 0


def _check(args: argparse.Namespace) -> None:
    for key, wrong, hint in (
        (
            "--rate",
            not LEAST_RATE <= args.rate <= MOST_RATE,
            "operations per second, 0.001 to 1e9, such as 500",
        ),
        ("--sample", not 0 < args.sample <= 1, "a share above 0 and at most 1, such as 0.2"),
        ("--threads", not 1 <= args.threads <= MOST_THREADS, f"1 to {MOST_THREADS}"),
    ):
        if wrong:
            raise InputError("is out of range", key=key, hint=hint)
    for key, file in (("--state", args.state), ("--csv", args.csv), ("--chart", args.chart)):
        if file and file.resolve().is_relative_to(args.tree.resolve()):
            raise InputError(
                "lies in the tree, and a scan writes nothing there",
                file=file,
                key=key,
                hint="name a file elsewhere",
            )


class _Progress:
    """A line on stderr every ten seconds."""

    def __init__(self, begin: float, pace: Pace) -> None:
        self._pace, self._next_s = pace, begin + _PROGRESS_S

    def show(self, tally: FormatTally) -> None:
        now = time.monotonic()
        if now >= self._next_s:
            self._next_s = now + _PROGRESS_S
            silent_s = self._pace.silent_s()
            waits = (
                f"; the storage does not answer for {silent_s:.0f} s" if silent_s > _PROGRESS_S / 2 else ""
            )
            print(
                f"weir scan: {tally.files:,} files in {tally.directories:,} directories{waits}",
                file=sys.stderr,
            )
