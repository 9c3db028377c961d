"""The pages of the documentation and the commands fenced in them."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.checkout import ROOT

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MARKER = re.compile(r"<!-- (run|not run|not run on this page|run in order)(?:: ([^>]+))? -->")


def pages() -> list[Path]:
    """Every Markdown page of the repository that a reader can open."""
    found = {*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/README.md")}
    return sorted(path for path in found if not path.name.startswith("."))


@dataclass(frozen=True)
class Block:
    """A fenced block of commands; `marker` is whether the tests run it, `reason` why not."""

    page: Path
    line: int
    language: str
    text: str
    marker: str
    reason: str

    @property
    def name(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path) -> list[Block]:
    """The blocks of commands of a page, each with the marker on the line above it or that of the page."""
    text = page.read_text()
    whole = re.search(r"<!-- (not run on this page|run in order): ([^>]+) -->", text)
    found = []
    for fence in FENCE.finditer(text):
        if fence[1] not in ("sh", "console"):
            continue
        above = text[: fence.start()].rstrip("\n").rsplit("\n", 1)[-1]
        own = MARKER.fullmatch(above) or whole
        marker, reason = (own[1], own[2] or "") if own else ("", "")
        line = text.count("\n", 0, fence.start()) + 1
        found.append(Block(page, line, fence[1], fence[2], marker, reason))
    return found


def steps(block: Block) -> list[tuple[str, str]]:
    """Each command with the output that the page shows; a block of `sh` shows none."""
    if block.language == "sh":
        return [(block.text, "...")]
    parts = re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]
    return [(command, output) for command, _, output in (part.partition("\n") for part in parts)]


def shows(output: str, shown: str) -> bool:
    """Whether the output is what the page shows; "..." stands for any text."""
    pattern = ".*".join(re.escape(part) for part in shown.strip().split("..."))
    return re.fullmatch(pattern, output.strip(), re.DOTALL) is not None


def programs(block: Block) -> Iterator[tuple[str, list[str]]]:
    """Each program that a block calls, and its arguments, without variables and comments."""
    for line in block.text.replace("\\\n", " ").splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars="&|;<>")
        lexer.commenters = "#"
        lexer.whitespace_split = True
        options: list[str] = []
        for word in [*lexer, ";"]:
            if word[0] not in "&|;<>":
                options += [] if not options and re.match(r"\w+=", word) else [word]
            elif options:
                yield options[0], options[1:]
                options = []
