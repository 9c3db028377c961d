"""Kinds of texts without results: other programs, source code, documents, runs that failed at once."""

from __future__ import annotations

import re
from collections.abc import Sequence

from weir.tools import tools
from weir.tools.complaints import complaint

_VAGUE = ("MPI_ABORT was invoked", "Exit code:")
_TABLE_LINES = 20  # comments above a table included
_HEAD_CHARACTERS = 512 * 2**10  # enough to tell
_SOURCE_CHARACTERS = 64 * 2**10
# What a file is whatever it mentions; the first pattern that fits counts.
_KINDS_FIRST: tuple[tuple[str, str], ...] = (
    (r"\A\s*\Z", "an empty file"),
    (r"\A#!", "a script"),
    (r"^# darshan log version", "output of darshan-parser"),
    (
        r"^(?:POSIX|MPI-?IO|STDIO|LUSTRE|H5[FD]|PNETCDF\w*)\t-?\d+\t\d+\t[A-Z]\w+\t",
        "output of darshan-parser",
    ),
    (
        r"^Filebench Version \S|^[\d.]+: (?:IO Summary: +\d+ ops|Per-Operation Breakdown$)",
        "output of filebench",
    ),
    (
        r"^(?:rank 0: )?==== Parameters ====$|^ *# of files: \d+, # of datasets: \d+, dataset size: ",
        "output of h5perf",
    ),
)
# Lines that no program prints, at their beginnings: a source file has all of one language's.
_SOURCES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("C or C++", (r"^[ \t]*#[ \t]*include[ \t]*[<\"][\w./+-]+[>\"]",)),
    ("Perl", (r"^use (?:strict|warnings|[A-Z]\w*(?:::\w+)+)\b.*;[ \t]*$",)),
    ("Perl", (r"^package \w+;$", r"^sub \w+[ \t]*\{")),
    (
        "Python",
        (
            r"^(?:from [\w.]+ import [\w(*, ]+|import \w[\w.]*(?: as \w+)?)$",
            r"^(?:def \w+\(|class \w+[(:])",
        ),
    ),
    ("Fortran", (r"^[ \t]*(?:program|module|subroutine) \w", r"^[ \t]*implicit none[ \t]*$")),
    ("a shell", (r"^(?:for \w+ in .*|while .*); *do[ \t]*$", r"^done\b")),
)
_FENCE = "```"  # a page quotes source
# The first pattern that fits counts.
_KINDS: tuple[tuple[str, str], ...] = (
    (r"\A\x7fELF|\A%PDF|\A.?PNG\b|\APK\x03\x04|\A.?HDF\r?\n|\A.?NUMPY|\ASQLite", "binary data"),
    (r"\A[^\n]{257}ustar|\A[^\0\n]{1,99}\0{1,99}[0-7]{6,7}[ \0]", "a tar archive, to be unpacked first"),
    (r"\A\s*<(!DOCTYPE html|html)", "a page of HTML, whose text is to be saved first"),
    (r"Iozone: Performance Test of File I/O", "output of iozone"),
    (r"^Version\s+[\d.]+[a-z]?\s+-+Sequential Output|^1\.9\d[a-z]?,1\.9\d", "output of bonnie++"),
    (r"Vdbench distribution", "output of vdbench"),
    (r"^sysbench \d", "output of sysbench"),
    (r"^dbench version", "output of dbench"),
    (r"smallfile version", "output of smallfile"),
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

LOG_WITHOUT_RESULT = "a log of "  # with the program, and what it lacks
_HEADING = re.compile(r"^#{1,4} \w", re.MULTILINE)  # of a page; a log may have one comment
_JSON = re.compile(r'\s*(\{\s*["}]|\[\s*[\[{"\]])')
_FLAGS = re.MULTILINE | re.IGNORECASE
_TABLE_FIRST = tuple((re.compile(pattern, _FLAGS), kind) for pattern, kind in _KINDS_FIRST)
_TABLE = tuple((re.compile(pattern, _FLAGS), kind) for pattern, kind in _KINDS)
_LANGUAGES = tuple(
    (language, [re.compile(pattern, re.MULTILINE) for pattern in patterns]) for language, patterns in _SOURCES
)


def kind_of(text: str) -> str:
    """The kind of the file, as a noun; empty if nothing in it tells."""
    head = text[:_HEAD_CHARACTERS]
    if kind := _first(_TABLE_FIRST, head):
        return kind
    if _FENCE not in head and (language := _language(head[:_SOURCE_CHARACTERS])):
        return f"source code in {language}"
    if form := unread_form(head):
        return form
    for name, tool in tools().items():
        if tool.output_pattern and tool.output_pattern.search(head):
            return f"a text about {name}" if len(_HEADING.findall(head)) > 1 else f"output of {name}"
    if kind := _first(_TABLE, head):
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


def _first(table: Sequence[tuple[re.Pattern[str], str]], head: str) -> str:
    return next((kind for pattern, kind in table if pattern.search(head)), "")


def _language(head: str) -> str:
    return next(
        (name for name, patterns in _LANGUAGES if all(pattern.search(head) for pattern in patterns)), ""
    )


def unread_form(text: str) -> str:
    """The form of a tool's output that weir does not read, and what to use instead; empty for other texts."""
    forms = (tool.unread for tool in tools().values() if tool.unread)
    return next((what for pattern, what in forms if pattern.search(text)), "")


def is_refused(kind: str) -> bool:
    """Whether a file of this kind, by kind_of or an import, is a log of a benchmark of which no result could
    be read: it is cut, or in a form that is not read."""
    forms = {tool.unread[1] for tool in tools().values() if tool.unread}
    return kind.startswith(LOG_WITHOUT_RESULT) or kind in forms | {f"output of {name}" for name in tools()}


def _is_table(head: str) -> bool:
    """Two lines with the same number of separators, comments before them apart."""
    lines = [line for line in head.splitlines()[:_TABLE_LINES] if not line.startswith("#")][:2]
    return any(len({line.count(mark) for line in lines}) == 1 and lines[0].count(mark) > 1 for mark in ",;\t")
