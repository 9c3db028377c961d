"""Links between the pages lead somewhere."""

import re
from functools import cache
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tests.unit.docs.pages import pages

LINK = re.compile(r"\]\(([^)\s]+)\)")


@cache
def anchors(page: Path) -> set[str]:
    """The anchors that a forge makes of the headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files_and_headings(page: Path) -> None:
    broken = []
    for link in LINK.findall(page.read_text()):
        # The reports of the gallery join the site when it is built; mkdocs, which is strict, finds them.
        if link.startswith(("http://", "https://", "mailto:", "reports/")):
            continue
        name, _, anchor = link.partition("#")
        to = (page.parent / name).resolve() if name else page
        if not to.exists() or (anchor and anchor not in anchors(to)):
            broken.append(link)
    assert broken == []


@cache
def reached_from_the_first_one() -> set[Path]:
    """Links and links to folders count."""
    reached = {ROOT / "README.md"}
    ahead = [ROOT / "README.md"]
    while ahead:
        at = ahead.pop()
        for link in LINK.findall(at.read_text()):
            to = (at.parent / link.partition("#")[0]).resolve()
            below = sorted(to.glob("*.md")) if to.is_dir() else [to]
            for found in below:
                if found.suffix == ".md" and found.is_file() and found not in reached:
                    reached.add(found)
                    ahead.append(found)
    return reached


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("**/*.md")), ids=lambda path: path.name)
def test_a_page_can_be_reached_from_the_first_one(page: Path) -> None:
    """A page that nothing links to is never read."""
    assert page in reached_from_the_first_one()
