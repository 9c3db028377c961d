"""weir accept: judge a study by a contract, line by line, with a report to sign."""

import argparse

from weir.base.options import Parser
from weir.base.plugins import load

NAME = "accept"
GROUP = "decide"
HELP = "judge a study by a contract: pass, fail or not proven for each line, with margins and a report"
EXAMPLE = (
    "weir accept jupiter-ior results/lab/jupiter-ior --promise easy-best-sum='2 TB/s' --report acceptance"
)
EXIT_1 = "the contract is not met, or that is not proven"


def add_arguments(parser: Parser) -> None:
    parser.value("contract", "CONTRACT", "contract.yaml, or the name of one in config/contracts")
    parser.path(
        "study",
        "STUDY",
        "folder of a study, records.csv, or an IO500 result; none: print the contract",
        nargs="?",
    )
    parser.repeated("--promise", "LINE=VALUE", "value of a line that the contract leaves open")
    parser.path("--report", "DIR", "write acceptance.html and acceptance.pdf")
    parser.flag(
        "--unverified", "judge records without plan, ledger or checksums, marked on every page of the report"
    )
    parser.path("--allowed-signers", "FILE", "require a signature of the study by one of these SSH keys")
    parser.flag("--json", "print the judgement as JSON")
    parser.path("--junit", "FILE", "write a JUnit report")


def execute(args: argparse.Namespace) -> int:
    code: int = load("weir.decide.accept.actions", "statistics").accept(args)
    return code
