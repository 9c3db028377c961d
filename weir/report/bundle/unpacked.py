"""Bundles among the inputs of a command, unpacked while it runs."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from weir.report.bundle.reproduce import opened


@contextmanager
def unpacked(texts: Sequence[str]) -> Iterator[list[str]]:
    """Each text is a path or several joined by commas; a bundle becomes the directory of its study."""
    with ExitStack() as stack:

        def folder_of(part: str) -> str:
            if not (Path(part).is_file() and Path(part).suffix == ".zip"):
                return part
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="weir-bundle-"))
            return str(opened(Path(part), Path(folder)))

        yield [",".join(folder_of(part) for part in text.split(",")) for text in texts]
