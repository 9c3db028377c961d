"""The files of an import: those below the directories that a user names, the kinds of those without results
(other programs, source code, documents, runs that failed at once), and a sidecar with what they do not say.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from weir.base.errors import InputError, WeirError, did_you_mean, hint_of
from weir.base.files import printable, reading
from weir.base.units import as_written
from weir.records.columns import columns, facts_of_sidecars
from weir.records.model import Row
from weir.runs.manifest import MANIFEST, files_of_study
from weir.tools import tools
from weir.tools.complaints import complaint


@dataclass
class Found:
    """Each file, and whether it was found in a directory; directories that cannot be listed; tables of an
    import or a study, whose sources may be among the files: they are not read again."""

    files: list[tuple[Path, bool]] = field(default_factory=list)
    errors: list[WeirError] = field(default_factory=list)
    derived: list[Path] = field(default_factory=list)


def files_below(paths: Iterable[Path]) -> Found:
    """Links in a directory are not followed. What is named twice, or also by a directory above it, counts
    once."""
    found = Found()
    seen: set[str] = set()
    for path in paths:
        if not path.is_dir():
            found.files += [(path, False) for _ in _new(path.parent, [path.name], seen)]
            continue
        for folder, names in _folders(path, found.errors):
            derived = files_of_study(folder) if MANIFEST in names else ()
            for name in _new(folder, names, seen):
                if name in derived:
                    found.derived.append(folder / name)
                else:
                    found.files.append((folder / name, True))
    return found


def _new(folder: Path, names: list[str], seen: set[str]) -> list[str]:
    """The names that were not seen before; each is seen now."""
    place = os.path.realpath(folder) if names else ""  # each part of a deep path is looked at
    new = [name for name in names if f"{place}/{name}" not in seen]
    seen.update(f"{place}/{name}" for name in new)
    return new


def _folders(folder: Path, errors: list[WeirError]) -> Iterator[tuple[Path, list[str]]]:
    """Each directory with its regular files, in the order of their names; without recursion, so that only the
    length of a path limits the depth."""
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        try:
            entries = sorted(os.scandir(here), key=lambda entry: entry.name)
            yield here, [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
            waiting += [Path(one.path) for one in reversed(entries) if one.is_dir(follow_symlinks=False)]
        except OSError as error:
            message, hint = f"cannot be listed: {error.strerror}", hint_of(error)
            name = printable(here)
            short = name if len(name) <= 300 else f"{name[:200]}...{name[-80:]}"
            errors.append(InputError(message, file=short, hint=hint))


def imported_before(folder: Path) -> frozenset[str]:
    """Names that an import may write over: those of an earlier one, and none of a study, which has a plan."""
    names = files_of_study(folder)
    return frozenset() if any("plan" in name or "counters" in name for name in names) else names


_VAGUE = ("MPI_ABORT was invoked", "Exit code:")
_TABLE_LINES = 20  # comments above a table included
_HEAD_CHARACTERS = 512 * 2**10  # enough to tell
_SOURCE_CHARACTERS = 64 * 2**10
# What a file is whatever it mentions; the first pattern that fits counts.
_KINDS_FIRST: tuple[tuple[str, str], ...] = (
    (r"\A\s*\Z", "an empty file"),
    (r"\A\x7fELF|\A%PDF|\A.?PNG\b|\APK\x03\x04|\A.?HDF\r?\n|\A.?NUMPY|\ASQLite", "binary data"),
    (r"\A[^\n]{257}ustar|\A[^\0\n]{1,99}\0{1,99}[0-7]{6,7}[ \0]", "a tar archive, to be unpacked first"),
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
        (r"^(?:from [\w.]+ import [\w(*, ]+|import \w[\w.]*(?: as \w+)?)$", r"^(?:def \w+\(|class \w+[(:])"),
    ),
    ("Fortran", (r"^[ \t]*(?:program|module|subroutine) \w", r"^[ \t]*implicit none[ \t]*$")),
    ("a shell", (r"^(?:for \w+ in .*|while .*); *do[ \t]*$", r"^done\b")),
)
_QUOTES = re.compile(r"```|^\.\. code(?:-block)?::", re.MULTILINE)  # a page quotes source
# The first pattern that fits counts.
_KINDS: tuple[tuple[str, str], ...] = (
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
    (
        r"^\d/[\w-]+ (?:BW|IOPs):\S+ (?:MB/s )?time: ?\d+s|^\[Result\] \w+ \w+ (?:bw|rate): ",
        "a summary of IO500 before its first list, which is not read (the outputs of its programs are)",
    ),
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
_SECTION = re.compile(r"\s*\[[\w-]+\]\s*\n")
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
    source = "" if _QUOTES.search(head) else head[:_SOURCE_CHARACTERS]
    for language, patterns in _LANGUAGES:
        if all(pattern.search(source) for pattern in patterns):
            return f"source code in {language}"
    if form := unread_form(head):
        return form
    idle = filter(None, (tool.without_storage(head) for tool in tools().values()))
    if kind := next(idle, ""):
        return kind
    for name, tool in tools().items():
        if tool.output_pattern and tool.output_pattern.search(head):
            return f"a text about {name}" if is_page(head) else f"output of {name}"
    others = [other for tool in tools().values() for other in tool.other_files]
    if kind := _first((*others, *_TABLE), head):
        return f"a page that quotes {kind}" if is_page(head) else kind
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


def is_page(text: str) -> bool:
    """Whether somebody wrote the text to be read, and quotes outputs in it. Comments of a configuration look
    like headings."""
    return not _SECTION.match(text) and len(_HEADING.findall(text[:_HEAD_CHARACTERS])) > 1


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


_PARTS = ("about", "columns", "observed")


@dataclass(frozen=True)
class Facts:
    """about: for readers. columns: fill empty fields. observed: what only the audit reads."""

    about: Row = field(default_factory=dict)
    columns: Row = field(default_factory=dict)
    observed: Row = field(default_factory=dict)


def read_facts(path: Path) -> Facts:
    """The sidecar, with every key and value checked."""
    try:
        with reading(path):
            content = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except (yaml.YAMLError, ValueError) as error:
        raise InputError(f"is not YAML: {error}", file=path) from None
    except RecursionError:
        message, hint = "holds brackets within brackets without end", f"write {', '.join(_PARTS)}"
        raise InputError(message, file=path, hint=hint) from None
    if not isinstance(content, dict):
        raise InputError("is not a group of keys", file=path, hint=f"write {', '.join(_PARTS)}")
    _only(content, _PARTS, path, "")
    parts = {name: content.get(name) or {} for name in _PARTS}
    _only(parts["columns"], columns(), path, "columns.")
    _only(parts["observed"], facts_of_sidecars(), path, "observed.")
    for name, value in parts["observed"].items():
        wrong = facts_of_sidecars()[name](value)
        if wrong:
            raise InputError(wrong.strip(), file=path, key=f"observed.{name}")
    for name, value in parts["columns"].items():
        parts["columns"][name] = _value(name, value, path)
    return Facts(**parts)


def _value(name: str, value: Any, path: Path) -> Any:
    try:
        return columns()[name].read("" if value is None else as_written(value))
    except ValueError as error:
        raise InputError(str(error), file=path, key=f"columns.{name}", value=value) from None


def _only(keys: Any, known: Any, path: Path, where: str) -> None:
    if not isinstance(keys, dict):
        raise InputError("is not a group of keys", file=path, key=where.rstrip("."))
    for key in keys:
        if key not in known:
            hint = did_you_mean(key, known)
            raise InputError("is not known here", file=path, key=f"{where}{key}", hint=hint)
