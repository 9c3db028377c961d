"""What others put before each line of a log: the rank (srun --label), the time (ts, continuous integration),
colours, a quotation mark. No program that weir knows prints such lines itself in nearly all of its output."""

from __future__ import annotations

import re

_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_TIME = r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[^\s\]]*\]?:? ?"
_PREFIXES = [
    re.compile(text, re.MULTILINE) for text in (r"^ *\d+: ?", f"^{_TIME}", r"^> ?", r"^(?: {2,}|\t)")
]
_NEARLY_ALL = 0.9


def without_prefixes(text: str) -> str:
    """The lines as the program printed them; the same text where they begin with nothing of the kind."""
    text = _COLOUR.sub("", text)
    for prefix in _PREFIXES:
        lines = [line for line in text.split("\n") if line.strip()]
        if lines and sum(prefix.match(line) is not None for line in lines) >= _NEARLY_ALL * len(lines):
            text = prefix.sub("", text)
    return text
