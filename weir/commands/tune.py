"""weir tune: find the best setting with few measurements, and measure its gain over the default."""

import argparse
from pathlib import Path

from weir.base.errors import InputError, require_at_least
from weir.base.plugins import load
from weir.plan.config.sources import add_config_dir

NAME = "tune"
GROUP = "decide"
HELP = "find the best setting of a suite with few measurements, and measure its gain over the default"
EXAMPLE = "weir tune --suite tune-transfers --target disk"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--suite", help="suite with the key tune")
    parser.add_argument("--site", help="site in config/sites")
    parser.add_argument("--target", action="append", metavar="TARGET", help="target to measure")
    parser.add_argument("--stack", action="append", metavar="STACK", help="stack to measure")
    parser.add_argument("--scale", help="edition of the suite")
    add_config_dir(parser)
    parser.add_argument(
        "--results",
        type=Path,
        metavar="DIR",
        help="directory of the runs (default: results/<site>/tune-<suite>)",
    )
    parser.add_argument(
        "--budget", type=int, metavar="N", help="settings to measure (default: the suite's, or 20)"
    )
    parser.add_argument("--search", choices=("gp", "tpe", "random"), help="search method (default: gp)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the search (default: 1)")
    parser.add_argument(
        "--hints", type=Path, metavar="FILE", help="write the winner's hints as a ROMIO hints file"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the trials and the gain as JSON")
    parser.add_argument(
        "--replay", type=Path, metavar="CSV", help="look settings up in a table instead of measuring"
    )
    parser.add_argument(
        "--move", action="append", default=[], metavar="COLUMN", help="column of the table that may change"
    )
    parser.add_argument(
        "--where",
        action="append",
        default=[],
        metavar="COLUMN=VALUE",
        help="fixed value of a column of the table",
    )
    parser.add_argument(
        "--value", default="bw_mib_s", metavar="COLUMN", help="column of the table to maximise"
    )
    parser.add_argument(
        "--unit", help="unit of that column, such as MiB/s (default: that of the column of a record)"
    )


def execute(args: argparse.Namespace) -> int:
    if bool(args.suite) == bool(args.replay) or bool(args.replay) != bool(args.move):
        hint = "weir tune --suite NAME, or weir tune --replay CSV --move COLUMN"
        raise InputError("needs a suite, or a table and the columns that may change", hint=hint)
    if args.budget is not None:
        require_at_least("--budget", args.budget, 1, "1 or more, such as 20")
    code: int = load("weir.decide.tune.actions", "tune").tune(args)
    return code
