"""What a rule looks at: one record and all that is known about the run it came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from weir.model import Cell, Message, Row


@dataclass(frozen=True)
class RunFacts:
    """How the execution ended; nothing of it is known for logs made by others."""

    exit_code: int | None
    timed_out: bool
    timeout_s: float
    error: str | None
    host: Mapping[str, Any] = field(default_factory=dict)  # of run.json


@dataclass(frozen=True)
class Subject:
    """One record. messages are those of this row and of the whole run, not those of other rows."""

    row: Row
    observed: Mapping[str, Any] = field(default_factory=dict)
    messages: tuple[Message, ...] = ()
    complete: bool = True
    cell: Cell | None = None
    run: RunFacts | None = None

    def number(self, column: str) -> float | None:
        """A numeric column, or nothing where it is empty."""
        value = self.row.get(column)
        return None if value is None else float(value)

    def texts(self, level: str) -> list[str]:
        return [message.text for message in self.messages if message.level == level]

    @property
    def has_result(self) -> bool:
        return self.row.get("bw_mib_s") is not None or self.row.get("ops_s") is not None
