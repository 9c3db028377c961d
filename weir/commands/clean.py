"""weir clean: remove what killed measurements left on this machine; keep what they measured."""

import argparse
import sys
from dataclasses import asdict
from pathlib import Path

from weir.base.errors import InputError
from weir.base.files import as_json
from weir.base.options import Parser
from weir.measure.clean_up.remains import Cleaned, clean_up_after_kills, clean_up_batch
from weir.measure.session import planned_batch
from weir.plan import read_plan

NAME = "clean"
GROUP = "measure"
HELP = "clean up after killed measurements: processes, mounts, shared memory, data on the targets"
EXAMPLE = "weir clean --plan results/local/quick/plan.json --results results/local"

# Time for a guardian that is cleaning up.
_WAIT_S = 60.0


def add_arguments(parser: Parser) -> None:
    parser.path("--plan", "PLAN", "also clean up for each batch of this plan.json")
    parser.path("--results", "RESULTS", "results of the site of the plan, with runs/")
    parser.flag("--json", "print what was cleaned up as JSON")


def execute(args: argparse.Namespace) -> int:
    if (args.plan is None) != (args.results is None):
        raise InputError("--plan and --results belong together", hint="give both, or none")
    cleaned = clean_up_after_kills(_report, _WAIT_S)
    if args.plan:
        cleaned += _for_each_batch(args.plan, args.results.resolve())
    text = "\n".join(map(str, cleaned)) or "nothing to clean up"
    print(as_json([asdict(each) for each in cleaned]) if args.json else text)
    return 1 if any(each.complaints for each in cleaned) else 0


def _for_each_batch(plan_file: Path, results: Path) -> list[Cleaned]:
    plan = read_plan(plan_file)
    return [clean_up_batch(planned_batch(plan, batch, results), _report) for batch in plan.batches]


def _report(line: str) -> None:
    print(f"weir: {line}", file=sys.stderr)
