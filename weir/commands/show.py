"""weir show: the top of a study's page as text: how fast, how sure, and what to do."""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from weir.columns import verdict_texts
from weir.errors import WeirError
from weir.files import from_json
from weir.units import latency_text, three_digits

NAME = "show"
HELP = "print the answer of a study: best rates, proof, doubts and advice"
EXAMPLE = "weir show results/local/quick"
PAGE_FILE = "page.json"

_HINT = "name the folder of a study that was drawn, such as results/local/quick"
_WIDTH = 100
_MOST_ADVICE = 3
_MOST_TARGETS = 4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("study", type=Path, metavar="STUDY", help="folder of the study, or its page.json")
    parser.add_argument("--json", action="store_true", help="print the facts of the page as JSON")


def execute(args: argparse.Namespace) -> int:
    file = args.study / PAGE_FILE if args.study.is_dir() else args.study
    facts = read_page(file)
    print(json.dumps(facts, indent=1) if args.json else "\n".join(lines(facts)))
    return 0


def read_page(file: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = from_json(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if file.parent.is_dir() and file.name == PAGE_FILE:
            raise WeirError(
                "is missing: the study was not drawn",
                file=str(file),
                hint="name the folder of a study that was, such as results/local/quick of make report",
                exit_code=2,
            ) from None
        raise WeirError("there is no such study", file=str(file), hint=_HINT, exit_code=2) from None
    except OSError as error:
        raise WeirError(
            f"cannot be read: {error.strerror}",
            file=str(file),
            hint=_HINT,
            exit_code=2,
        ) from None
    except ValueError as error:
        if file.name != PAGE_FILE:
            raise WeirError("is not the page of a study", file=str(file), hint=_HINT, exit_code=2) from None
        raise WeirError(
            f"is not JSON: {error}", file=str(file), hint="draw it again: snakemake report", exit_code=2
        ) from None
    return found


def lines(facts: Mapping[str, Any]) -> Iterator[str]:
    """The first screen of the page."""
    study, targets = facts["study"], [one for one in facts["targets"] if not one["emulated"]]
    shown = [one["name"] for one in targets or facts["targets"]]
    names = [" ".join(filter(None, (one["name"], one["file_system"]))) for one in targets or facts["targets"]]
    more = f" and {len(names) - _MOST_TARGETS} more" if len(names) > _MOST_TARGETS else ""
    yield study["title"] or " · ".join(names[:_MOST_TARGETS]) + more
    machine = [
        study["host"],
        study["processor"],
        study["memory"],
        f"suite {study['suites'] or study['name']}",
    ]
    yield "  " + ", ".join(part for part in (*machine, study["began"][:16].replace("T", " ")) if part)
    yield proof(facts["verdicts"])
    for name in shown[:_MOST_TARGETS]:
        yield from answers(name, [one for one in facts["answers"] if one["target"] == name])
    if len(shown) > _MOST_TARGETS:
        yield f"  and {len(shown) - _MOST_TARGETS} more targets: report.html"
    yield from listed("doubts", [f"{one['number']} {one['sentence']}" for one in facts["doubts"]])
    advice = [f"{one['title']} {one['evidence']} {one['action']}" for one in facts["advice"]]
    yield from listed("advice", advice[:_MOST_ADVICE])


def proof(verdicts: Mapping[str, Any]) -> str:
    """Of real storage; of emulated storage where there is no other."""
    emulated = sum(verdicts["emulated"].values())
    only_emulated = not sum(verdicts["real"].values())
    counts = verdicts["emulated"] if only_emulated else verdicts["real"]
    others = [f"{counts[name]:,} {word}" for name, word in verdict_texts().items() if name != "VALID"]
    text = (
        f"  {counts['VALID']:,} of {sum(counts.values()):,} results {proven(verdicts)}, {', '.join(others)}"
    )
    if verdicts.get("busy"):
        text += f"; {verdicts['busy']:,} taken on a busy machine"
    return text + (f"; and {emulated:,} of emulated storage" if emulated and not only_emulated else "")


def proven(verdicts: Mapping[str, Any]) -> str:
    """Only this audit proves: an imported table may carry the verdicts of its author. How far, by the text of
    page.json; earlier pages have none."""
    if verdicts.get("authors"):
        return "VALID by the verdict of the table's author"
    texts = [f"{one['count']:,} {one['text']}" for one in verdicts.get("proofs") or ()]
    return f"proven ({', '.join(texts)})" if texts else "proven"


def answers(target: str, found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """One line for each access: best, small random, tail."""
    for one in sorted(found, key=lambda each: str(each["access"]) != "write"):
        best, small, tail = one["best"], one.get("small"), one.get("tail")
        text = f"  {target:<10} {one['access']:<6} best {_rate(best)}  {best['setting']}"
        yield from textwrap.wrap(text, _WIDTH, subsequent_indent=" " * 20)
        details = [f"small random {_rate(small)}, {three_digits(small['iops'])} op/s"] if small else []
        details += [f"p99 {latency_text(tail['value'])}"] if tail else []
        if details:
            yield " " * 20 + ", ".join(details)


def _rate(row: Mapping[str, Any]) -> str:
    if row.get("lo") is None:
        return f"{three_digits(row['value'])} {row['unit']} (n = {row['n']})"
    return f"{three_digits(row['value'])} {row['unit']} [{three_digits(row['lo'])}–{three_digits(row['hi'])}]"


def listed(name: str, texts: Sequence[str]) -> Iterator[str]:
    for number, text in enumerate(texts):
        first = f"  {name:<10} " if number == 0 else " " * 13
        yield from textwrap.wrap(first + text, _WIDTH, subsequent_indent=" " * 13)
