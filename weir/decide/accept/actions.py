"""Runs weir accept: reads its arguments, judges, writes the report and returns an exit code."""

import argparse
import shlex
from dataclasses import replace

from weir.base.errors import InputError
from weir.base.files import as_json
from weir.base.units import counted
from weir.collect.table import write_whole
from weir.data import data_folder
from weir.decide.accept import output
from weir.decide.accept.contract import Contract, read_contract
from weir.decide.accept.evidence import Measured, of_campaign, read_measured
from weir.decide.accept.judge import PASS, judge, overall
from weir.decide.accept.report import print_pdf, write_report
from weir.decide.compare.sides import records_file
from weir.plan.config.sources import find_sources
from weir.runs.manifest import signer

_MOST_PROMISES = 2  # that the first line of a contract shows: more do not fit beside the counts


def accept(args: argparse.Namespace) -> int:
    file = find_sources().named_file("contracts", args.contract)
    contract = read_contract(file, args.promise)
    if args.study is None:
        print(_asked(contract, args.contract))
        return 0
    measured = _verified(args, contract)
    results = judge(contract, measured)
    if args.junit:
        write_whole(args.junit, output.as_junit(contract, results, measured))
    as_text = output.as_text(contract, results, measured)
    print(as_json(output.facts(contract, results, measured)) if args.json else as_text)
    if args.report:
        page = write_report(file, contract, measured, results, args.report)
        pdf = print_pdf(args.report, data_folder("reports"))
        if not args.json:
            print(f"report: {page}")
            print(f"report: {pdf}" if pdf else "no PDF: latexmk is not installed")
    return 0 if overall(results) == PASS else 1


def _verified(args: argparse.Namespace, contract: Contract) -> Measured:
    """The study, if all of its rounds are known; else it has to be wanted as it is."""
    measured = of_campaign(contract.campaign, read_measured(args.study))
    if measured.lacks and not args.unverified:
        raise InputError(
            f"cannot be verified: {'; '.join(measured.lacks)}",
            file=args.study,
            hint="name the folder of a study that weir measured and collected, or judge it as it is, "
            "marked on every page: --unverified",
        )
    if args.allowed_signers is None:
        return measured
    return replace(measured, signed_by=signer(records_file(args.study).parent, args.allowed_signers))


def _headline(contract: Contract) -> str:
    """The number of lines, the first promises with their units, and how many are open."""
    given = {line.name: line.promise for line in contract.lines if line.promise}
    promised = [f"{name} {promise.text}" for name, promise in given.items() if promise.bound is not None]
    shown = [*promised[:_MOST_PROMISES], *(["..."] if len(promised) > _MOST_PROMISES else [])]
    parts = [f"{len(promised)} promised ({', '.join(shown)})"] if promised else []
    if len(given) > len(promised):
        parts.append(f"{len(given) - len(promised)} open (--promise LINE=VALUE)")
    without = len(contract.lines) - len(given)
    parts += [f"{without} of conditions only"] if without else []
    found = f"{counted(len(contract.lines), 'line')} to judge: {', '.join(parts)}"
    unjudged = counted(len(contract.not_encoded), "requirement")
    return f"{found}; {unjudged} not judged" if contract.not_encoded else found


def _asked(contract: Contract, given: str) -> str:
    """The requirements of a contract, and how to measure it; given: its name or file, as typed."""
    lines = [_headline(contract), f"  {contract.title}", f"  {contract.source}"]
    for line in contract.lines:
        promise = line.promise
        bound = (promise.text or "open: --promise") if promise else "conditions only"
        lines.append(f"  {line.name}: {line.text} ({bound})")
    lines += [f"  not judged: {text}" for text in contract.not_encoded]
    if contract.campaign:
        lines.append(f"  campaign: {contract.campaign.text}")
    how = (
        f"weir plan --suite {contract.suite}"
        if contract.suite
        else "its own harness; then weir import, or name its directory"
    )
    judged = f"judge:   weir accept {shlex.quote(given)} STUDY --report DIR"
    return "\n".join([*lines, f"measure: {how}", judged])
