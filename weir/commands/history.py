"""weir history: keep campaigns, show what each series did, judge the newest values."""

import argparse

from weir.base.errors import require_at_least
from weir.base.options import Parser
from weir.base.plugins import load
from weir.collect.metrics import metric_names
from weir.decide.history import RECENT_POINTS

NAME = "history"
GROUP = "decide"
HELP = "keep campaigns and find changes of the storage that are not noise"
EXAMPLE = "weir history check history --junit check.xml"
EXIT_1 = "a series became slower (check)"


def add_arguments(parser: Parser) -> None:
    parser.flag("--json", "print facts as JSON")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    add = actions.add_parser("add", help="copy the records of a study, or the sessions of ReFrame")
    add.path("history", "HISTORY", "folder of campaigns; made if missing")
    add.path(
        "study", "STUDY", "folder of a study, its records.csv, or a results database of ReFrame (results.db)"
    )
    show = actions.add_parser(
        "show", help="print the levels of every series and the days on which they changed"
    )
    check = actions.add_parser("check", help="judge the newest value of every series; exit 1 on a slowdown")
    for one in (show, check):
        one.path("history", "HISTORY", "folder of campaigns, or with --key a CSV file")
        one.add_argument(
            "--metric", choices=metric_names(), default="rate", help="number to follow (default: rate)"
        )
        one.repeated("--key", "COLUMN", "of a CSV file: columns that name a series; the first is the system")
        one.value("--time", "COLUMN", "its column of seconds since 1970", default="started_unix")
        one.value("--value", "COLUMN", "its column of values", default="bw_mib_s")
        one.value(
            "--unit", "UNIT", "unit of that column, such as MiB/s (default: that of a record's)", default=""
        )
        one.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print facts as JSON")
    show.path("--html", "FILE", "write a page with a figure of each series")
    reference = actions.add_parser(
        "reference", help="write lower bounds of each cell for checks of ReFrame (-S reference_file=FILE)"
    )
    reference.path("history", "HISTORY", "folder of campaigns")
    reference.path("--out", "FILE", "file to write")
    check.path("--junit", "FILE", "write a JUnit report")
    check.flag("--all", "print normal series too")
    show.flag("--all", "print every series")
    check.value(
        "--recent",
        "N",
        f"hold the newest N points against those before (default: {RECENT_POINTS})",
        type=int,
        default=RECENT_POINTS,
    )


def execute(args: argparse.Namespace) -> int:
    if args.action == "check":
        require_at_least("--recent", args.recent, 1, f"1 or more, such as {RECENT_POINTS}")
    code: int = load("weir.decide.history.actions", "statistics").act(args)
    return code
