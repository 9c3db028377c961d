"""Third-party measurements as records: logs of tools, and tables whose columns are those of a record."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from weir.audit.judge import EVIDENCE_SEPARATOR, judge_all, verdict_columns
from weir.audit.registry import rules
from weir.audit.subject import Subject
from weir.base.errors import InputError, WeirError
from weir.base.files import printable, reading, require_file
from weir.collect.copies import once
from weir.collect.imported_files import LOG_WITHOUT_RESULT, Facts, is_page, is_refused, kind_of
from weir.collect.log_cells import counted, identified
from weir.collect.parsed_runs import messages_of_row
from weir.collect.plain_outputs import captured_outputs, without_prefixes, without_prefixes_of_blocks
from weir.collect.table import table_lines, typed_row
from weir.records.columns import checked, columns, columns_of_role
from weir.records.model import Message, Parsed, Row, tasks_of
from weir.records.printed_values import iso_time
from weir.tools import purpose_of, tools
from weir.tools.base import UNKNOWN_ACCESS
from weir.tools.outputs import is_table, read_text

# Names that others use for a column.
_OTHER_NAMES = {"campaign": "experiment"}
_HEAD_CHARACTERS = 4096
_UNKNOWN_API = "unknown"  # a log such as the CSV of IOR does not tell it
_ENDLESS = 2**60  # a request above it names no size: only the stonewall was to end it
_KEPT = "authors-verdict"  # the rule about a verdict that came with the table
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
    """Audited records; files without any; errors in found files; results that stand in two files."""

    rows: list[Row]
    without_results: dict[Path, str]  # with what the file is, if its content tells
    errors: list[WeirError] = field(default_factory=list)
    copied: list[Row] = field(default_factory=list)  # what is in rows already, from another file
    copies: Mapping[tuple[str, str], int] = field(default_factory=dict)  # how many, by file and the other one

    @property
    def refused(self) -> int:
        """Logs without a result that could be read, and files and directories that cannot be read."""
        return len(self.errors) + sum(map(is_refused, self.without_results.values()))


def import_files(files: Iterable[Path], facts: Facts) -> Imported:
    """Records of all files, in their order; an error if there are none."""
    imported = import_sources([Source(file) for file in files], facts)
    if not imported.rows:
        raise nothing_found(imported)
    return imported


def import_sources(sources: Iterable[Source], facts: Facts) -> Imported:
    """Records of all sources, in their order."""
    subjects: list[Subject] = []
    without_results: dict[Path, str] = {}
    errors: list[WeirError] = []
    for source in sources:
        try:
            found, kind = _of_source(source, facts)
        except WeirError as error:
            if not source.is_found:
                raise
            errors.append(error)
            continue
        subjects += found
        if not found:
            without_results[source.file] = kind
    summaries = {(subject.row["tool"], subject.row["source"]) for subject in subjects}
    for file, kind in without_results.items():
        without_results[file] = _with_summary(file, kind, summaries) or kind
    copied: list[tuple[Subject, str]] = []
    rows = _judged([*counted(identified(once(subjects, copied)))])
    again = _judged([*identified(subject for subject, _ in copied)])
    copies = Counter((subject.row["source"], other) for subject, other in copied)
    return Imported(rows, without_results, errors, again, copies)


def _with_summary(file: Path, kind: str, sources: Collection[tuple[str, str]]) -> str:
    """The kind of an output whose run has its results in a file beside it. sources: tools and files."""
    for name, tool in tools().items():
        summary = printable(file.with_name(tool.summary)) if tool.summary else ""
        if kind == f"output of {name}" and (name, summary) in sources:
            return f"what {name} printed of a run with a {tool.summary}"
    return ""


def nothing_found(imported: Imported, derived: Sequence[Path] = (), paths: Sequence[Path] = ()) -> WeirError:
    """The error of an import without any record; derived: tables that it passed over; paths: as given."""
    if imported.errors:
        return imported.errors[0]
    if derived:
        message = "holds what an import or a study wrote, and no logs"
        hint = "name its records.csv to import it"
        return InputError(message, file=printable(derived[0].parent), hint=hint)
    hint = f"give outputs of {', '.join(tools())} or a CSV file with the columns of a record"
    if not imported.without_results:
        where = ", ".join(map(printable, paths)) or None
        return InputError("holds no results that weir can read", file=where, hint=hint)
    # The kind of most files tells more than that of the first, such as a .gitignore.
    kinds = Counter(kind for kind in imported.without_results.values() if kind)
    kind = kinds.most_common(1)[0][0] if kinds else ""
    first = next(file for file, each in imported.without_results.items() if each == kind)
    message = "holds no results that weir can read" + (f": it is {kind}" if kind else "")
    return InputError(message, file=printable(first), hint=hint)


def _of_source(source: Source, facts: Facts) -> tuple[list[Subject], str]:
    """The records that a source holds; if there are none, what it is."""
    own = replace(facts, columns=source.columns | facts.columns)
    if source.rows:
        rows = [_subject(row, {}, own, source.file) for row in source.rows]
        return [replace(row, from_output=False) for row in rows], ""
    text = _with_beside(source.file, text_of(source.file))
    if source.is_found and "\0" in text[:_HEAD_CHARACTERS]:
        return [], kind_of(text)  # no program prints a zero byte
    # A comment before a table is the command that made it.
    table = text.partition("\n")[2] if text.startswith("# ") else ""
    log = table if is_table(table) else without_indentation(text)
    runs = [] if is_table(log) else list(runs_in(log))
    found = list(_of_table(log, source.file, own)) if is_table(log) else _of_runs(runs, source.file, own)
    for make_plain in (without_prefixes, _without_margins, without_prefixes_of_blocks, captured_outputs):
        if any(subject.has_result for subject in found):
            break
        plain = make_plain(log)
        if plain not in ("", log):
            found = _of_runs(runs_in(plain), source.file, own) or found
    return found, "" if found else _kind(text, runs)


def _with_beside(file: Path, text: str) -> str:
    """The text with the files that the program left beside it."""
    patterns = [
        name
        for tool in tools().values()
        if tool.beside and tool.log_start and tool.log_start.search(text)
        for name in tool.beside
    ]
    found = sorted({path for name in patterns for path in file.parent.glob(name) if path.is_file()} - {file})
    return "\n".join([text, *map(text_of, found)])


def text_of(file: Path) -> str:
    with reading(file):
        require_file(file)
        return read_text(file)


def _kind(text: str, runs: Iterable[tuple[str, Parsed]]) -> str:
    known = kind_of(text)
    for _, parsed in () if known else runs:
        if parsed.program:
            how = "without a timed result" if parsed.complete else "that ends before the first result"
            return f"{LOG_WITHOUT_RESULT}{parsed.program} {how}"
    return known


def _judged(subjects: Sequence[Subject]) -> list[Row]:
    """The rows with their verdicts. A table that carries verdicts keeps them: who wrote it had the output,
    this program has the table."""
    judgements = iter(judge_all([subject for subject in subjects if not _has_verdict(subject.row)]))
    return [
        _kept(subject) if _has_verdict(subject.row) else subject.row | verdict_columns(next(judgements))
        for subject in subjects
    ]


def _kept(subject: Subject) -> Row:
    kept = subject.row | {name: subject.row[name] or "" for name in _JUDGED}
    found = rules()[_KEPT].check(subject)
    notes = kept["notes"].split(EVIDENCE_SEPARATOR) if kept["notes"] else []
    if found and (text := f"{_KEPT}: {found.text}") not in notes:
        notes.append(text)
    return kept | {"notes": EVIDENCE_SEPARATOR.join(notes)}


def _has_verdict(row: Row) -> bool:
    return bool(row["verdict"])


def _of_table(text: str, file: Path, facts: Facts) -> Iterator[Subject]:
    for line, fields in table_lines(text, file, also=tuple(_OTHER_NAMES)):
        renamed = {_OTHER_NAMES.get(name, name): value for name, value in fields.items()}
        row = typed_row(renamed, file, line)
        _require_printable(row, file, line)
        parsed = checked(Parsed((row,), {}, (), "", "", complete=True), file.name)
        yield replace(_subject(parsed.rows[0], {}, facts, file, parsed.messages), from_output=False)


def _require_printable(row: Row, file: Path, line: int) -> None:
    for name, value in row.items():
        if isinstance(value, str) and printable(value) != value:
            message = f"holds a control character: {printable(value)[:80]!r}"
            hint = "the table is damaged: write text only"
            raise InputError(message, file=printable(file), line=line, key=name, hint=hint)


def _of_runs(runs: Iterable[tuple[str, Parsed]], file: Path, facts: Facts) -> list[Subject]:
    return [subject for name, parsed in runs for subject in _of_run(parsed, name, file, facts)]


def _of_run(parsed: Parsed, tool: str, file: Path, facts: Facts) -> Iterator[Subject]:
    for index, printed in enumerate(parsed.rows):
        row = {key: value for key, value in printed.items() if key != "observed"}
        version = parsed.tool_version or row.get("tool_version")
        row |= {"tool": tool, "program": parsed.program, "tool_version": version}
        row["tasks"] = row.get("tasks") or printed.get("observed", {}).get("tasks")
        row["api"] = row.get("api") or facts.columns.get("api") or _UNKNOWN_API
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
            raise InputError(f"does not say its {name}", file=printable(file), hint=hint)
    full["purpose"] = full["purpose"] or purpose_of(full["tool"])
    full["emulated"] = bool(full["emulated"])
    full["began"] = iso_time(full["began"] or "")
    full["source"] = full["source"] or printable(file)
    if full["requested_bytes"] is None:
        full["requested_bytes"] = _requested_bytes(full)
    return Subject(full, {**facts.observed, **observed}, messages, complete)


def _requested_bytes(row: Row) -> int | None:
    tasks, block_bytes, segments = tasks_of(row), row["block_bytes"], row["segments"]
    if None in (tasks, block_bytes, segments):
        return None
    requested_bytes = int((tasks or 0) * block_bytes * segments)
    return requested_bytes if requested_bytes <= _ENDLESS else None


NOT_PRINTED = "not printed"
_OF_A_RUN = {"tasks", "api", "access"}  # requests that a program repeats when it has started
# Columns by the names of parameters in the request that a program repeats.
_COLUMNS = {"nodes": "nn", "stonewall": "stonewall_s"}


def runs_in(text: str) -> Iterator[tuple[str, Parsed]]:
    """Each run with the name of its tool."""
    for section in _sections(text):
        for name, tool in tools().items():
            for parsed in tool.parse_log(section):
                yield name, _with_rows(checked(parsed, name))


def _sections(text: str) -> list[str]:
    """The text, cut where the output of another program begins: nothing of one is taken for the other's."""
    starts = _starts(text)
    cuts = [
        place for (place, name), (_, before) in zip(starts[1:], starts[:-1], strict=True) if name != before
    ]
    return [text[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def _starts(text: str) -> list[tuple[int, str]]:
    """The places at which outputs of programs begin, with the names of these."""
    return sorted(
        (match.start(), name)
        for name, tool in tools().items()
        if tool.log_start
        for match in tool.log_start.finditer(text)
    )


def _with_rows(parsed: Parsed) -> Parsed:
    """Adds a row without numbers for a run whose log has a request and no result."""
    failed = any(message.level == "error" for message in parsed.messages)
    began = failed or (not parsed.complete and bool(_OF_A_RUN & parsed.requested.keys()))
    if parsed.rows or not parsed.requested or not parsed.program or not began:
        return parsed
    known: Row = {_COLUMNS.get(name, name): value for name, value in parsed.requested.items()}
    known = {name: value for name, value in known.items() if name in columns()}
    accesses = known.pop("access", None) or [UNKNOWN_ACCESS]
    rows = [
        {"api": NOT_PRINTED, **known, "access": access, "iteration": 0}
        for access in ([accesses] if isinstance(accesses, str) else accesses)
    ]
    return checked(replace(parsed, rows=tuple(rows)), parsed.program)


_TABS = re.compile(r"^\t+", re.MULTILINE)
_BLOCK = r"^( {%d,}|\t+)\S.*\n(?:\1.*\n|[ \t]*\n)*"  # indented as its first line is
_INDENTED = re.compile(_BLOCK % 4, re.MULTILINE)
_LESS_INDENTED = re.compile(_BLOCK % 2, re.MULTILINE)  # reStructuredText needs no four spaces


def _as_printed(block: re.Match[str]) -> str:
    """Pages have tabs for some of the spaces at the beginning of a line."""
    plain = f"\n{block[0]}".replace(f"\n{block[1]}", "\n")[1:]
    return _TABS.sub(lambda tabs: "    " * len(tabs[0]), plain)


def without_indentation(text: str) -> str:
    """A page with each block of code as the program printed it, where more outputs begin in it then: lines of
    some programs are not found with spaces before them. Other texts as they are."""
    if not is_page(text):
        return text
    plain = _INDENTED.sub(_as_printed, text)
    return plain if plain != text and len(_starts(plain)) > len(_starts(text)) else text


def _without_margins(text: str) -> str:
    """The text with each indented block as the program printed it, where an output begins in it then: for
    texts that hold no result as they are, such as pages in another markup than Markdown."""
    plain = _LESS_INDENTED.sub(_as_printed, text)
    patterns = (one for tool in tools().values() for one in (tool.log_start, tool.output_pattern) if one)
    return plain if plain != text and any(one.search(plain) for one in patterns) else text
