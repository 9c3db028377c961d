"""The container images that a program of a stack is started in, by their digest."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from weir.runs.files import file_sha256

_MAGIC, _MAGIC_AT = b"SIF_MAGIC", 32


def images_of(program: Sequence[str]) -> dict[str, str]:
    """SHA-256 of each image (SIF) among the arguments of a program; a directory, a sandbox, has none."""
    return {word: digest for word in program[1:] if (digest := _digest(Path(word)))}


def _digest(file: Path) -> str | None:
    try:
        state = file.stat()
        return _digest_of(file, state.st_size, state.st_mtime_ns) if file.is_file() else None
    except (OSError, ValueError):
        return None


@cache
def _digest_of(file: Path, size: int, changed_ns: int) -> str | None:
    """Read once, before the first run of a batch: an image has hundreds of megabytes."""
    with file.open("rb") as stream:
        is_image = stream.read(_MAGIC_AT + len(_MAGIC)).endswith(_MAGIC)
    return file_sha256(file) if is_image else None
