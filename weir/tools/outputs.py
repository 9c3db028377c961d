"""Outputs of programs as text, in linear time and bounded memory whatever they hold."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from weir.errors import WeirError

# No program prints a longer line that a number is read from; what is behind is dropped.
LINE_BYTES = 8 * 2**10
# A document may be one line.
_DOCUMENT_LINE_BYTES = 16 * 2**20
_MOST_BYTES = 64 * 2**20
_AT_ONCE_BYTES = 2**20
_USUAL_BYTES = 64 * 2**10  # nearly all outputs are smaller; a larger buffer costs time, even unused


def read_texts(outputs: Mapping[str, Path]) -> dict[str, str]:
    """The outputs that are there, by their roles."""
    texts = {}
    for role, path in outputs.items():
        # A test whether it exists would cost as much as the reading.
        with contextlib.suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError):
            texts[role] = read_text(path)
    return texts


def read_text(path: Path) -> str:
    """The text of a file, each line cut at a length that only noise has; more than 64 MiB is an error."""
    with open(path, "rb") as stream:
        data = stream.read(_USUAL_BYTES)
        if len(data) == _USUAL_BYTES:
            data += stream.read(_AT_ONCE_BYTES - _USUAL_BYTES)
        longest = _DOCUMENT_LINE_BYTES if data[:64].lstrip().startswith(b"{") else LINE_BYTES
        if len(data) > min(longest, _AT_ONCE_BYTES - 1):
            stream.seek(0)
            data = _cut(stream, longest, path)
    return data.decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n")


def _cut(stream: BinaryIO, longest: int, path: Path) -> bytes:
    kept, size = [], 0
    while line := stream.readline(longest):
        kept.append(line)
        size += len(line)
        if size > _MOST_BYTES:
            raise WeirError(
                f"holds more than {_MOST_BYTES >> 20} MiB of text",
                file=str(path),
                hint="give the part that holds the results",
                exit_code=2,
            )
        if not line.endswith(b"\n"):
            _skip_line(stream, longest)
            if len(line) == longest:
                kept.append(b"\n")
    return b"".join(kept)


def _skip_line(stream: BinaryIO, longest: int) -> None:
    """The rest of a line that was too long."""
    while (rest := stream.readline(longest)) and not rest.endswith(b"\n"):
        pass
