"""weir plan: what would be measured, its cost, and what is excluded and why. Measures nothing."""

import argparse
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from weir.base.errors import WeirError
from weir.base.files import as_json
from weir.base.options import Parser
from weir.plan import Plan, make_plan, plan_data, write_plan
from weir.plan.card import cost_card, other_scale
from weir.plan.config import load_config
from weir.plan.config.sources import add_config_dir
from weir.plan.config.suite import FULL
from weir.plan.cost import read_costs

NAME = "plan"
GROUP = "measure"
HELP = "print what would be measured, its cost, and what is excluded and why"
EXAMPLE = "weir plan --suite quick --target memory --out results/local/plan.json"


def add_arguments(parser: Parser) -> None:
    parser.value("--site", "SITE", "folder in config/sites")
    parser.repeated("--suite", "SUITE", "suite to plan; may be repeated")
    parser.repeated("--target", "TARGET", "target to measure; may be repeated")
    parser.repeated("--stack", "STACK", "stack to measure; may be repeated")
    parser.value("--scale", "SCALE", "edition of the suites, such as quick or half; full is what is written")
    parser.path("--config", "FILE", "instead of config/config.yaml")
    add_config_dir(parser)
    parser.path("--out", "FILE", "write the plan here, for weir run and collect")
    parser.path(
        "--results",
        "DIR",
        "results of all sites: earlier batches there improve the expected time (default: results)",
        default=Path("results"),
    )
    parser.flag("--json", "print the plan as JSON instead of the cost card")


def execute(args: argparse.Namespace) -> int:
    chosen = {
        "site": args.site,
        "suites": args.suite,
        "targets": args.target,
        "stacks": args.stack,
        "scale": args.scale,
    }
    plan = _planned(args, chosen)
    costs = read_costs(args.results / plan.site.name)
    if args.out and plan.batches:
        write_plan(plan, args.out)  # before the card: its reader may go early, as head does
    if args.json:
        print(as_json(plan_data(plan)))
    else:
        full = partial(_planned, args, chosen | {"scale": FULL})
        print(cost_card(plan, costs, other_scale(plan, full, f"--scale {FULL}")))
    if not plan.batches:
        raise WeirError("nothing is left to measure", hint="the cost card lists what is excluded and why")
    return 0


def _planned(args: argparse.Namespace, chosen: Mapping[str, Any]) -> Plan:
    return make_plan(load_config(args.config, config_dir=args.config_dir, overrides=chosen))
