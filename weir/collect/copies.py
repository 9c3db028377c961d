"""Results that stand in two files of an import: each is one record."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import PurePath
from typing import Any

from weir.audit.subject import Subject
from weir.collect.judged import TELLING_DIGITS, TIMES, digits
from weir.records.model import Row

_RESULT = ("tool", "access", "item", "bw_mib_s", "ops_s")
_RATES = _RESULT.index("bw_mib_s")
# The columns by which an import finds a result again: an archive has one in two lists.
_NAMES = {"source", "suite", "experiment", "target"}
_DATE = "began"


def once(subjects: Sequence[Subject], copied: list[tuple[Subject, str]]) -> Iterator[Subject]:
    """Results of a log that is there twice are those of one log, and are listed in copied with the other
    one; of a log that was joined to itself, or that differs in anything but the times, they are marked."""
    logged = [subject for subject in subjects if subject.from_output]
    others = {id(one): other for one, other in zip(logged, _repeated(one.row for one in logged), strict=True)}
    of_outputs: dict[tuple[Any, ...], Row] = {}
    for subject in subjects:
        other = others.get(id(subject))
        form = _other_form(subject)
        first = of_outputs.setdefault(form, subject.row) if form else subject.row
        if first["source"] != subject.row["source"]:
            copied.append((subject, first["source"]))
        elif other is None:
            yield subject
        elif _is_same_result(subject.row, other):
            copied.append((subject, other["source"]))
        else:
            yield replace(subject, observed={**subject.observed, "copy_of": other["source"]})


def _repeated(rows: Iterable[Row]) -> Iterator[Row | None]:
    """The earlier result with the same times to all their digits, for each result of a log. Where no time is
    printed, as by mdtest, the results of one file together tell it by their rates."""
    first: dict[tuple[Any, ...], Row] = {}
    for _, of_source in groupby(rows, key=itemgetter("source")):
        results = [(row, tuple(row.get(name) for name in TIMES)) for row in of_source]
        untimed = [_what(row) for row, times in results if not any(times)]
        rates = {rate for what in untimed for rate in what[_RATES:] if rate}
        together = tuple(untimed) if len(untimed) > 1 and digits(rates) >= TELLING_DIGITS else ()
        for at, (row, times) in enumerate(results):
            known = {time for time in times if time}  # one that stands in two columns tells no more
            if digits(known) >= TELLING_DIGITS:
                mark = (*_what(row), *times)
            elif together and not known:
                mark = (at, *together)
            else:
                yield None
                continue
            other = first.setdefault(mark, row)
            yield None if other is row else other


def _what(row: Row) -> tuple[Any, ...]:
    return tuple(row.get(name) for name in _RESULT)


def _is_same_result(row: Row, other: Row) -> bool:
    """Whether two files hold one result: nothing that a log prints tells them apart. A page drops the line
    with the date."""
    names = (row.keys() | other.keys()) - _NAMES
    if None in (row.get(_DATE), other.get(_DATE)):
        names -= {_DATE}
    return row["source"] != other["source"] and all(row.get(name) == other.get(name) for name in names)


def _other_form(subject: Subject) -> tuple[Any, ...] | None:
    """The same for a result in each of the files into which one command wrote it, also where all of them have
    another name since then: a table may cut the numbers that a document has whole."""
    row, names = subject.row, subject.observed.get("results_in") or []
    source = PurePath(row["source"] or "")
    if source.suffix not in {PurePath(name).suffix for name in names}:
        return None
    run = "" if source.name in names else source.stem
    numbers = (row["bw_mib_s"], row["ops_s"], row["moved_bytes"] and row["moved_bytes"] >> 20)
    whole = [None if number is None else int(number) for number in numbers]
    return (source.parent, run, *names, row["tool"], row["access"], row["item"], *whole)
