"""The runs in a log that somebody kept, of all tools; a run without results has records that say so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from weir.records.checked import checked
from weir.terms.columns import columns
from weir.terms.model import Parsed, Row
from weir.tools import tools
from weir.tools.base import UNKNOWN_ACCESS
from weir.tools.ior.complaints import complaint

_NOT_PRINTED = "not printed"
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
    starts = sorted(
        (match.start(), name)
        for name, tool in tools().items()
        if tool.log_start
        for match in tool.log_start.finditer(text)
    )
    cuts = [
        place for (place, name), (_, before) in zip(starts[1:], starts[:-1], strict=True) if name != before
    ]
    return [text[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


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
        {"api": _NOT_PRINTED, **known, "access": access, "iteration": 0}
        for access in ([accesses] if isinstance(accesses, str) else accesses)
    ]
    return checked(replace(parsed, rows=tuple(rows)), parsed.program)


_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_TIME = r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[^\s\]]*\]?:? ?"
_PREFIXES = [
    re.compile(text, re.MULTILINE) for text in (r"^ *\d+: ?", f"^{_TIME}", r"^> ?", r"^(?: {2,}|\t)")
]
_NEARLY_ALL = 0.9


def without_prefixes(text: str) -> str:
    """The lines as the program printed them; the same text where they begin with nothing of the kind."""
    text = _COLOUR.sub("", text)
    for prefix in _PREFIXES:
        lines = [line for line in text.split("\n") if line.strip()]
        if lines and sum(prefix.match(line) is not None for line in lines) >= _NEARLY_ALL * len(lines):
            text = prefix.sub("", text)
    return text


_VAGUE = ("MPI_ABORT was invoked", "Exit code:")
_TABLE_LINES = 20  # comments above a table included
_HEAD_CHARACTERS = 512 * 2**10  # enough to tell
# The first pattern that fits counts.
_KINDS: tuple[tuple[str, str], ...] = (
    (r"\A\s*\Z", "an empty file"),
    (r"\A#!", "a script"),
    (r"\A\x7fELF|\A%PDF|\A.?PNG\b|\APK\x03\x04|\A.?HDF\r?\n|\A.?NUMPY|\ASQLite", "binary data"),
    (r"\A[^\n]{257}ustar|\A[^\0\n]{1,99}\0{1,99}[0-7]{6,7}[ \0]", "a tar archive, to be unpacked first"),
    (r"\A\s*<(!DOCTYPE html|html)", "a page of HTML, whose text is to be saved first"),
    (r"^# darshan log version", "output of darshan-parser"),
    (r"Iozone: Performance Test of File I/O", "output of iozone"),
    (r"^Version\s+[\d.]+[a-z]?\s+-+Sequential Output|^1\.9\d[a-z]?,1\.9\d", "output of bonnie++"),
    (r"Vdbench distribution", "output of vdbench"),
    (r"^sysbench \d|^dbench version|smallfile version|^Filebench Version", "output of another benchmark"),
    (r"\[LNet (Rates|Bandwidth)", "output of a Lustre self-test"),
    (r"Intel\(R\) MPI Benchmarks|^# OSU MPI", "output of a benchmark of MPI"),
    (r"\A(runtime: .*\n)?rank, errors, unknown, found", "a table of the ranks of a search"),
    (r"\A\s*\d+\s*\Z", "a number"),
    (r"^Device\s+(r/s|tps|rrqm/s)|^Linux \d.*_x86_64_", "output of a monitor of the system"),
    (r"^lmm_stripe_count:", "output of lfs getstripe without the log that it belongs to"),
    (r"^\[(global|debug|ior-easy|mdtest-easy|find)\]\s*$", "a configuration"),
    (
        r'"target_facts"\s*:|"batches"\s*:|\Asuite,experiment,reason,cells$',
        "a file of a study, whose records.csv can be imported",
    ),
)
_HEADING = re.compile(r"^#{1,4} \w", re.MULTILINE)  # headings show a page; a log may have one comment
_JSON = re.compile(r'\s*(\{\s*["}]|\[\s*[\[{"\]])')
_TABLE = tuple((re.compile(pattern, re.MULTILINE | re.IGNORECASE), kind) for pattern, kind in _KINDS)


def kind_of(text: str) -> str:
    """The kind of a file, as a noun; empty if nothing in it tells."""
    head = text[:_HEAD_CHARACTERS]
    if form := unread_form(head):
        return form
    for name, tool in tools().items():
        if tool.output_pattern and tool.output_pattern.search(head):
            return f"a text about {name}" if len(_HEADING.findall(head)) > 1 else f"output of {name}"
    for pattern, kind in _TABLE:
        if pattern.search(head):
            return kind
    errors = [one.text for one in map(complaint, head.splitlines()) if one and one.level == "error"]
    if errors:
        # The launcher's own message is less than the error before or after it.
        errors.sort(key=lambda error: error.startswith(_VAGUE))
        return f"a run that failed before its first line ({errors[0]})"
    if "\0" in head:
        return "binary data"
    if _JSON.match(head):
        return "JSON of something else"
    return "a table of something else" if _is_table(head) else ""


def unread_form(text: str) -> str:
    """The form of a tool's output that weir does not read, and what to use instead; empty for other texts."""
    forms = (tool.unread for tool in tools().values() if tool.unread)
    return next((what for pattern, what in forms if pattern.search(text)), "")


def _is_table(head: str) -> bool:
    """Two lines with the same number of separators, comments before them apart."""
    lines = [line for line in head.splitlines()[:_TABLE_LINES] if not line.startswith("#")][:2]
    return any(len({line.count(mark) for line in lines}) == 1 and lines[0].count(mark) > 1 for mark in ",;\t")
