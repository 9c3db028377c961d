"""What was collected of each run, kept beside records.csv: a run is parsed once while nothing changes.

The cache is derived and may be deleted. It is text: a line for each run, with key, state and JSON.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import IO, Any

import weir
from weir.data import data_folder

CACHE_FILE = ".collected"


@cache
def code_state() -> str:
    """A hash of all code and schemas that rows depend on."""
    package = Path(weir.__file__).parent
    files = sorted({*package.rglob("*.py"), *(data_folder("config") / "schemas").glob("*.yaml")})
    found = hashlib.sha256()
    for file in files:
        found.update(file.read_bytes())
    return found.hexdigest()[:16]


class RunCache:
    """Reads the lines of the last collect; only their places are in memory."""

    def __init__(self, file: Path) -> None:
        self._places: dict[str, tuple[str, int]] = {}
        self._stream: IO[bytes] | None = None
        try:
            self._stream = file.open("rb")
        except OSError:
            return
        if self._stream.readline().decode(errors="replace").strip() != code_state():
            return
        place = self._stream.tell()
        for line in self._stream:
            key, _, rest = line.partition(b"\t")
            self._places[key.decode(errors="replace")] = (rest[:40].partition(b"\t")[0].decode(), place)
            place += len(line)

    def get(self, key: str, state: str) -> tuple[str, dict[str, Any]] | None:
        """What was collected of a run that has not changed since, as text and as data."""
        known, place = self._places.get(key, ("", 0))
        if known != state or self._stream is None:
            return None
        self._stream.seek(place)
        line = self._stream.readline().decode(errors="replace")
        text = line.rstrip("\n").partition("\t")[2].partition("\t")[2]
        try:
            content = json.loads(text)
        except ValueError:
            return None
        return (text, content) if isinstance(content, dict) else None

    def close(self) -> None:
        if self._stream is not None:
            self._stream.close()


def write_head(stream: IO[str]) -> None:
    stream.write(f"{code_state()}\n")


def write_line(stream: IO[str], key: str, state: str, text: str) -> None:
    stream.write(f"{key}\t{state}\t{text}\n")


def state_of(parts: Any) -> str:
    """16 hexadecimal digits of what a run's rows depend on."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]
