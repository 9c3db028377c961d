"""What was collected of each run, kept beside records.csv: a run is parsed once while nothing changes.

The cache is derived and may be deleted. For each run it has a line (key, state, two sizes, JSON of what is
counted) and then the lines of the run in records.csv and in latencies.csv, so many bytes of each.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any

import weir
from weir.data import data_folder
from weir.files import from_json

CACHE_FILE = ".collected"


@dataclass(frozen=True)
class Parsed:
    """A run as it goes into the tables; facts are the JSON of what is counted, and of the sum of run.json."""

    records: str
    latencies: str
    facts: str


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
    """Reads what the last collect kept; only the offsets are in memory."""

    def __init__(self, file: Path) -> None:
        self._places: dict[str, tuple[str, int]] = {}
        self._stream: IO[bytes] | None = None
        try:
            self._stream = file.open("rb")
        except OSError:
            return
        if self._stream.readline().decode(errors="replace").strip() == code_state():
            self._find_places(self._stream)

    def _find_places(self, stream: IO[bytes]) -> None:
        """As far as the file is sound."""
        place = stream.tell()
        while line := stream.readline():
            try:
                key, state, records, latencies, _ = line.split(b"\t", 4)
                size = len(line) + int(records) + int(latencies)
            except ValueError:
                return
            self._places[key.decode(errors="replace")] = (state.decode(errors="replace"), place)
            place += size
            stream.seek(place)

    def get(self, key: str, state: str) -> tuple[Parsed, dict[str, Any]] | None:
        """What was collected of a run that has not changed since, and its facts as data."""
        known, place = self._places.get(key, ("", 0))
        if known != state or self._stream is None:
            return None
        self._stream.seek(place)
        try:
            _, _, *sizes, text = self._stream.readline().decode().rstrip("\n").split("\t", 4)
            tables = [self._stream.read(int(size)) for size in sizes]
            facts = from_json(text)
            whole = all(len(table) == int(size) for table, size in zip(tables, sizes, strict=True))
            records, latencies = (table.decode() for table in tables)
        except ValueError:
            return None
        return (Parsed(records, latencies, text), facts) if whole and isinstance(facts, dict) else None

    def close(self) -> None:
        if self._stream is not None:
            self._stream.close()


def write_head(stream: IO[str]) -> None:
    stream.write(f"{code_state()}\n")


def write_run(stream: IO[str], key: str, state: str, run: Parsed) -> None:
    sizes = f"{_bytes_of(run.records)}\t{_bytes_of(run.latencies)}"
    stream.write(f"{key}\t{state}\t{sizes}\t{run.facts}\n{run.records}{run.latencies}")


def _bytes_of(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def state_of(parts: Any) -> str:
    """16 hexadecimal digits of what a run's rows depend on."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]
