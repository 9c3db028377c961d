"""Mutated logs and tables through weir import and through the parsers of runs: no crash, no nonsense.

    python -m tests.fuzz_logs [--inputs N] [--seed S] [--keep DIR]

The inputs are the captures in tests/golden and the tables in reference/; the command also takes other real
outputs, where they lie beside the checkout. Each is cut, flipped, spliced with another one, or gets hostile
numbers and lines.
"""

import copy
import functools
import itertools
import os
import random
import re
import resource
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.fuzzers import flipped, keep_input, options, truncated
from weir.base.errors import WeirError
from weir.collect.imported_files import Facts
from weir.collect.importing import import_files
from weir.collect.table import read_records, write_records
from weir.records.columns import checked, columns
from weir.records.model import Row
from weir.tools import tools

ROOT = Path(__file__).resolve().parents[1]
_BESIDE = [
    ROOT.parent / "shared" / name for name in ("samples", "reference/io500-raw", "reference/ior-3.0.1")
]
_MISSING = object()
_MOST_BYTES = 200_000
_TABLE_LINES = 40
CPU_S = 10.0  # of one input
_SLICE = 500  # inputs of one seed and process
_SLICES_AT_A_TIME = 20
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
_NUMBERS = (
    *(b"0", b"-5", b"1e300", b"-1e300", b"nan", b"NaN", b"inf", b"Infinity", b"-0", b"0.0"),
    *(b"1.2.3", b"..", b""),
    *(b"9" * 30, b"9" * 5000, b"1e-320", b"0x10", b"1_000", "²".encode(), "٣".encode()),
    b"18446744073709551616",
)
_LINES = (
    *(b" " * 5000, b"\t" * 5000, b"(" * 5000, b"{" * 5000, b"[" * 5000, b'"' * 5000, b"9" * 5000),
    b"\x00" * 500,
    *(b"write" + b" 1" * 3000, b"Assertion " * 800, b"srun: error: nothing", b"SUMMARY:"),
    *(b"Options:", b"Results:"),
    *(b"\xff\xfe" * 400, b"\xed\xa0\x80", "\u202e\u200f".encode(), b"\x1b[31m", b"a,b,c" * 900),
    *(b"ERROR: in", b"}"),
)


@dataclass(frozen=True)
class Failure:
    """An input that broke something."""

    source: str
    text: bytes
    what: str


Corpus = tuple[tuple[str, bytes], ...]


@cache
def corpus() -> Corpus:
    """Name and content of every real output of the checkout, sorted: the same ones wherever it lies."""
    golden = [file for file in (ROOT / "tests" / "golden").rglob("*") if _is_capture(file)]
    tables = [(file.name, _head(file)) for file in sorted((ROOT / "reference").glob("*.csv"))]
    return (*((file.name, file.read_bytes()) for file in sorted(golden)), *tables)


@cache
def corpus_with_files_beside() -> Corpus:
    """And of those that some machines have beside the checkout."""
    beside = [
        file for folder in _BESIDE if folder.is_dir() for file in folder.rglob("*") if _is_capture(file)
    ]
    return (*corpus(), *((file.name, file.read_bytes()) for file in sorted(beside)))


def _is_capture(file: Path) -> bool:
    return file.suffix in (".txt", ".json", ".csv") and 0 < file.stat().st_size < _MOST_BYTES


def _head(file: Path) -> bytes:
    return b"\n".join(file.read_bytes().split(b"\n")[:_TABLE_LINES]) + b"\n"


def mutants(count: int, seed: int, sources: Corpus | None = None) -> Iterator[tuple[str, bytes]]:
    """So many inputs; the same ones for the same seed and sources, which are those of the checkout."""
    chance, sources = random.Random(seed), sources or corpus()
    for _ in range(count):
        name, text = chance.choice(sources)
        for _ in range(chance.randint(1, 4)):
            mutation = chance.choice(_MUTATIONS)
            text = _spliced(text, chance, sources) if mutation is _spliced else mutation(text, chance)
        yield name, text


def damaged(document: Any) -> Iterator[tuple[str, Any]]:
    """A JSON document with each of its values missing, null or of another type, after the keys that lead to
    it. Of the items of a list only the first one is changed."""
    for place in _places(document):
        for change in (_MISSING, None, "x", -1, [None], {"a": None}):
            copied = copy.deepcopy(document)
            *above, last = place
            group = functools.reduce(lambda inner, key: inner[key], above, copied)
            if change is _MISSING:
                del group[last]
            else:
                group[last] = change
            yield ".".join(map(str, place)), copied


def _places(data: Any) -> Iterator[tuple[Any, ...]]:
    waiting: list[tuple[tuple[Any, ...], Any]] = [((), data)]
    seen: set[tuple[Any, ...]] = set()
    while waiting:
        place, inner = waiting.pop()
        shape = tuple("item" if isinstance(key, int) else key for key in place)
        if shape in seen:
            continue
        seen.add(shape)
        if place:
            yield place
        of_list = enumerate(inner) if isinstance(inner, list) else ()
        items = inner.items() if isinstance(inner, dict) else of_list
        waiting += [((*place, key), item) for key, item in reversed([*items])]


def _other_number(text: bytes, chance: random.Random) -> bytes:
    places = list(_NUMBER.finditer(text))
    if not places:
        return text
    place = chance.choice(places)
    return text[: place.start()] + chance.choice(_NUMBERS) + text[place.end() :]


def _other_line(text: bytes, chance: random.Random) -> bytes:
    lines = text.split(b"\n")
    place = chance.randrange(len(lines))
    change = chance.randrange(4)
    if change == 0:
        lines.insert(place, chance.choice(_LINES))
    elif change == 1:
        lines[place] += chance.choice(_LINES)
    elif change == 2:
        del lines[place]
    else:
        lines.insert(place, chance.choice(lines))
    return b"\n".join(lines)


def _spliced(text: bytes, chance: random.Random, sources: Corpus = ()) -> bytes:
    _, other = chance.choice(sources)
    return text[: chance.randint(0, len(text))] + other[chance.randint(0, len(other)) :]


def _encoded(text: bytes, chance: random.Random) -> bytes:
    plain = text.decode("utf-8", errors="replace")
    return plain.encode(chance.choice(("utf-16", "utf-32", "utf-8-sig", "cp500")), errors="replace")


_MUTATIONS = (truncated, flipped, *[_other_number] * 3, _other_line, _spliced, _encoded)


def failure_of(name: str, text: bytes, folder: Path) -> Failure | None:
    """What goes wrong with one input, or nothing. An error with a message for people is right."""
    file = folder / "input"
    file.write_bytes(text)
    try:
        rows = _import(file)
        nonsense = next(filter(None, map(_nonsense, rows)), None)
        if rows and nonsense is None:
            write_records(folder / "records.csv", rows)
            read_records(folder / "records.csv")
        _parse_as_runs(file)
    except WeirError as error:
        what = f"records that cannot be read again: {error}"
        return Failure(name, text, what) if "records.csv" in str(error) else None
    except Exception:
        return Failure(name, text, traceback.format_exc())
    return Failure(name, text, nonsense) if nonsense else None


def _import(file: Path) -> list[Row]:
    try:
        return import_files([file], Facts()).rows
    except WeirError:
        return []


def _parse_as_runs(file: Path) -> None:
    for tool in tools().values():
        for roles in (("stdout",), ("summary",), ("stdout", "summary", "stderr")):
            outputs = dict.fromkeys(roles, file)
            checked(tool.parse(outputs), tool.name)
            list(tool.latencies(outputs))


def _nonsense(row: Row) -> str | None:
    """A value that no record may have, whatever the verdict."""
    for name, column in columns().items():
        wrong = column.problem(row.get(name))
        if wrong:
            return f"{row['verdict']} record: {name} {wrong}"
    if row["verdict"] in ("VALID", "UNPROVEN") and row["bw_mib_s"] is None and row["ops_s"] is None:
        return f"{row['verdict']} record without a result"
    return None


def run(count: int, seed: int, keep: Path | None = None, sources: Corpus | None = None) -> list[Failure]:
    """The failures of so many inputs, each kept as a file."""
    failures: list[Failure] = []
    with tempfile.TemporaryDirectory(prefix="weir-fuzz-") as name:
        for source, text in mutants(count, seed, sources):
            failure = _within_limit(source, text, Path(name))
            if failure:
                failures.append(failure)
                keep_input(keep, f"{seed}-{len(failures):04d}-{source}", text)
    return failures


def _within_limit(source: str, text: bytes, folder: Path) -> Failure | None:
    """A parser that takes too long for the length of its input fails, too."""
    began_s = time.process_time()
    failure = failure_of(source, text, folder)
    took_s = time.process_time() - began_s
    if failure is None and took_s > CPU_S:
        return Failure(source, text, f"took {took_s:.1f} s for {len(text)} bytes")
    return failure


def main() -> int:
    args = options(__doc__, inputs=None)
    slices = itertools.count() if args.inputs is None else range(-(-args.inputs // _SLICE))
    inputs, failed, peak_mib, began_s = 0, 0, 0, time.monotonic()
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        work = functools.partial(_slice, keep=args.keep)
        seeds = (args.seed + number for number in slices)
        while batch := list(itertools.islice(seeds, _SLICES_AT_A_TIME)):
            for failures, mib in pool.map(work, batch):
                inputs, failed, peak_mib = inputs + _SLICE, failed + len(failures), max(peak_mib, mib)
                for failure in failures:
                    print(f"{failure.source}: {failure.what}\n")
            took_s = time.monotonic() - began_s
            print(f"{inputs} inputs, {failed} failures, {took_s:.0f} s, peak {peak_mib} MiB", flush=True)
    return 1 if failed else 0


def _slice(seed: int, keep: Path | None) -> tuple[list[Failure], int]:
    """With the peak memory of this process so far, in MiB."""
    failures = run(_SLICE, seed, keep, corpus_with_files_beside())
    return failures, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    sys.exit(main())
