"""weir reproduce: the tables and figures of a bundle again, compared with those in it."""

import argparse
import sys
from dataclasses import asdict
from pathlib import Path

from weir.base.errors import InputError
from weir.base.files import as_json
from weir.base.options import Parser
from weir.base.units import counted
from weir.report.bundle.reproduce import Reproduced, reproduce

NAME = "reproduce"
GROUP = "publish"
HELP = "collect and draw the study of a bundle again, by the bundle's code and without network, and compare"
EXAMPLE = "weir reproduce quick.crate.zip --out quick-again --trust"


def add_arguments(parser: Parser) -> None:
    parser.path("bundle", "BUNDLE", "file of weir bundle; its code is executed")
    parser.path("--out", "DIR", "new directory to unpack it into", required=True)
    parser.flag("--trust", "execute the bundle's code without a question")
    parser.flag("--json", "print the outcome as JSON")


def execute(args: argparse.Namespace) -> int:
    if not (args.trust or _is_trusted(args.bundle)):
        hint = "look into it with weir verify and unzip; add --trust if you trust whoever made it"
        raise InputError(
            "its code would run with your rights, and was not trusted", file=args.bundle, hint=hint
        )
    outcome = reproduce(args.bundle, args.out)
    print(as_json(asdict(outcome)) if args.json else _text(outcome))
    return 1 if outcome.different or not all(line.is_reproduced for line in outcome.lines) else 0


def _is_trusted(bundle: Path) -> bool:
    """Ask; where nobody can answer, it is not."""
    if not bundle.is_file():
        return True  # the error follows, and no code runs
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print(
        f"{bundle} holds code (code/weir, code/analysis) that runs with your rights. Run it? [y/N] ",
        end="",
        file=sys.stderr,
        flush=True,
    )
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _text(outcome: Reproduced) -> str:
    answer = f"{counted(len(outcome.identical), 'file')} identical, {len(outcome.different)} different"
    if outcome.lines:
        good = sum(line.is_reproduced for line in outcome.lines)
        answer += f"; {good} of {counted(len(outcome.lines), 'line')} of the appendix reproduced"
    lines = [
        f"reproduced: {line.claim}: {line.expected}"
        if line.is_reproduced
        else f"not reproduced: {line.claim}: expected {line.expected}, found {line.found}"
        for line in outcome.lines
    ]
    lines += [f"different: {name}" for name in outcome.different]
    lines += [f"figures and tables not compared: {outcome.skipped}"] if outcome.skipped else []
    return "\n".join([answer, *lines, f"digest {outcome.digest}"])
