"""What was collected, kept beside records.csv in blocks of runs: a run is parsed once while nothing changes.

The cache is derived and may be deleted. A block is a line (its state, three sizes, its cells) and so many
bytes of each of three parts, compressed: the lines of its runs in the tables, what is counted of all of them
together, and what belongs to each run. The last part is read only where a run of the block changed.
"""

from __future__ import annotations

import hashlib
import json
import marshal
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any

import weir
from weir.data import data_folder
from weir.files import from_json
from weir.model import Cell
from weir.records.planned import Planned
from weir.records.tally import Tally

CACHE_FILE = ".collected"
_FASTEST = 1  # of the levels of zlib: the tables repeat much, a higher level saves little
RunKey = tuple[str, str]  # a run and its state


@dataclass(frozen=True)
class Parsed:
    """A run as it goes into the tables, records, latencies and client counters; facts are what is counted,
    and the SHA-256 of run.json."""

    tables: tuple[str, str, str]
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class Content:
    """What a block adds to the tables, in the order of Parsed.tables, and to the counts."""

    tables: tuple[memoryview, ...]
    planned: Mapping[str, Any]
    tally: Mapping[str, Any]
    sums: Mapping[str, str]  # of run.json, by run
    marks: Mapping[str, Mapping[str, str]]  # by run: what no other run can have


@dataclass(frozen=True)
class Block:
    """The runs of some cells, as they are kept."""

    state: str
    cells: tuple[str, ...]
    tables: bytes
    facts: bytes
    runs: bytes

    def content(self) -> Content:
        """ValueError if it is damaged."""
        facts, joined = _unpacked_json(self.facts, dict), memoryview(_unpacked(self.tables))
        tables, start = [], 0
        for size in facts["sizes"]:
            tables.append(joined[start : start + size])
            start += size
        return Content(tuple(tables), facts["planned"], facts["tally"], facts["sums"], facts["marks"])

    def parsed(self) -> dict[RunKey, Parsed]:
        """Each run of it; ValueError if it is damaged."""
        texts = [str(table, "utf-8") for table in self.content().tables]
        found, starts = {}, [0, 0, 0]
        for key, state, sizes, facts in _unpacked_json(self.runs, list):
            ends = [start + size for start, size in zip(starts, sizes, strict=True)]
            records, latencies, counters = (
                text[start:end] for text, start, end in zip(texts, starts, ends, strict=True)
            )
            found[key, state] = Parsed((records, latencies, counters), facts)
            starts = ends
        return found

    def write(self, stream: IO[bytes]) -> None:
        parts = (self.tables, self.facts, self.runs)
        sizes = " ".join(str(len(part)) for part in parts)
        stream.write(f"{self.state} {sizes} {','.join(self.cells)}\n".encode())
        for part in parts:
            stream.write(part)


def packed(state: str, cells: Sequence[Cell], runs: Sequence[tuple[RunKey, Parsed]]) -> Block:
    """The block of these cells and their runs."""
    tables = ["".join(run.tables[number] for _, run in runs).encode() for number in range(3)]
    tally = Tally()
    for _, run in runs:
        tally.add(run.facts["tally"])
    facts = {
        "sizes": [len(table) for table in tables],
        "planned": Planned.of_cells(cells).data(),
        "tally": tally.data(),
        "sums": {key: run.facts["sha256"] for (key, _), run in runs},
        "marks": {key: run.facts["marks"] for (key, _), run in runs},
    }
    each = [(*key, [len(text) for text in run.tables], run.facts) for key, run in runs]
    parts = (b"".join(tables), json.dumps(facts).encode(), json.dumps(each).encode())
    return Block(
        state, tuple(cell.cell for cell in cells), *(zlib.compress(part, _FASTEST) for part in parts)
    )


def _unpacked(part: bytes) -> bytes:
    try:
        return zlib.decompress(part)
    except zlib.error as error:
        raise ValueError(str(error)) from None


def _unpacked_json(part: bytes, kind: type) -> Any:
    content = from_json(_unpacked(part))
    if not isinstance(content, kind):
        raise ValueError("is not what this weir writes")
    return content


@cache
def code_state() -> str:
    """A hash of all code and schemas that rows depend on."""
    package = Path(weir.__file__).parent
    files = sorted({*_modules(package), *(data_folder("config") / "schemas").glob("*.yaml")})
    found = hashlib.sha256()
    for file in files:
        found.update(file.read_bytes())
    return found.hexdigest()[:16]


def _modules(package: Path) -> Iterator[Path]:
    """Other processes make and remove directories of compiled modules meanwhile."""
    for folder, folders, names in os.walk(package):
        folders[:] = [name for name in folders if name != "__pycache__"]
        yield from (Path(folder, name) for name in names if name.endswith(".py"))


class RunCache:
    """Reads what the last collect kept; only the offsets are in memory."""

    def __init__(self, file: Path) -> None:
        self._by_state: dict[str, int] = {}
        self._by_cell: dict[str, set[int]] = {}
        self._stream: IO[bytes] | None = None
        try:
            self._stream = file.open("rb")
        except OSError:
            return
        if self._stream.readline().decode(errors="replace").strip() == code_state():
            self._find_blocks(self._stream)

    def _find_blocks(self, stream: IO[bytes]) -> None:
        """As far as the file is sound."""
        place = stream.tell()
        while (head := _read_head(stream)) is not None:
            state, sizes, cells = head
            self._by_state[state] = place
            for cell in cells:
                self._by_cell.setdefault(cell, set()).add(place)
            place = stream.seek(sum(sizes), 1)

    def __contains__(self, state: str) -> bool:
        return state in self._by_state

    def block(self, state: str) -> Block | None:
        """The block with this state."""
        return self._read(self._by_state[state]) if state in self._by_state else None

    def runs_of(self, cells: Iterable[str]) -> dict[RunKey, Parsed]:
        """What was collected of the runs of these cells, and of all others in their blocks."""
        found: dict[RunKey, Parsed] = {}
        for place in sorted({place for cell in cells for place in self._by_cell.get(cell, ())}):
            block = self._read(place)
            try:
                found |= block.parsed() if block else {}
            except (ValueError, TypeError, KeyError):
                continue  # damaged: its runs are parsed again
        return found

    def _read(self, place: int) -> Block | None:
        if self._stream is None:
            return None
        self._stream.seek(place)
        head = _read_head(self._stream)
        if head is None:
            return None
        state, sizes, cells = head
        tables, facts, runs = (self._stream.read(size) for size in sizes)
        return Block(state, cells, tables, facts, runs)

    def close(self) -> None:
        if self._stream is not None:
            self._stream.close()


def _read_head(stream: IO[bytes]) -> tuple[str, tuple[int, int, int], tuple[str, ...]] | None:
    """State, sizes and cells of the next block; None where none is."""
    try:
        state, *sizes, cells = stream.readline().decode().rstrip("\n").split(" ")
        tables, facts, runs = (int(size) for size in sizes)
    except ValueError:
        return None
    return (state, (tables, facts, runs), tuple(cells.split(","))) if min(tables, facts, runs) >= 0 else None


def write_head(stream: IO[bytes]) -> None:
    stream.write(f"{code_state()}\n".encode())


def state_of(text: str, parts: Any) -> str:
    """16 hexadecimal digits of what rows depend on."""
    found = hashlib.sha256(text.encode())
    # Six times as fast as repr; the first layout of marshal has no references, so that equal parts give
    # equal bytes.
    found.update(marshal.dumps(parts, 0))
    return found.hexdigest()[:16]
