"""What a tool offers. A new tool is one new file in this package that defines TOOL; nothing else names it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from weir.model import Cell, Footprint, Parsed, Target


@dataclass(frozen=True)
class Parameter:
    """One key that a suite may give the tool.

    kind: size ("16 KiB", becomes <name>_bytes), count (integer), seconds (number), flag (bool), choice (one
    of choices), choices (a list of them), text, hints (mapping of text to text).
    """

    kind: str
    help: str
    default: Any = None
    choices: tuple[str, ...] = ()
    minimum: int = 0


@dataclass(frozen=True)
class RunPaths:
    """Where one execution reads and writes: data on the target, outputs in the results."""

    data: str  # the file or directory on the target, prefix included
    outputs: Path  # folder of this run; summary files go here, never to the target


class Tool(Protocol):
    """command, footprint and problems look at the cell only; parse looks at the outputs only."""

    name: str
    parameters: Mapping[str, Parameter]

    def label(self, params: Mapping[str, Any]) -> str:
        """Readable part of a cell's name, from what distinguishes its parameters."""
        ...

    def problems(self, cell: Cell, target: Target) -> Sequence[str]:
        """Why this cell cannot mean anything, as sentences; empty if it can run."""
        ...

    def command(self, cell: Cell, target: Target, program: Sequence[str], paths: RunPaths) -> list[str]:
        """The words after the launcher."""
        ...

    def footprint(self, cell: Cell) -> Footprint: ...

    def parse(self, outputs: Mapping[str, Path]) -> Parsed:
        """Rows from the files of a run (roles: stdout, stderr, summary); also from logs made by others."""
        ...
