"""The state of a scan: one line for each finished directory, so that a stopped scan can resume."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from weir.errors import WeirError
from weir.scan.tally import Tally

_HINT = "name another file by --state, or remove this one to scan again from the start"


class State:
    """Appends to FILE. A truncated last line is ignored: its directory is scanned again."""

    def __init__(self, file: Path, about: dict[str, Any]) -> None:
        self.file, self.about = file, about
        self.finished: dict[str, tuple[Tally, list[str]]] = {}
        self._out: TextIO | None = None

    def open(self) -> None:
        known = self._lines() if self.file.is_file() else []
        for line in known[1:]:
            self.finished[line["directory"]] = (Tally.of(line["tally"]), line["inner"])
        if known and known[0] != self.about:
            raise WeirError(
                f"is the state of another scan: {known[0]}", file=str(self.file), hint=_HINT, exit_code=2
            )
        # Rewritten without the truncated line.
        self._out = self.file.open("w", encoding="utf-8")
        for entry in [self.about, *(_line(path, *found) for path, found in self.finished.items())]:
            self._write(entry)

    def finish(self, path: str, tally: Tally, inner: list[str]) -> None:
        self._write(_line(path, tally, inner))

    def close(self) -> None:
        if self._out:
            self._out.close()

    def _write(self, entry: dict[str, Any]) -> None:
        assert self._out is not None
        self._out.write(json.dumps(entry) + "\n")
        self._out.flush()

    def _lines(self) -> list[dict[str, Any]]:
        return list(_whole(self.file.read_text(encoding="utf-8").splitlines()))


def _line(path: str, tally: Tally, inner: list[str]) -> dict[str, Any]:
    return {"directory": path, "inner": inner, "tally": tally.data()}


def _whole(lines: list[str]) -> Iterator[dict[str, Any]]:
    for line in lines:
        try:
            yield json.loads(line)
        except ValueError:
            return
