"""weir show: the top of a study's page as text: how fast, how sure, and what to do."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from weir.base.errors import InputError
from weir.base.files import as_json, damage_named, from_json
from weir.base.options import Parser
from weir.report.page import DRAW_AGAIN, PAGE_FILE, checked_page, publication_lines
from weir.report.text import lines

NAME = "show"
GROUP = "prove"
HELP = "print the answer of a study: best rates, proof, doubts and advice"
EXAMPLE = "weir show results/local/quick"

_HINT = "name the folder of a study that was drawn, such as results/local/quick"


def add_arguments(parser: Parser) -> None:
    parser.path("study", "STUDY", "folder of the study, or its page.json")
    parser.flag("--json", "print the facts of the page as JSON")


def execute(args: argparse.Namespace) -> int:
    file = args.study / PAGE_FILE if args.study.is_dir() else args.study
    facts = read_page(file)
    with damage_named(file, DRAW_AGAIN):
        text = as_json(facts) if args.json else "\n".join(_with_map(facts, file.parent))
    print(text)
    return 0


def _with_map(facts: dict[str, Any], study: Path) -> Iterator[str]:
    """The answer, then how much of a publication the study shows, then the rest."""
    answer, *rest = lines(facts)
    yield answer
    yield from (f"  {line}" for line in publication_lines(study))
    yield from rest


def _instead_of_a_study(folder: Path) -> str:
    if (folder / "records.csv").is_file() and not (folder / "plan.json").is_file():
        page = f"open {folder}/logs.html, or " if (folder / "logs.html").is_file() else ""
        return f"these are imported logs: {page}weir audit {folder}/records.csv"
    if (folder / "records.csv").is_file():
        return f"draw it: snakemake --cores all, or see its verdicts: weir audit {folder}"
    return "name the folder of a study that was, such as results/local/quick of make report"


def read_page(file: Path) -> dict[str, Any]:
    try:
        found: Any = from_json(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if file.parent.is_dir() and file.name == PAGE_FILE:
            raise InputError(
                "is missing: the study was not drawn", file=file, hint=_instead_of_a_study(file.parent)
            ) from None
        raise InputError("there is no such study", file=file, hint=_HINT) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=file, hint=_HINT) from None
    except ValueError as error:
        if file.name != PAGE_FILE:
            raise InputError("is not the page of a study", file=file, hint=_HINT) from None
        raise InputError(f"is not JSON: {error}", file=file, hint=DRAW_AGAIN) from None
    return checked_page(found, file)
