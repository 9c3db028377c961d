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
