"""weir compare: which cells of two sets of records are faster or slower, with an error rate."""

import argparse

from weir.base.options import Parser
from weir.base.plugins import load
from weir.collect.metrics import metric_names
from weir.report.bundle.reproduce import unpacked

NAME = "compare"
GROUP = "decide"
HELP = "compare two sets of records cell by cell, with intervals and an error rate"
EXAMPLE = "weir compare results/local/quick other/quick --fail-on slower:5%,missing,degraded"
EXIT_1 = "what --fail-on names"


def add_arguments(parser: Parser) -> None:
    parser.value("first", "A", "records.csv, folder or bundle of a study; several joined by commas")
    parser.value("second", "B", "the other side; none with --by", nargs="?")
    parser.value("--by", "COLUMN", "split A by a column (target, stack, date, ...) instead of B")
    parser.value("--values", "VALUE", "the two values of --by to compare", nargs=2, default=())
    parser.repeated("--across", "COLUMN", "column that may differ within a pair")
    parser.add_argument(
        "--metric", choices=metric_names(), default="rate", help="number to compare (default: rate)"
    )
    parser.value(
        "--margin", "PERCENT", "differences below it do not matter (default: 5)", type=_percent, default=5.0
    )
    parser.value(
        "--day-to-day",
        "PERCENT",
        "known spread between campaigns, where each side has one campaign "
        "(default: 42 on different days, 0 within a day)",
        type=_percent,
    )
    parser.path("--history", "FOLDER", "take that spread from the campaigns of weir history")
    parser.repeated(
        "--fail-on",
        "WHAT",
        "exit 1 on slower or slower:5%% (surely slower by more than 5 %%), 3 on undecided, missing "
        "(B has fewer cells or rounds) or degraded (B has more such records); several joined by commas",
    )
    parser.flag(
        "--confirm", "measure what is slower or faster again: A and B in turns, or B alone if A is gone"
    )
    parser.value("--confirm-rounds", "N", "rounds of --confirm (default: 6)", type=_rounds, default=6)
    parser.flag("--all", "print every pair and every note")
    parser.flag("--json", "print the comparison as JSON")
    parser.path("--junit", "FILE", "write a JUnit report")
    parser.path("--html", "FILE", "write a page with a figure of the ratios")
    parser.path("--into", "REPORT", "add that figure to a report.html")
    parser.path("--csv", "FILE", "write a row for each pair")


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
