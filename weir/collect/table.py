"""records.csv: typed reading with file and line of every fault, atomic writing in the order of the schema."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from weir.base.errors import InputError, did_you_mean
from weir.base.files import csv_lines, reading, write_atomically
from weir.collect.parsed_runs import Run
from weir.records.columns import WRITTEN_AS_IS, columns
from weir.records.model import Cell, Parsed, Row
from weir.tools import tools

_FIRST = list(columns())[:5]
_OF_A_JUDGED_RECORD = ("cell", "access", "verdict")
DAMAGED = "the table is cut, or a comma or quote is missing: collect or import it again"


def read_records(path: Path) -> list[Row]:
    """Typed rows; columns that the file lacks are absent from each row."""
    with reading(path):
        text = path.read_text(encoding="utf-8")
    return [typed_row(fields, path, line) for line, fields in table_lines(text, path)]


def read_study_records(path: Path, names: Sequence[str] = _OF_A_JUDGED_RECORD) -> list[Row]:
    """Reads records like read_records, from a table that weir collected or imported: its records have a name
    and a verdict."""
    rows = read_records(path)
    for name in names:
        if rows and name not in rows[0]:
            raise InputError("is missing", file=path, line=1, key=name, hint=DAMAGED)
    return rows


def read_whole_records(path: Path) -> list[Row]:
    """Reads records like read_study_records; what the table of an earlier version lacks is not known."""
    return [dict.fromkeys(columns()) | row for row in read_study_records(path)]


def table_lines(text: str, path: Path, also: Sequence[str] = ()) -> Iterator[tuple[int, dict[str, str]]]:
    """Number and fields of each line below a header of columns of records, or of these names."""
    reader = csv.DictReader(io.StringIO(text))
    with damage_named(path, reader.reader):
        check_header(reader.fieldnames or (), path, also)
        for fields in reader:
            yield reader.line_num, fields


@contextmanager
def damage_named(path: Path, reader: Any) -> Iterator[None]:
    """Reports what a reader of the csv module cannot read, such as a field without an end, with its file and
    line."""
    try:
        yield
    except csv.Error as error:
        message = f"cannot be read as a table: {error}"
        raise InputError(message, file=path, line=reader.line_num, hint=DAMAGED) from None


def is_table_of_records(path: Path) -> bool:
    """Whether the file is one that write_records wrote, by its first line."""
    try:
        with path.open(encoding="utf-8") as stream:
            return stream.readline().rstrip("\n").split(",")[: len(_FIRST)] == _FIRST
    except (OSError, UnicodeDecodeError):
        return False


def check_header(names: Sequence[str], path: Path, also: Sequence[str]) -> None:
    """Every name must be a column of a record."""
    if not names:
        raise InputError("is empty", file=path, hint="give a CSV file with a header")
    if not set(names) & columns().keys():
        raise InputError(
            "is not a table of records: none of its columns is one of a record",
            file=path,
            line=1,
            hint="name the records.csv of a study; weir import reads logs of benchmark programs",
        )
    for name in names:
        if name not in columns() and name not in also:
            near = did_you_mean(name, columns())
            meant = f"{near} " if near.startswith("did") else ""
            raise InputError(
                "is not a column of a record",
                file=path,
                line=1,
                key=name,
                hint=f"{meant}a table of other columns becomes one of records by weir import {path.name}",
            )


def typed_row(fields: Mapping[str, str], path: Path, line: int) -> Row:
    """The values of one line; a fault names file, line and column."""
    row: Row = {}
    for name, text in fields.items():
        if name is None or text is None:
            raise InputError("has more or fewer fields than the header", file=path, line=line, hint=DAMAGED)
        try:
            row[name] = columns()[name].read(text)
        except ValueError as error:
            hint = columns()[name].hint(text)
            raise InputError(str(error), file=path, line=line, key=name, hint=hint) from None
    return row


def write_records(path: Path, rows: Iterable[Row]) -> None:
    """The whole table or nothing: readers never see a half of it."""
    write_whole(path, csv_lines([columns()]) + lines_of(rows))


def lines_of(rows: Iterable[Row], table: str = "record") -> str:
    """The lines of a table with this schema, for rows that may lack columns."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    names = tuple(columns(table))
    # The csv module writes every value of the other columns as Column.write does.
    converted = [
        (place, WRITTEN_AS_IS.get(column.type), column.write)
        for place, column in enumerate(columns(table).values())
        if column.type != "string"
    ]
    for row in rows:
        values = list(map(row.get, names))
        for place, as_is, write in converted:
            value = values[place]
            if value is not None and type(value) is not as_is:
                values[place] = write(value)
        writer.writerow(values)
    return buffer.getvalue()


def write_whole(path: Path, text: str) -> None:
    """Make the directory, too."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, text)


EXCLUDED_COLUMNS = ("suite", "experiment", "reason", "cells")
ExcludedLine = tuple[str, str, str, int]


def write_excluded(path: Path, lines: Iterable[ExcludedLine]) -> None:
    write_whole(path, csv_lines([EXCLUDED_COLUMNS, *lines]))


LATENCIES_FILE = "latencies.csv"


def collect_latencies(cell: Cell, runs: Iterable[Run]) -> Iterator[Row]:
    """Buckets of all runs of a cell, numbered as its records are; nothing for tools without latencies."""
    for run in runs:
        for bucket in tools()[cell.tool].latencies(run.outputs):
            iteration = run.number * cell.iterations + bucket["iteration"]
            yield bucket | {"cell": cell.cell, "run": run.number, "iteration": iteration}


COUNTERS_FILE = "client-counters.csv"
COLUMNS = ("cell", "run", "access", "iteration", "counter", "samples", "sum")
# Bytes that the client exchanged with the storage targets; it counts no calls there.
_EXCHANGED = {"device_read_bytes": "osc_read_bytes", "device_written_bytes": "osc_write_bytes"}


def counter_lines(cell: Cell, run: int, parsed: Parsed) -> str:
    """Lines of the table for a run; empty where no client counts."""
    return csv_lines(
        [cell.cell, run, row["access"], run * cell.iterations + row["iteration"], *counter]
        for row in parsed.rows
        for counter in _counters(row.get("observed", {}))
    )


def _counters(observed: Row) -> Iterator[tuple[str, int | None, int | None]]:
    client = observed.get("lustre") or {}
    if not client.get("counters"):
        return
    for name, counter in client["counters"].items():
        yield name, counter.get("samples"), counter.get("sum")
    for key, name in _EXCHANGED.items():
        if observed.get(key) is not None:
            yield name, None, observed[key]
