"""Reads the output of the original mdtest: the command line, warnings, and a table over all iterations."""

import re
from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any

from weir.records.model import Message, Parsed, Row
from weir.records.printed_values import real, whole
from weir.tools.between import told_apart
from weir.tools.complaints import complaint, without_repeats
from weir.tools.outputs import LINE_BYTES, binary_size, options_in, told_around, with_options, words_of

START = re.compile(r"^-- started at .* --$|^mdtest-\S+ was launched with", re.MULTILINE)
# Its rows, whatever stands around them, and in a text without headings and without the title of a table.
ROW = re.compile(
    r"^[ \t]*(?:File|Directory) (?:creation|stat|read|removal) *:?(?: +\d[\d.,]*){3}", re.MULTILINE
)
ROWS_ALONE = re.compile(rf"\A(?![\s\S]*^SUMMARY)(?:[^\n#]*\n){{0,50}}?{ROW.pattern[1:]}", re.MULTILINE)
_START = re.compile(r"^-- started at (.*) --$", re.MULTILINE)
_LAST_LINES = re.compile(r"^(?:-- finished at .*| *Tree (?:creation|removal) .*)$", re.MULTILINE)
_VERSION = re.compile(
    r"^(?:weir-io )?mdtest-(\S+) was launched with (\d+) total task\(s\) on (\d+) node\(s\)", re.MULTILINE
)
_COMMAND = re.compile(r"^Command line used: (.*)$", re.MULTILINE)
_ITEMS = re.compile(r"^\d+ tasks, (\d+) (files/directories|files?|directories)$", re.MULTILINE)
# 1.9: "SUMMARY:"; 3.x: "SUMMARY rate:"; 4.x: "SUMMARY rate (in ops/sec):".
_RATES = re.compile(r"^SUMMARY(?: rate)?(?: \(in ops/sec\))?: \(of (\d+) iterations\)\s*$", re.MULTILINE)
# With -Z, in place of the rates: seconds of the whole phase, although the title of 4.x has "(in ms/op)".
_SECONDS = re.compile(r"^SUMMARY time(?: \(in ms/op\))?: \(of (\d+) iterations\)\s*$", re.MULTILINE)
# With --showRankStatistics three numbers of single ranks stand before those of the iterations.
_LINE = re.compile(
    r"^\s*(File|Directory) (\w+) *:?(?: +[\d.]+ +[\d.]+ +[\d.]+)?"
    r" +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)\s*$"
)
# A mail breaks the rows at the end of its lines.
_BROKEN = re.compile(
    r"^([ \t]*(?:File|Directory) \w+ *:?(?: +[\d.,]+){0,3})[ \t]*\n((?:[ \t]+[\d.,]+){1,4})[ \t]*$",
    re.MULTILINE,
)
_COMMA = re.compile(r"(?<=\d),(?=\d{3}(?:\s|$))")
# No number with commas between thousands begins so.
_OF_LOCALE = re.compile(r"^ *(?:File|Directory) \w+ *:?.* (?:0|\d{4,}),\d{3}(?: |$)", re.MULTILINE)
# A version between 3.3 and 4.0 prints four numbers of single ranks, and three of the iterations.
_OF_RANKS_FIRST = re.compile(r"^ *Operation +per Rank: .*Std Dev +per Iteration:", re.MULTILINE)
_FOUR_OF_RANKS = re.compile(
    r"^(\s*(?:File|Directory) \w+ *:?)(?: +[\d.]+){4}((?: +[\d.]+){3})\s*$", re.MULTILINE
)
# With -v, after each iteration, by the first rank; since 4.0 the rate of its own items.
_OF_ITERATION = re.compile(
    r"^V-1: +(?:Rank +0 Line +\d+ +)?(File|Directory) (\w+) *: +[\d.]+ sec, +([\d.]+) ops/sec\s*$",
    re.MULTILINE,
)
_ALIKE = 0.2  # of the greatest rate: what one rank's rate of all items may differ by, and of its own does not
_WALL = re.compile(r"^Continue stonewall hit min: (\d+) max: (\d+) avg: ([\d.]+)", re.MULTILINE)
_END = re.compile(r"^-{1,2} finished at .* -{1,2}$", re.MULTILINE)  # a page makes one dash of two
_ACCESS = {"creation": "create", "stat": "stat", "read": "read", "rename": "rename", "removal": "remove"}
# Without any of these options all run.
_PHASES = {"C": "create", "T": "stat", "E": "read", "r": "remove"}
_VERIFIED = re.compile(r"ERROR: verifying the data on read \((\d+) errors\)")
_STATUS_UNREAD = re.compile(r"could not read stonewall status file", re.IGNORECASE)
_LAST_RATE = re.compile(r"^\s*(File|Tree) removal\b")  # lines below it have no rate of items
_VALUES = "abdefGiIlnNpsVwWxz"  # options of one letter that take a value
_FLAGS = {"y": "sync_files", "Y": "sync", "X": "verify_read", "L": "leaf_only", "R": "random"}
# Options of the tree and of the ranks that no column has.
_TREE = {"b": "branches", "z": "depth", "I": "items in a directory", "L": "leaf only", "N": "shift"}
_HEAD_CHARACTERS = 200  # between the date and the version
_EXACT_ITERATIONS = 3  # least, greatest and mean give the values of so many
# mdtest of IOR 3.2.0 and 3.2.1 confuses the iterations of its ranks: all numbers of its table are of the best
# iteration. That of 3.2.2 does not, and has the same version and title.
_MIXING_VERSION = "1.9.3"
_MIXED_SPREAD = 0.05  # what ranks that wait for each other differ by, of the rate
_MIXED_LEAST_S = 0.1  # in shorter phases they may differ by more


def printed_runs(text: str) -> list[Parsed]:
    """The runs of a log. A page that explains a log quotes it: a run whose date, command and rates an earlier
    one has is that one, and so is a table alone whose rates one before it has."""
    found: list[Parsed] = []
    known: dict[tuple[str, ...], set[tuple[Any, ...]]] = {}
    every: set[tuple[Any, ...]] = set()
    for part, told in _parts(text):
        run = parsed_table(part)
        with_options(run.rows, told)
        rates = {(row.get("item"), row.get("access"), row.get("ops_s")) for row in run.rows}
        before = known.setdefault(_date_and_command(part), set())
        is_known = rates <= before if run.tool_version else rates <= every
        if is_known and (rates or not run.tool_version):
            continue
        found.append(run)
        before |= rates if _date_and_command(part)[0] else set()
        every |= rates
    return found


def _parts(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The texts of the runs, each with what stands around it and tells its cell from others."""
    starts = _starts_in(text)
    spans = [*pairwise([*starts, len(text)])]
    above = [text[max(a, b - LINE_BYTES) : b] for a, b in zip([0, *starts], starts, strict=False)]
    commands = [_date_and_command(text[begin:end])[1] for begin, end in spans]
    firsts = [_first_line_of(text, begin, end) for begin, end in spans]
    ended = [0, *(_end_of_run(text, *span) for span in spans[:-1])] if spans else []
    apart = told_apart(text, [*zip(commands, ended, firsts, strict=True)])
    for at, (begin, end) in enumerate(spans):
        table = _table_of(text[begin:end])
        place = begin + table.start() if table else begin  # before a table alone may be a whole page
        told = told_around(text, place, commands[at], above[at])
        yield text[begin:end], told | apart[at]


def _starts_in(text: str) -> list[int]:
    """The begins of the runs of the original: the line of the date if it is there, else that of the version,
    else the table alone."""
    dates = [match.start() for match in _START.finditer(text)]
    begins = [_near(dates, match.start()) for match in _VERSION.finditer(text)]
    begins = begins or ([0] if _has_rates(text) else [])
    return [one for begin, end in pairwise([*begins, len(text)]) for one in _with_tables(text, begin, end)]


def _with_tables(text: str, begin: int, end: int) -> list[int]:
    """The begin of a run, and of those behind it of which a page quotes the tables alone: each has the lines
    behind the table before it."""
    tables = [*_RATES.finditer(text, begin, end)] or [*_SECONDS.finditer(text, begin, end)]
    begins = [begin]
    for before, table in pairwise(tables):
        command = _COMMAND.search(text, before.end(), table.start())
        begins.append(command.start() if command else table.start())
    return begins


def _first_line_of(text: str, begin: int, end: int) -> int:
    """The place of a run's first line; before it the author of a page may have written something."""
    found = (one.search(text, begin, end) for one in (_START, _VERSION, _COMMAND, _RATES, _SECONDS))
    return min((match.start() for match in found if match), default=begin)


def _end_of_run(text: str, begin: int, end: int) -> int:
    """The end of the last line that a run printed."""
    return max((match.end() for match in _LAST_LINES.finditer(text, begin, end)), default=begin)


def printed_job(text: str) -> tuple[int, int]:
    """Tasks and nodes of the first run; 0 and 0 where it does not tell them."""
    launched = _VERSION.search(text)
    return (int(launched[2]), int(launched[3])) if launched else (0, 0)


def _date_and_command(text: str) -> tuple[str, str]:
    """Date and command, which tell one run from the next; the date is empty where it is not printed."""
    found = (_START.search(text), _COMMAND.search(text))
    return found[0][0] if found[0] else "", found[1][1] if found[1] else ""


def _near(begins: Sequence[int], place: int) -> int:
    index = bisect(begins, place) - 1
    return begins[index] if index >= 0 and place - begins[index] < _HEAD_CHARACTERS else place


def _has_rates(text: str) -> bool:
    """Whether there is a table with the rates, or the times, of files or directories."""
    rates = _table_of(text)
    return rates is not None and any(_LINE.match(line) for line in _lines_behind(rates, text)[1:9])


def _lines_behind(rates: re.Match[str], text: str) -> list[str]:
    """The lines behind the title of a table; by a locale its numbers have commas before their decimals."""
    table = _BROKEN.sub(r"\1\2", text[rates.end() :])
    if _OF_RANKS_FIRST.match(table.lstrip("\n")):
        table = _FOUR_OF_RANKS.sub(r"\1\2 0", table)
    return (_COMMA.sub(".", table) if _OF_LOCALE.search(table) else table).splitlines()


def _table_of(text: str) -> re.Match[str] | None:
    return _RATES.search(text) or _SECONDS.search(text)


def messages_in(text: str) -> list[Message]:
    """Complaints of mdtest, its MPI library and the launcher."""
    found = []
    for line in text.splitlines():
        verified = _VERIFIED.match(line)
        if verified:
            found.append(Message("error", f"Incorrect data on read ({verified[1]} errors)"))
        elif message := complaint(line):
            found.append(message)
    return without_repeats(found)


def parsed_table(text: str) -> Parsed:
    """One execution. Without a line for each iteration, of more than three only their mean is known."""
    launched = _VERSION.search(text)
    requested = _requested(text)
    rows: list[Row] = []
    rates = _table_of(text)
    known = requested | (_iterations(text[: rates.start()], rates, launched) if rates else {})
    has_last = False
    if rates:
        has_seconds = rates[0].startswith("SUMMARY time")
        for line in _lines_behind(rates, text)[1:]:
            if line.startswith("SUMMARY"):
                has_last = True
                break
            has_last = has_last or _LAST_RATE.match(line) is not None
            match = _LINE.match(line)
            if match:
                rows += _rows(match, whole(rates[1]) or 1, known, has_seconds)
    began = _began(text)
    for row in rows:
        row["observed"]["all_results"] = has_last
        row["began"] = began
    return Parsed(
        rows=tuple(rows),
        requested=requested,
        messages=tuple(messages_in(text)),
        program="mdtest" if launched or rows else "",
        tool_version=launched[1] if launched else "",
        complete=_END.search(text) is not None,
    )


def _began(text: str) -> str | None:
    """'05/18/2026 08:57:23' as ISO 8601: month, day and year in every locale."""
    started = _START.search(text)
    try:
        return datetime.strptime(started[1], "%m/%d/%Y %H:%M:%S").isoformat() if started else None
    except ValueError:
        return None


def _rows(
    match: re.Match[str], iterations: int, requested: Mapping[str, Any], has_seconds: bool
) -> list[Row]:
    """One for each iteration. In which order they had their rates only the lines of the iterations tell."""
    item, access = match[1].lower(), _ACCESS.get(match[2])
    greatest, least, mean = (real(match[group]) for group in (3, 4, 5))
    if access is None or greatest is None or least is None or mean is None or greatest == 0:
        return []
    values, kind = _values(requested, (item, access), iterations, (greatest, least, mean), has_seconds)
    third = 3 * mean - greatest - least
    derived = max((at for at, value in enumerate(values) if value == third), default=None)
    rows = []
    for iteration, value in enumerate(values):
        measured = _measured(value, _done(access, requested), has_seconds)
        if measured["ops_s"] is None:
            continue
        bytes_of = requested.get("read_bytes" if access == "read" else "write_bytes", 0)
        row: Row = {
            "api": requested.get("api", "POSIX"),
            "access": access,
            "item": item,
            "nn": requested.get("nodes"),
            "xfer_bytes": bytes_of if item == "file" else 0,
            "stonewall_s": requested.get("stonewall"),
            **{name: requested.get(name) for name in ("ppn", "directories", "order", "sync")},
            "iteration": iteration,
            **measured,
            "requested_ops": requested.get("items"),
            "observed": {
                "tasks": requested.get("tasks"),
                "mean_of": iterations if len(values) < iterations else 1,
            },
        }
        if kind == "exact" and len(values) == _EXACT_ITERATIONS and iteration == derived:
            row["observed"]["derived"] = True
        if kind == "mixed":
            row["observed"]["best_of"] = iterations
        row["observed"] |= {"stonewall": requested.get("wall"), "status_file": requested.get("status_file")}
        row["observed"]["sync_files"] = bool(requested.get("sync_files"))
        for name in ("path", "workload"):
            row["observed"] |= {name: requested[name]} if requested.get(name) else {}
        rows.append(row)
    return rows


def _iterations(head: str, rates: re.Match[str], launched: re.Match[str] | None) -> dict[str, Any]:
    """The rates of each iteration that stand before the table, and whether the table may have mixed them."""
    lines: dict[tuple[str, str], list[float]] = {}
    for match in _OF_ITERATION.finditer(head):
        rate, access = real(match[3]), _ACCESS.get(match[2])
        if rate and access:
            lines.setdefault((match[1].lower(), access), []).append(rate)
    mixes = launched is not None and launched[1] == _MIXING_VERSION and not rates[0].startswith("SUMMARY:")
    return {"lines": lines, "mixes": mixes}


def _values(
    requested: Mapping[str, Any],
    which: tuple[str, str],
    iterations: int,
    table: tuple[float, float, float],
    has_seconds: bool,
) -> tuple[list[float], str]:
    """The rates of the iterations as far as they are known, and how: exact, printed, mixed, or a mean."""
    greatest, least, mean = table
    lasted_s = greatest if has_seconds else (requested.get("items") or 0) / greatest
    mixed = _is_mixed(requested, iterations, (greatest - least) / greatest, lasted_s)
    lines = requested["lines"].get(which, [])
    is_of_all = len(lines) == iterations and abs(max(lines) - greatest) <= _ALIKE * greatest
    is_of_all = is_of_all and iterations > 1 and not has_seconds
    if not mixed and iterations <= _EXACT_ITERATIONS:
        exact = [greatest, least, 3 * mean - greatest - least][:iterations]
        return _in_order(exact, lines) if is_of_all else exact, "exact"
    if is_of_all:
        return lines, "printed"
    return ([greatest], "mixed") if mixed else ([mean], "mean")


def _in_order(values: Sequence[float], lines: Sequence[float]) -> list[float]:
    """The values of all ranks, which a table has without their order; the lines, of the first rank, tell
    that."""
    places = sorted(range(len(lines)), key=lambda at: lines[at])
    return [value for _, value in sorted(zip(places, sorted(values), strict=True))]


def _is_mixed(requested: Mapping[str, Any], iterations: int, spread: float, lasted_s: float) -> bool:
    """Whether the greatest and the least value may be of one iteration. Where there are as many ranks as
    iterations, values that differ by more than ranks do are of several."""
    tasks = requested.get("tasks") or 0
    if not requested["mixes"] or tasks < 2 or iterations < 2:
        return False
    return tasks < iterations or spread <= _MIXED_SPREAD or lasted_s < _MIXED_LEAST_S


def _measured(value: float, ops: int | None, has_seconds: bool) -> Row:
    """A rate, or the time of the phase and the rate that follows from it."""
    if not has_seconds:
        return {"ops_s": round(value, 3), "ops": ops}
    total_s = round(value, 3)
    return {"ops_s": ops / total_s if ops and total_s else None, "ops": ops, "total_s": total_s}


def _done(access: str, requested: Mapping[str, Any]) -> int | None:
    """The items that were done; after a stonewall as many as those of the quickest rank. The content of a
    status file is not printed."""
    wall = requested.get("wall")
    if wall:
        pairs: int = wall["pairs_max"] * requested["tasks"]
        return pairs
    known = access == "create" or not requested.get("status_file")
    return requested.get("items") if known else None


def _options(command: str) -> dict[str, str]:
    return dict(options_in(words_of(command), _VALUES))  # every word in quotes since 3.0, none before


def parse_command(command: str) -> dict[str, Any]:
    """The parameters that a command line requests."""
    options = _options(command)
    api = options.get("a", "POSIX").upper()
    requested: dict[str, Any] = {
        "api": {"DUMMY": "NULL"}.get(api, api),
        "item": "directory" if "D" in options and "F" not in options else "file",
        "directories": "own" if "u" in options else "shared",
        "order": "random" if "R" in options else "sequential",
        "write_bytes": binary_size(options.get("w", "0")),
        "read_bytes": binary_size(options.get("e", "0")),
        "stonewall": real(options.get("W", "0")) or 0.0,
        "path": options.get("d"),
        "status_file": options.get("x"),
        "access": [name for letter, name in _PHASES.items() if letter in options] or [*_PHASES.values()],
    }
    requested |= {name: letter in options for letter, name in _FLAGS.items()}
    tree = {name: options[letter] for letter, name in _TREE.items() if letter in options}
    return requested | ({"workload": {"options": tree}} if tree else {})


def _requested(text: str) -> dict[str, Any]:
    command, launched = _COMMAND.search(text), _VERSION.search(text)
    tasks, nodes = (whole(launched[2]), whole(launched[3])) if launched else (None, None)
    if not tasks or not nodes:
        return {"workload": {"options": {"command": command[1]}}} if command else {}
    job = {"tasks": tasks, "nodes": nodes, "ppn": tasks // nodes if tasks % nodes == 0 else None}
    if not command:
        return job
    options = _options(command[1])
    requested = parse_command(command[1]) | job
    if _STATUS_UNREAD.search(text):
        requested["status_file"] = None
    items, wall = _ITEMS.search(text), _WALL.search(text)
    requested["items"] = whole(items[1]) if items else None
    if "S" in options and items and "n" in options:
        requested["items"] = tasks * (whole(options["n"]) or 0) or None  # all ranks use the same file
    pairs = (whole(wall[1]), whole(wall[2])) if wall else (None, None)
    if requested["stonewall"] and None not in pairs:
        requested["wall"] = {"hit": True, "pairs_min": pairs[0], "pairs_max": pairs[1]}
    return requested
