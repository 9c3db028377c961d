"""weir audit: which rules have findings about a table of records, what they saw, and what to do."""

import argparse

from weir.audit.evidence import EVIDENCE, KINDS
from weir.audit.explain import as_text, lacking, lacking_text, manual, triggered
from weir.audit.judge import audited
from weir.audit.registry import rules
from weir.base.errors import InputError
from weir.base.files import as_json
from weir.base.options import Parser
from weir.collect.study_facts import files_read
from weir.collect.table import read_study_records, write_records
from weir.collect.tally import describe, summarise
from weir.decide.compare.sides import records_file
from weir.runs.manifest import MANIFEST, OTHER_SUM, doubt_of

NAME = "audit"
GROUP = "prove"
HELP = "explain the verdicts of records, or audit a table again"
EXAMPLE = "weir audit results/local/records.csv"
EXIT_1 = "a log of the import was refused: its results are not among the records"
_EDITED = (
    f"{{}}: edited after it was collected, {MANIFEST} beside it has another sum\n"
    "  hint: collect or import it again; weir verify names every file that differs"
)


def add_arguments(parser: Parser) -> None:
    parser.path("records", "RECORDS", "records.csv to explain, or its folder", nargs="?")
    parser.path("--out", "FILE", "write the records here with today's verdicts")
    parser.flag("--rules", "print every rule as Markdown (docs/audit.md)")
    parser.flag("--json", "print facts as JSON")


def execute(args: argparse.Namespace) -> int:
    if args.rules:
        print(as_json(_rule_facts()) if args.json else manual(), end="\n" if args.json else "")
        return 0
    if args.records is None:
        raise InputError("no records are named", hint=f"such as: {EXAMPLE}")
    args.records = records_file(args.records)
    doubt = doubt_of(args.records)
    edited = doubt == OTHER_SUM
    rows = audited(read_study_records(args.records, ("access",)), doubt)
    entries, lacks = triggered(rows), lacking(rows)
    summary = summarise(rows, args.out or args.records)
    read = files_read(args.records)
    summary |= {"read": read} if read else {}
    if args.out:
        write_records(args.out, rows)
    if args.json:
        summary |= {"edited": edited}
        print(as_json(summary | {"rules": entries, "lacking": lacks}))
    else:
        parts = (
            _EDITED.format(args.records) if edited else "",
            describe(summary),
            as_text(entries),
            lacking_text(lacks),
        )
        print("\n\n".join(part for part in parts if part))
    return 1 if read and read["refused"] else 0


def _rule_facts() -> dict[str, object]:
    return {
        "kinds": KINDS,
        "evidence": {name: {"meaning": one.meaning, "rules": one.rules} for name, one in EVIDENCE.items()},
        "rules": [
            {"rule": rule.id, "verdicts": rule.verdicts, "explanation": rule.explanation, "hint": rule.hint}
            for rule in rules().values()
        ],
    }
