"""Runs of a study and results of logs that are copies: what two cannot have in common by chance."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from weir.terms.model import Row

_TIMES = ("total_s", "io_s", "open_s", "close_s", "lat_p50_us", "lat_p99_us", "lat_max_us")
_NOTHING = hashlib.sha256(b"").hexdigest()  # the checksum of an empty stream
# The columns by which an import finds a result again: an archive has one in two lists.
_NAMES = {"source", "suite", "experiment", "target"}
_TELLING_DIGITS = 10  # digits of all times together; two honest results agree in three or four

Marks = Mapping[str, str]  # what marks a run: a value, and what it is


def marks_of(cell: str, facts: Mapping[str, Any], rows: Iterable[Row]) -> dict[str, str]:
    """The marks of a run with results by which a copy is found: what it printed, and when it began, as weir
    and as its program have it. Only fractions of a second tell runs apart, since cells of one launch may
    begin together; runs that fail may print the same.

    Only fractions of a second tell runs apart, and cells of one launch may begin together. Runs that fail may
    print the same.
    """
    results = [row for row in rows if row.get("bw_mib_s") is not None or row.get("ops_s") is not None]
    if not results:
        return {}
    outputs, sums, marks = facts["outputs"], facts.get("sha256") or {}, {}
    if summary := sums.get(outputs.get("summary")):
        marks[summary] = "the same output"
    elif (printed := _printed(outputs, sums)) and _tell(results):
        marks[printed] = "the same output"
    if "." in facts["began"]:
        marks[f"{cell} {facts['began']}"] = "the same start"
    starts = " ".join(str(row.get("began")) for row in results)
    if all("." in str(row.get("began")) for row in results):
        marks[f"{cell} {starts}"] = "the same start of each access"
    return marks


def _printed(outputs: Mapping[str, str], sums: Mapping[str, str]) -> str:
    """The checksums of both streams, since dd prints its results to stderr alone. Empty for a silent
    program."""
    found = [sums.get(outputs.get(stream, ""), _NOTHING) for stream in ("stdout", "stderr")]
    return "" if {*found} == {_NOTHING} else " ".join(found)


def _tell(results: Iterable[Row]) -> bool:
    """Whether two honest runs do not print the same by chance, as two lines of dd might."""
    times = {row.get(name) for row in results for name in _TIMES} - {None, 0}
    return not times or _digits(times) >= _TELLING_DIGITS


def _digits(times: Iterable[Any]) -> int:
    return sum(len(f"{time!r}".partition("e")[0].replace(".", "").strip("0")) for time in times)


def copies(marks: Mapping[str, Marks]) -> dict[str, str]:
    """Each run that is a copy or has one, and of what. marks: those of every run."""
    first: dict[str, str] = {}
    found: dict[str, str] = {}
    for run, known in marks.items():
        for value, what in known.items():
            other = first.setdefault(value, run)
            if other != run:
                found.setdefault(run, f"{what} as {other}")
                found.setdefault(other, f"{what} as {run}")
    return found


def repeated(rows: Iterable[Row]) -> Iterator[Row | None]:
    """The earlier result with the same times to all their digits, for each result of a log."""
    first: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        times = tuple(row.get(name) for name in _TIMES)
        known = {time for time in times if time}  # one that stands in two columns tells no more
        if _digits(known) < _TELLING_DIGITS:
            yield None
            continue
        what = tuple(row.get(name) for name in ("tool", "access", "item", "bw_mib_s", "ops_s"))
        yield first.get((*what, *times))
        first.setdefault((*what, *times), row)


def is_same_result(row: Row, other: Row) -> bool:
    """Whether two files hold one result: nothing that a log prints tells them apart."""
    names = (row.keys() | other.keys()) - _NAMES
    return row["source"] != other["source"] and all(row.get(name) == other.get(name) for name in names)
