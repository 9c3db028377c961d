"""Hook of mkdocs: pages outside docs/ join the site; links to files without a page become text."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
# Path in the checkout to path in the site.
OUTSIDE = {
    "README.md": "readme.md",
    "CHANGELOG.md": "changes.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "report-a-fault.md",
    "reference/README.md": "archived-records.md",
    "containers/README.md": "containers.md",
}
# Name of a report to the site that it was measured at, or archived.
REPORTS = {
    "quick": "local",
    "ime-paper": "local",
    "ddn-lustre-2018": "archive",
    "tokio-year": "archive",
}
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")


def on_files(files: Files, config: Any) -> Files:
    for source, name in OUTSIDE.items():
        files.append(File.generated(config, name, content=(ROOT / source).read_text(encoding="utf-8")))
    for name, folder in REPORTS.items():
        found = ROOT / "results" / folder / name / "report.html"
        content = found.read_text(encoding="utf-8") if found.is_file() else _missing(name)
        files.append(File.generated(config, f"reports/{name}.html", content=content))
    return files


def _missing(name: str) -> str:
    text = f"The report {name} is not part of this build of the site; the gallery has the command."
    return f'<!doctype html><meta charset="utf-8"><title>{name}</title><p>{text}</p>'


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    uri = page.file.src_uri
    own = {name: source for source, name in OUTSIDE.items()}.get(uri, f"docs/{uri}")
    return LINK.sub(lambda found: _link(found[1], found[2], own, uri), _images(markdown, own))


def _images(markdown: str, own: str) -> str:
    return markdown if own.startswith("docs/") else markdown.replace("](docs/img/", "](img/")


def _link(text: str, link: str, own: str, uri: str) -> str:
    """The link between two pages of the site; the text alone if the target is not a page."""
    name, mark, anchor = link.partition("#")
    if not name or "://" in link or link.startswith("mailto:"):
        return f"[{text}]({link})"
    goal = posixpath.normpath(posixpath.join(posixpath.dirname(own), name))
    if (ROOT / goal).is_dir() and (ROOT / goal / "README.md").is_file():
        goal = f"{goal}/README.md"
    site = OUTSIDE.get(goal) or (goal[len("docs/") :] if goal.startswith("docs/") else "")
    if not site.endswith((".md", ".svg", ".html")):
        return text
    return f"[{text}]({posixpath.relpath(site, posixpath.dirname(uri) or '.')}{mark}{anchor})"
