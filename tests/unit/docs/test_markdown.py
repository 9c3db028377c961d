"""A page is read as it was written: no block of code swallows text, no row stands outside of its table."""

import re
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tests.unit.docs.pages import FENCE, pages

HEAD = re.compile(r"\|[-:| ]+\|$")


def faults_of(text: str) -> list[str]:
    """Fences that neither begin nor end a block, and first rows of a table without a line of dashes below."""
    lines = FENCE.sub("", text).splitlines()
    rows = [
        line
        for before, line, below in zip(["", *lines], lines, [*lines[1:], ""], strict=False)
        if line.startswith("|") and not before.startswith("|") and not HEAD.match(below)
    ]
    return [line for line in lines if line.lstrip().startswith("```")] + rows


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_blocks_end_and_tables_hold_together(page: Path) -> None:
    assert faults_of(page.read_text()) == []


def test_a_swallowed_line_and_a_lost_row_are_found() -> None:
    assert faults_of("```sh\nls\n``` text\n\n## next\n") == ["```sh", "``` text"]
    assert faults_of("| a |\n|---|\n| b |\n\n| c |\n") == ["| c |"]
    assert faults_of("```sh\nls\n```\n\n| a |\n|---|\n| b |\n") == []
