"""The pages build as a site: every link leads somewhere, offline, and each page of the tree is in it."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.checkout import ROOT
from tests.programs import ran

SITE = yaml.safe_load((ROOT / "mkdocs.yml").read_text())


def entries(nav: Any) -> Iterator[str]:
    """The pages that the navigation names, at any depth."""
    if isinstance(nav, str):
        yield nav
    for part in nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else ():
        yield from entries(part)


def test_the_navigation_has_every_page() -> None:
    """Except the decisions, which the page about the architecture links."""
    pages = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}
    wanted = {page for page in pages if not page.startswith("decisions/")}
    assert wanted - set(entries(SITE["nav"])) == set(), "mkdocs.yml: add them to nav"


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict"]
    ran([*command, "--site-dir", tmp_path / "site"], cwd=ROOT, env={"NO_MKDOCS_2_WARNING": "1"}, code=0)
    pages = {page.relative_to(ROOT / "docs").with_suffix(".html") for page in (ROOT / "docs").rglob("*.md")}
    indices = {page.with_name("index.html") if page.stem == "README" else page for page in pages}
    built = {page.relative_to(tmp_path / "site") for page in (tmp_path / "site").rglob("*.html")}
    assert indices - built == set()
    assert (tmp_path / "site/search/search_index.json").is_file()
    # Read without a network: nothing is loaded from elsewhere.
    text = (tmp_path / "site/index.html").read_text()
    assert "fonts.googleapis" not in text
    assert 'src="http' not in text
