"""Third-party text on a terminal: control characters, which it would obey, are shown by their numbers."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterator
from typing import Any, TextIO, cast

# Those of ASCII and Latin 1 but tab and line feed, those that turn the direction of writing, ends of lines
# and paragraphs of Unicode, and bytes of file names that are not UTF-8.
_OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def visible(text: str) -> str:
    """The text with \\u001b for an escape; within JSON that means the same character."""
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class VisibleStream:
    """Writes visible text to a stream; `unfiltered` is for a program's own motions of the cursor."""

    def __init__(self, unfiltered: TextIO) -> None:
        self.unfiltered = unfiltered

    def write(self, text: str) -> int:
        self.unfiltered.write(visible(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unfiltered, name)


@contextlib.contextmanager
def visible_output() -> Iterator[None]:
    """Whatever is printed to stdout and stderr meanwhile is visible."""
    out, err = (cast(TextIO, VisibleStream(stream)) for stream in (sys.stdout, sys.stderr))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        yield


def unfiltered(stream: TextIO) -> TextIO:
    """The stream below, to which a program moves the cursor itself."""
    return stream.unfiltered if isinstance(stream, VisibleStream) else stream
