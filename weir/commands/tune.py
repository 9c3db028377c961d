"""weir tune: find the best setting with few measurements, and measure its gain over the default."""

import argparse

from weir.base.errors import InputError, require_at_least
from weir.base.options import Parser
from weir.base.plugins import load
from weir.plan.config.sources import add_config_dir

NAME = "tune"
GROUP = "decide"
HELP = "find the best setting of a suite with few measurements, and measure its gain over the default"
EXAMPLE = "weir tune --suite tune-transfers --target disk"


def add_arguments(parser: Parser) -> None:
    parser.value("--suite", "SUITE", "suite with the key tune")
    parser.value("--site", "SITE", "site in config/sites")
    parser.repeated("--target", "TARGET", "target to measure")
    parser.repeated("--stack", "STACK", "stack to measure")
    parser.value("--scale", "SCALE", "edition of the suite")
    add_config_dir(parser)
    parser.path("--results", "DIR", "directory of the runs (default: results/<site>/tune-<suite>)")
    parser.value("--budget", "N", "settings to measure (default: the suite's, or 20)", type=int)
    parser.add_argument("--search", choices=("gp", "tpe", "random"), help="search method (default: gp)")
    parser.value("--seed", "SEED", "seed of the search (default: 1)", type=int, default=1)
    parser.path("--hints", "FILE", "write the winner's hints as a ROMIO hints file")
    parser.path("--json", "FILE", "write the trials and the gain as JSON")
    parser.path("--replay", "CSV", "look settings up in a table instead of measuring")
    parser.repeated("--move", "COLUMN", "column of the table that may change")
    parser.repeated("--where", "COLUMN=VALUE", "fixed value of a column of the table")
    parser.value("--value", "COLUMN", "column of the table to maximise", default="bw_mib_s")
    parser.value(
        "--unit", "UNIT", "unit of that column, such as MiB/s (default: that of the column of a record)"
    )


def execute(args: argparse.Namespace) -> int:
    if bool(args.suite) == bool(args.replay) or bool(args.replay) != bool(args.move):
        hint = "weir tune --suite NAME, or weir tune --replay CSV --move COLUMN"
        raise InputError("needs a suite, or a table and the columns that may change", hint=hint)
    if args.budget is not None:
        require_at_least("--budget", args.budget, 1, "1 or more, such as 20")
    code: int = load("weir.decide.tune.actions", "tune").tune(args)
    return code
