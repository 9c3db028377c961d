"""Third-party measurements as records: logs of tools, and tables whose columns are those of a record."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from weir.audit.judge import judge, verdict_columns
from weir.audit.subject import Subject
from weir.columns import cell_columns, columns, columns_of_role
from weir.errors import WeirError
from weir.model import Message, Parsed, Row
from weir.printed_values import iso_time
from weir.records.checked import checked
from weir.records.collect import messages_of_row
from weir.records.facts import Facts
from weir.records.table import check_header, typed_row
from weir.tools import purpose_of, tools
from weir.tools.outputs import read_text
from weir.units import format_size

# Names that others use for a column.
_OTHER_NAMES = {"campaign": "experiment"}
_ENDLESS = 2**60  # a request above it names no size: only the stonewall was to end it
_JUDGED = columns_of_role("verdict")[1:]


@dataclass(frozen=True)
class Source:
    """One file to read. columns: fill empty fields; rows: what is known of it, in place of its text.

    An error in a file that was found in a directory does not stop the import of the others.
    """

    file: Path
    columns: Row = field(default_factory=dict)
    rows: tuple[Row, ...] = ()
    is_found: bool = False


@dataclass(frozen=True)
class Imported:
    """Audited records; files without any (failed runs, or something else); errors in found files."""

    rows: list[Row]
    without_results: list[Path]
    errors: list[WeirError] = field(default_factory=list)


def import_files(files: Iterable[Path], facts: Facts) -> Imported:
    """Records of all files, in their order; an error if there are none."""
    imported = import_sources([Source(file) for file in files], facts)
    if not imported.rows:
        raise nothing_found(imported)
    return imported


def import_sources(sources: Iterable[Source], facts: Facts) -> Imported:
    """Records of all sources, in their order."""
    subjects: list[Subject] = []
    without_results: list[Path] = []
    errors: list[WeirError] = []
    for source in sources:
        try:
            found = list(_of_source(source, facts))
        except WeirError as error:
            if not source.is_found:
                raise
            errors.append(error)
            continue
        subjects += found
        if not found:
            without_results.append(source.file)
    rows = [_judged(subject) for subject in _counted(_identified(subjects))]
    return Imported(rows, without_results, errors)


def nothing_found(imported: Imported) -> WeirError:
    """The error of an import without any record."""
    if imported.errors:
        return imported.errors[0]
    hint = f"give outputs of {', '.join(tools())} or a CSV file with the columns of a record"
    first = imported.without_results[0] if imported.without_results else None
    return WeirError(
        "holds no results that weir can read",
        file=None if first is None else str(first),
        hint=(first and _why_without(first)) or hint,
        exit_code=2,
    )


def _why_without(file: Path) -> str:
    """What the log of a failed run shows; empty if the file is none."""
    try:
        text = read_text(file)
    except OSError:
        return ""
    runs = [run for tool in tools().values() for run in tool.parse_log(text)]
    for run in runs:
        for message in run.messages:
            if message.level == "error":
                return f"it reports an error: {message.text}"
    return f"it is a log of {runs[0].program} that ends before the first result" if runs else ""


def _of_source(source: Source, facts: Facts) -> Iterator[Subject]:
    own = replace(facts, columns=source.columns | facts.columns)
    if source.rows:
        for row in source.rows:
            yield replace(_subject(row, {}, own, source.file), from_output=False)
    else:
        yield from _of_file(source.file, own)


def _judged(subject: Subject) -> Row:
    """A table that carries verdicts keeps them: who wrote it had the output, this program has the table."""
    if _has_verdict(subject.row):
        return subject.row | {name: subject.row[name] or "" for name in _JUDGED}
    return subject.row | verdict_columns(judge(subject))


def _has_verdict(row: Row) -> bool:
    return bool(row["verdict"])


def _of_file(file: Path, facts: Facts) -> Iterator[Subject]:
    try:
        text = read_text(file)
    except OSError as error:
        raise WeirError(f"cannot be read: {error.strerror}", file=str(file), exit_code=2) from None
    if text.startswith("# "):
        text = text.partition("\n")[2]  # the command, as a comment
    yield from _of_table(text, file, facts) if _is_table(text) else _of_log(text, file, facts)


def _is_table(text: str) -> bool:
    names = text.partition("\n")[0].strip().split(",")
    return "access" in names and "api" in names


def _of_table(text: str, file: Path, facts: Facts) -> Iterator[Subject]:
    reader = csv.DictReader(io.StringIO(text))
    check_header(reader.fieldnames or (), file, also=tuple(_OTHER_NAMES))
    for fields in reader:
        renamed = {_OTHER_NAMES.get(name, name): value for name, value in fields.items()}
        row = typed_row(renamed, file, reader.line_num)
        yield replace(_subject(row, {}, facts, file), from_output=False)


def _of_log(text: str, file: Path, facts: Facts) -> Iterator[Subject]:
    for name, tool in tools().items():
        for parsed in tool.parse_log(text):
            yield from _of_run(checked(parsed, name), name, file, facts)


def _of_run(parsed: Parsed, tool: str, file: Path, facts: Facts) -> Iterator[Subject]:
    for index, printed in enumerate(parsed.rows):
        row = {key: value for key, value in printed.items() if key != "observed"}
        row |= {"tool": tool, "program": parsed.program, "tool_version": parsed.tool_version or None}
        messages = messages_of_row(parsed, index)
        yield _subject(row, printed.get("observed", {}), facts, file, messages, parsed.complete)


def _subject(
    row: Row,
    observed: Row,
    facts: Facts,
    file: Path,
    messages: tuple[Message, ...] = (),
    complete: bool = True,
) -> Subject:
    full: Row = {name: row.get(name) for name in columns()}
    full |= {name: value for name, value in facts.columns.items() if full.get(name) is None}
    for name in ("api", "access"):
        if not full[name]:
            hint = f"name it with --facts: columns: {{{name}: ...}}"
            raise WeirError(f"does not say its {name}", file=str(file), hint=hint, exit_code=2)
    full["purpose"] = full["purpose"] or purpose_of(full["tool"])
    full["emulated"] = bool(full["emulated"])
    full["began"] = iso_time(full["began"] or "")
    full["source"] = full["source"] or str(file)
    if full["requested_bytes"] is None:
        full["requested_bytes"] = _requested_bytes(full)
    return Subject(full, {**facts.observed, **observed}, messages, complete)


def _requested_bytes(row: Row) -> int | None:
    factors = [row[name] for name in ("nn", "ppn", "block_bytes", "segments")]
    if None in factors:
        return None
    nodes, ppn, block_bytes, segments = factors
    requested_bytes = int(nodes * ppn * block_bytes * segments)
    return requested_bytes if requested_bytes <= _ENDLESS else None


def _identified(subjects: Iterable[Subject]) -> Iterator[Subject]:
    """A cell for each set of conditions, so that reads and writes and repetitions find each other.

    Logs of different systems look alike: unless site and target are known, the source is a condition.
    """
    for subject in subjects:
        row = subject.row
        if _has_verdict(row) and row["cell"]:
            yield subject
            continue
        is_located = bool(row["site"] and row["target"])
        identity = json.dumps(
            [None if is_located else row["source"], *(row[name] for name in cell_columns())]
        )
        cell = hashlib.sha256(identity.encode()).hexdigest()[:12]
        yield replace(subject, row=row | {"cell": cell, "label": row["label"] or _label(row)})


def _counted(subjects: Iterable[Subject]) -> Iterator[Subject]:
    """The same iteration again is that of another run: its number goes on."""
    seen: Counter[tuple[Any, ...]] = Counter()
    next_iteration: Counter[tuple[Any, ...]] = Counter()
    for subject in subjects:
        row = subject.row
        if _has_verdict(row) and row["run"] is not None:
            yield subject
            continue
        place = (row["cell"], row["access"])
        run = seen[(*place, row["iteration"])]
        seen[(*place, row["iteration"])] += 1
        iteration = row["iteration"] if run == 0 else next_iteration[place]
        next_iteration[place] = max(next_iteration[place], iteration + 1)
        yield replace(subject, row=row | {"run": run, "iteration": iteration})


def _label(row: Row) -> str:
    sizes = [format_size(row[name]).replace(" ", "") for name in ("xfer_bytes", "block_bytes") if row[name]]
    terms = [row["api"], row["layout"], row["order"], row["item"], row["directories"], " of ".join(sizes)]
    shape = f"{row['nn']}x{row['ppn']}" if row["nn"] and row["ppn"] else None
    return " ".join(str(word) for word in (*terms, shape) if word)
