"""weir compare: which cells of two sets of records are faster or slower, with an error rate."""

import argparse
from pathlib import Path

from weir.base.plugins import load
from weir.collect.metrics import metric_names
from weir.report.bundle.reproduce import unpacked

NAME = "compare"
GROUP = "decide"
HELP = "compare two sets of records cell by cell, with intervals and an error rate"
EXAMPLE = "weir compare results/local/quick other/quick --fail-on slower:5%,missing,degraded"
EXIT_1 = "what --fail-on names"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "first", metavar="A", help="records.csv, folder or bundle of a study; several joined by commas"
    )
    parser.add_argument("second", metavar="B", nargs="?", help="the other side; none with --by")
    parser.add_argument(
        "--by", metavar="COLUMN", help="split A by a column (target, stack, date, ...) instead of B"
    )
    parser.add_argument(
        "--values", nargs=2, metavar="VALUE", default=(), help="the two values of --by to compare"
    )
    parser.add_argument(
        "--across", action="append", default=[], metavar="COLUMN", help="column that may differ within a pair"
    )
    parser.add_argument(
        "--metric", choices=metric_names(), default="rate", help="number to compare (default: rate)"
    )
    parser.add_argument(
        "--margin",
        type=_percent,
        default=5.0,
        metavar="PERCENT",
        help="differences below it do not matter (default: 5)",
    )
    parser.add_argument(
        "--day-to-day",
        type=_percent,
        metavar="PERCENT",
        help="known spread between campaigns, where each side has one campaign "
        "(default: 42 on different days, 0 within a day)",
    )
    parser.add_argument(
        "--history", type=Path, metavar="FOLDER", help="take that spread from the campaigns of weir history"
    )
    parser.add_argument(
        "--fail-on",
        action="append",
        default=[],
        metavar="WHAT",
        help="exit 1 on slower or slower:5%% (surely slower by more than 5 %%), 3 on undecided, missing "
        "(B has fewer cells or rounds) or degraded (B has more such records); several joined by commas",
    )
    parser.add_argument(
        "--confirm",
        action="store_true",
        help="measure what is slower or faster again: A and B in turns, or B alone if A is gone",
    )
    parser.add_argument(
        "--confirm-rounds", type=_rounds, default=6, metavar="N", help="rounds of --confirm (default: 6)"
    )
    parser.add_argument("--all", action="store_true", help="print every pair and every note")
    parser.add_argument("--json", action="store_true", help="print the comparison as JSON")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write a JUnit report")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page with a figure of the ratios")
    parser.add_argument("--into", type=Path, metavar="REPORT", help="add that figure to a report.html")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write a row for each pair")


def _percent(text: str) -> float:
    try:
        found = float(text.removesuffix("%"))
    except ValueError:
        found = -1.0
    if not 0 <= found < 100:
        raise argparse.ArgumentTypeError(f"{text!r} is not a percentage from 0 to 100, such as 5")
    return found


def _rounds(text: str) -> int:
    if not text.isdigit() or int(text) < 2:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of rounds, which are at least 2")
    return int(text)


def execute(args: argparse.Namespace) -> int:
    args.names = (args.first, args.second)
    with unpacked([text for text in args.names if text is not None]) as paths:
        args.first, args.second = paths[0], paths[1] if len(paths) > 1 else None
        args.bundles = [name != path for name, path in zip(args.names, paths, strict=False)]
        code: int = load("weir.decide.compare.comparison", "statistics").compare(args)
    return code
