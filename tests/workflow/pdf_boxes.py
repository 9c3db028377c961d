"""Boxes of the tokens of a printed report, from `pdftotext -bbox`, and what a journal would refuse."""

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cache
from html import unescape
from pathlib import Path

from tests.programs import ran

_TOKEN = re.compile(
    r'<word xMin="([-0-9.]+)" yMin="([-0-9.]+)" xMax="([-0-9.]+)" yMax="([-0-9.]+)">(.*?)</word>'
)
_PAGE = re.compile(r'<page width="([0-9.]+)" height="([0-9.]+)">(.*?)</page>', re.DOTALL)
_POINTS_PER_MM = 72 / 25.4
_SHARE_OF_AN_OVERLAP = 0.3
_FOOT_MM = 20.0


@dataclass(frozen=True)
class Token:
    """Text and its box, in mm from the upper left corner of the page."""

    text: str
    left: float
    top: float
    right: float
    bottom: float

    def covers(self, other: "Token") -> float:
        """Share of the smaller box that both have in common."""
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.bottom, other.bottom) - max(self.top, other.top)
        smaller = min(token.width * token.height for token in (self, other))
        return wide * high / smaller if wide > 0 and high > 0 and smaller > 0 else 0.0

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top


@dataclass(frozen=True)
class Page:
    """The tokens of a page above its foot, and those of the foot: its number."""

    number: int
    tokens: list[Token]
    foot: list[Token]
    width: float
    height: float

    @property
    def filled_to(self) -> float:
        return max((token.bottom for token in self.tokens), default=0.0)

    @property
    def white_at_end(self) -> float:
        """The share of the height for text that nothing fills below the last line."""
        return (self.height - _FOOT_MM - self.filled_to) / (self.height - 2 * _FOOT_MM)

    @property
    def widest_band(self) -> float:
        """The highest white band between two lines of the page, in mm."""
        lines = sorted(self.tokens, key=lambda token: token.top)
        reached = lines[0].bottom if lines else 0.0
        widest = 0.0
        for token in lines:
            widest = max(widest, token.top - reached)
            reached = max(reached, token.bottom)
        return widest

    @property
    def above_foot(self) -> float:
        """Between the last line and the number of the page."""
        return min((token.top for token in self.foot), default=self.height) - self.filled_to

    def overlaps(self) -> list[tuple[str, str]]:
        """Tokens that stand on each other."""
        tokens = sorted(self.tokens, key=lambda token: token.left)
        lefts = [token.left for token in tokens]
        return [
            (one.text, other.text)
            for index, one in enumerate(tokens, 1)
            for other in tokens[index : bisect_left(lefts, one.right)]
            if one.covers(other) > _SHARE_OF_AN_OVERLAP
        ]

    def outside(self, margin_mm: float) -> list[str]:
        return [
            token.text
            for token in self.tokens
            if token.left < margin_mm or token.right > self.width - margin_mm or token.top < 5
        ]

    def run_together(self) -> list[str]:
        """Labels of two axes without a space between them read as one number: 1,00010."""
        return [
            token.text for token in self.tokens if re.search(r"^[0-9]{1,3}(,[0-9]{3})*,[0-9]{4,}", token.text)
        ]


def pages_of(pdf: Path, foot_mm: float = _FOOT_MM) -> list[Page]:
    """The pages of a PDF; the last foot_mm of each hold its number."""
    return _pages_of(pdf, pdf.stat().st_mtime_ns, foot_mm)


@cache
def _pages_of(pdf: Path, _printed_ns: int, foot_mm: float) -> list[Page]:
    text = ran(["pdftotext", "-bbox", pdf, "-"], code=0).stdout
    pages = []
    for number, (width, height, body) in enumerate(_PAGE.findall(text), 1):
        size = float(width) / _POINTS_PER_MM, float(height) / _POINTS_PER_MM
        tokens = [
            Token(unescape(told), *(float(one) / _POINTS_PER_MM for one in box))
            for *box, told in _TOKEN.findall(body)
        ]
        above = [token for token in tokens if token.top < size[1] - foot_mm]
        pages.append(Page(number, above, [token for token in tokens if token not in above], *size))
    return pages


def captions_of(pages: list[str]) -> list[tuple[str, int, str]]:
    """Kind, number and text of each caption, from the text of the pages as `pdftotext -layout` has it."""
    found = []
    for page in pages:
        for match in re.finditer(r"(?m)^ *(Figure|Table) (\d+)\. (.*?)(?=\n *\n|\Z)", page, re.DOTALL):
            found.append((match[1], int(match[2]), re.sub(r"\s+", " ", match[3])))
    return found
