"""Hook of mkdocs: pages outside docs/ join the site; links to files without a page become text."""

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
    "config/README.md": "snakemake.md",
}
# A report in the site, and where the machine that builds the site has it if it drew or measured it.
REPORTS = {
    "reports/quick.html": "results/local/quick/report.html",
    "reports/ime-paper.html": "results/local/ime-paper/report.html",
    "reports/ddn-lustre-2018.html": "results/archive/ddn-lustre-2018/report.html",
    "reports/tokio-year.pdf": "build/tokio-year/tokio-year.pdf",
}
# A browser would break it after the first dash.
OPTION = re.compile(r"<code>(?=-[^<\n]{1,19}</code>)")
HEADING = re.compile(r"^##+ ", re.MULTILINE)
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")


def on_files(files: Files, config: Any) -> Files:
    for source, name in OUTSIDE.items():
        files.append(File.generated(config, name, content=(ROOT / source).read_text(encoding="utf-8")))
    for name, source in REPORTS.items():
        if (ROOT / source).is_file():
            files.append(File.generated(config, name, content=(ROOT / source).read_bytes()))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    uri = page.file.src_uri
    if not HEADING.search(markdown):
        page.meta["hide"] = ["toc"]  # an empty list of headings: the tables get its place
    own = {name: source for source, name in OUTSIDE.items()}.get(uri, f"docs/{uri}")
    return LINK.sub(lambda found: _link(found[1], found[2], own, uri), _images(markdown, own))


def on_page_content(html: str, page: Any, config: Any, files: Files) -> str:
    return OPTION.sub('<code style="white-space:nowrap">', html)


def _images(markdown: str, own: str) -> str:
    return markdown if own.startswith("docs/") else markdown.replace("](docs/img/", "](img/")


def _link(text: str, link: str, own: str, uri: str) -> str:
    """The link between two pages of the site; the text alone if the site does not have the target."""
    name, mark, anchor = link.partition("#")
    if not name or "://" in link or link.startswith("mailto:"):
        return f"[{text}]({link})"
    if name in REPORTS and not (ROOT / REPORTS[name]).is_file():
        return f"{text} (not in this build)"
    goal = posixpath.normpath(posixpath.join(posixpath.dirname(own), name))
    if (ROOT / goal).is_dir() and (ROOT / goal / "README.md").is_file():
        goal = f"{goal}/README.md"
    site = OUTSIDE.get(goal) or (goal[len("docs/") :] if goal.startswith("docs/") else "")
    if not site.endswith((".md", ".svg", ".html", ".pdf")):
        return text
    return f"[{text}]({posixpath.relpath(site, posixpath.dirname(uri) or '.')}{mark}{anchor})"
