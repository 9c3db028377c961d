"""weir accept: judge a study by a contract, line by line, with a report to sign."""

import argparse
from pathlib import Path

from weir.base.plugins import load

NAME = "accept"
GROUP = "decide"
HELP = "judge a study by a contract: pass, fail or not proven for each line, with margins and a report"
EXAMPLE = (
    "weir accept jupiter-ior results/lab/jupiter-ior --promise easy-best-sum='2 TB/s' --report acceptance"
)
EXIT_1 = "the contract is not met, or that is not proven"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "contract", metavar="CONTRACT", help="contract.yaml, or the name of one in config/contracts"
    )
    parser.add_argument(
        "study",
        type=Path,
        metavar="STUDY",
        nargs="?",
        help="folder of a study, records.csv, or an IO500 result; none: print the contract",
    )
    parser.add_argument(
        "--promise",
        action="append",
        default=[],
        metavar="LINE=VALUE",
        help="value of a line that the contract leaves open",
    )
    parser.add_argument("--report", type=Path, metavar="DIR", help="write acceptance.html and acceptance.pdf")
    parser.add_argument(
        "--unverified",
        action="store_true",
        help="judge records without plan, ledger or checksums, marked on every page of the report",
    )
    parser.add_argument(
        "--allowed-signers",
        type=Path,
        metavar="FILE",
        help="require a signature of the study by one of these SSH keys",
    )
    parser.add_argument("--json", action="store_true", help="print the judgement as JSON")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write a JUnit report")


def execute(args: argparse.Namespace) -> int:
    code: int = load("weir.decide.accept.actions", "statistics").accept(args)
    return code
