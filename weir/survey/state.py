"""The state of a scan: one line for each finished directory, so that a stopped scan can resume."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from weir.base.errors import WeirError
from weir.base.files import from_json, write_atomically
from weir.base.read_back import WRONG_CONTENT, fault_of
from weir.survey.tally import Tally

_HINT = "name another file by --state, or remove this one to scan again from the start"


class State:
    """Appends to FILE. A truncated last line is ignored: its directory is scanned again."""

    def __init__(self, file: Path, about: dict[str, Any]) -> None:
        self.file, self.about = file, about
        self.finished: dict[str, tuple[Tally, list[str]]] = {}
        self._out: TextIO | None = None

    def open(self) -> None:
        if self.file.exists():
            self._read()
        # Written again, without what was truncated; whole before it replaces the old one.
        entries = [self.about, *(_line(path, *found) for path, found in self.finished.items())]
        write_atomically(self.file, "".join(map(_text, entries)))
        self._out = self.file.open("a", encoding="utf-8")

    def finish(self, path: str, tally: Tally, inner: list[str]) -> None:
        self._write(_line(path, tally, inner))

    def close(self) -> None:
        if self._out:
            self._out.close()

    def _write(self, entry: dict[str, Any]) -> None:
        assert self._out is not None
        self._out.write(_text(entry))
        self._out.flush()

    def _read(self) -> None:
        content = self.file.read_bytes() if self.file.is_file() else b"not a regular file"
        known = list(_whole(content.splitlines()))
        if content and (not known or known[0] != self.about):
            other = bool(known) and isinstance(known[0], dict) and known[0].keys() == self.about.keys()
            message = f"is the state of another scan: {known[0]}" if other else "is not the state of a scan"
            raise WeirError(message, file=str(self.file), hint=_HINT, exit_code=2)
        for number, line in enumerate(known[1:], start=2):
            try:
                path, tally, inner = line["directory"], Tally.of(line["tally"]), line["inner"]
                if fault_of([path, *inner], [str]) or "\0" in "".join([path, *inner]):
                    raise ValueError("a name is damaged")
            except WRONG_CONTENT:
                raise WeirError(
                    "is damaged", file=str(self.file), line=number, hint=_HINT, exit_code=2
                ) from None
            self.finished[path] = (tally, inner)


def _text(entry: dict[str, Any]) -> str:
    return json.dumps(entry) + "\n"


def _line(path: str, tally: Tally, inner: list[str]) -> dict[str, Any]:
    return {"directory": path, "inner": inner, "tally": tally.data()}


def _whole(lines: list[bytes]) -> Iterator[Any]:
    for line in lines:
        try:
            yield from_json(line)
        except ValueError:
            return
