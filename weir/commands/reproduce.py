"""weir reproduce: the tables and figures of a bundle again, compared with those in it."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from weir.bundle.reproduce import Reproduced, reproduce

NAME = "reproduce"
HELP = "collect and draw the study of a bundle again, by the bundle's code and without network, and compare"
EXAMPLE = "weir reproduce quick.crate.zip --out quick-again"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "bundle", type=Path, metavar="BUNDLE", help="file of weir bundle; its code is executed"
    )
    parser.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="new directory to unpack it into"
    )
    parser.add_argument("--json", action="store_true", help="print the outcome as JSON")


def execute(args: argparse.Namespace) -> int:
    outcome = reproduce(args.bundle, args.out)
    print(json.dumps(asdict(outcome), indent=1) if args.json else _text(outcome))
    return 1 if outcome.different else 0


def _text(outcome: Reproduced) -> str:
    lines = [f"different: {name}" for name in outcome.different]
    lines.append(f"{len(outcome.identical)} files identical, {len(outcome.different)} different")
    lines += [f"figures and tables not compared: {outcome.skipped}"] if outcome.skipped else []
    return "\n".join([*lines, f"digest {outcome.digest}"])
