"""weir history: keep campaigns, show what each series did, judge the newest values."""

import argparse
from pathlib import Path

from weir.base.errors import require_at_least
from weir.base.plugins import load
from weir.collect.metrics import metric_names
from weir.decide.history import RECENT_POINTS

NAME = "history"
GROUP = "decide"
HELP = "keep campaigns and find changes of the storage that are not noise"
EXAMPLE = "weir history check history --junit check.xml"
EXIT_1 = "a series became slower (check)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print facts as JSON")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    add = actions.add_parser("add", help="copy the records of a study, or the sessions of ReFrame")
    add.add_argument("history", type=Path, metavar="HISTORY", help="folder of campaigns; made if missing")
    add.add_argument(
        "study",
        type=Path,
        metavar="STUDY",
        help="folder of a study, its records.csv, or a results database of ReFrame (results.db)",
    )
    show = actions.add_parser(
        "show", help="print the levels of every series and the days on which they changed"
    )
    check = actions.add_parser("check", help="judge the newest value of every series; exit 1 on a slowdown")
    for one in (show, check):
        one.add_argument(
            "history", type=Path, metavar="HISTORY", help="folder of campaigns, or with --key a CSV file"
        )
        one.add_argument(
            "--metric", choices=metric_names(), default="rate", help="number to follow (default: rate)"
        )
        one.add_argument(
            "--key",
            action="append",
            metavar="COLUMN",
            help="of a CSV file: columns that name a series; the first is the system",
        )
        one.add_argument(
            "--time", default="started_unix", metavar="COLUMN", help="its column of seconds since 1970"
        )
        one.add_argument("--value", default="bw_mib_s", metavar="COLUMN", help="its column of values")
        one.add_argument(
            "--unit", default="", help="unit of that column, such as MiB/s (default: that of a record's)"
        )
        one.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print facts as JSON")
    show.add_argument("--html", type=Path, metavar="FILE", help="write a page with a figure of each series")
    reference = actions.add_parser(
        "reference", help="write lower bounds of each cell for checks of ReFrame (-S reference_file=FILE)"
    )
    reference.add_argument("history", type=Path, metavar="HISTORY", help="folder of campaigns")
    reference.add_argument("--out", type=Path, metavar="FILE", help="file to write")
    check.add_argument("--junit", type=Path, metavar="FILE", help="write a JUnit report")
    check.add_argument("--all", action="store_true", help="print normal series too")
    show.add_argument("--all", action="store_true", help="print every series")
    check.add_argument(
        "--recent",
        type=int,
        default=RECENT_POINTS,
        metavar="N",
        help=f"hold the newest N points against those before (default: {RECENT_POINTS})",
    )


def execute(args: argparse.Namespace) -> int:
    if args.action == "check":
        require_at_least("--recent", args.recent, 1, f"1 or more, such as {RECENT_POINTS}")
    code: int = load("weir.decide.history.actions", "statistics").act(args)
    return code
