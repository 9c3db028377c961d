"""dd: the line that it prints at its end, bytes and seconds, is imported and judged under weir prove.

It does not print which of its two files was on a storage. Where a log has the commands (a script that ran
with `set -x`), they tell: what came from a device of the kernel was written, what went to one was read.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import pairwise

from weir.records.model import Parsed, Row
from weir.tools.base import UNKNOWN_ACCESS, LogTool
from weir.tools.between import noted, written
from weir.tools.outputs import FENCE, REPETITION, caption_of, multiplied, numbered

_MIB = 2**20
# The line in any language, some of which write a comma for the point, and of GNU, busybox, BSD and macOS;
# on pages behind a name, as code.
_DONE = re.compile(
    r"^(?:(?P<name>[^\n`]{0,80})`)?(?P<bytes>\d{1,19}) ?\w{1,20}(?: ?\([^)]*\))? ?\w{1,20}(?:[,、，]| in) ?"
    r"(?P<seconds>\d[0-9.,e+-]{0,20}) \w{1,7}"
    r"(?:[,、，] ?[\d.,]{1,20} ?[kMGT]?B/\w| \(\d+ bytes/sec\))(?(name)`.*|[ \t]*)$",
    re.MULTILINE,
)
_COMMENTED = re.compile(r"^(?:#|//) +(?=\d+(?:\+\d+)? \w)", re.MULTILINE)  # output below its command
_COUNTS = re.compile(r"\d+\+\d+ ")  # records in, records out
# What tells neither where dd ran nor under which conditions; a line without a prompt has nothing else.
_PLAIN = ("sudo", "srun", "time", "sh", "bash", "-c", "do")
_BEFORE = rf"(?:(?:{'|'.join(_PLAIN)}|[A-Za-z_]\w{{0,40}}=\S{{0,200}}) +)*['\"]?"
_COMMAND = re.compile(
    rf"^(?:(?:\++ |(.{{0,80}}[$#%] |> ))(.{{0,200}}?[\s'\"(;&])??|({_BEFORE}))"
    r"((?:/\S{1,80}/)?dd[ \t](?:\\\n|.)*)$",
    re.MULTILINE,
)
_PRINTED = re.compile(rf"{_COMMAND.pattern}|{_DONE.pattern}|^\d+\+\d+ .*$", re.MULTILINE)
_WORD = r"(?:\$\(\([^()\n]*\)\)|\$\([^()\n]*\)|`[^`\n]*`|[^\s;&|<>()'\"\\`]|\"[^\"\n]*\"|'[^'\n]*')+"
_DD = re.compile(rf"(?:^|(?<=[\s'\"(;&|/]))dd((?:(?:[ \t]|\\\n)+{_WORD})+)")  # up to the next command
_FILE = re.compile(r"[ \t](?:if|of)=")
_LOOP = re.compile(r"\b(?:for|while|until)\b.*\bdo\b", re.DOTALL)
# Operands that neither the bytes moved nor the file tell: after a loop nobody knows which result had which.
_VARIABLE = re.compile(r"[ \t](?!(?:if|of|count|status)=)\w+=\S*?\$(?:\{?(\w+)|\()")
_SET = re.compile(r"\bfor (\w+) in\b|\b(\w+)=|\bread (\w+)")
_NOWHERE = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")
_UNITS = {"": 1, "k": 2**10, "K": 2**10, "M": 2**20, "G": 2**30, "kB": 10**3, "MB": 10**6, "GB": 10**9}
_UNITS |= {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "m": 2**20, "g": 2**30}  # small letters: BSD


class Dd(LogTool):
    """Copies of one file to another."""

    name = "dd"
    purpose = "bandwidth"
    output_pattern = re.compile(rf"^\d+\+\d+ records (?:in|out)[ \t]*$|{_DONE.pattern}", re.MULTILINE)

    def parse_log(self, text: str) -> Sequence[Parsed]:
        rows = tuple(numbered(_rows(_COMMENTED.sub("", text))))
        return [Parsed(rows, {}, (), "dd", "", complete=True)] if rows else []


def _rows(text: str) -> Iterator[Row]:
    ended, title = 0, ""
    waiting: list[tuple[str, str, str]] = []
    done = list(_DONE.finditer(text))
    printed = {match.group("bytes", "seconds") for match in done if match["name"] is None}
    once = [one for one in done if one["name"] is None or one.group("bytes", "seconds") not in printed]
    ends = _ends(text, once)
    places = [match.start() for match in ends]
    is_page = FENCE in text
    notes = written(text, [*pairwise([0, *places])], _PRINTED) if is_page else noted(text, places, _PRINTED)
    for number, (match, note) in enumerate(zip(ends, notes, strict=True)):
        if not float(match["bytes"]) or not _seconds(match["seconds"]):
            continue
        moved, total_s = int(match["bytes"]), _seconds(match["seconds"])
        above = text[ended : match.start()].rstrip().rpartition("\n")[2]
        found = _COMMAND.finditer(text, ended, match.start())
        lines = [line for line in found if _FILE.search(line[4])]
        ended = match.end()
        if lines:  # Where a prompt stands before the last one, the others had ended.
            waiting = _commands(lines[-1]) if len(lines) == 1 or lines[-1][1] else []
        prompt, before, command = waiting[0] if waiting else ("", "", "")
        is_listed = match["name"] is not None  # below the command of the whole list
        waiting = [*waiting[1:], *(waiting[:1] if is_listed or _LOOP.search(before) else [])]
        title = above if is_listed and above else title
        row: Row = _of_command(command) if command else {"access": UNKNOWN_ACCESS}
        if row.get("access") is None:
            continue
        path = row.pop("path", None)
        workload: Row = {"file_bytes": moved}
        told = _told(prompt, before, caption_of(text, match.start()))
        told |= _listed(match["name"], title) if is_listed else {}
        told |= {"above": note} if note and (prompt or is_page) else {}
        if _varies(before, command):
            told["result"] = str(number)
        if told:
            workload["options"] = told
        yield row | {
            "api": "POSIX",
            "nn": 1,
            "ppn": 1,
            "order": "sequential",
            "moved_bytes": moved,
            "total_s": total_s,
            "io_s": total_s,
            "bw_mib_s": moved / _MIB / total_s,
            "observed": {"path": path, "workload": workload} if path else {},
        }


def _commands(line: re.Match[str]) -> list[tuple[str, str, str]]:
    """Each dd of a line with its prompt and what stands before the first one. Of a pipe nobody knows whose
    result is printed first."""
    prompt, before = line[1] or "", line[2] or line[3] or ""
    found = list(_DD.finditer(line[4]))
    is_pipe = any("|" in line[4][one.end() : other.start()] for one, other in pairwise(found))
    return [] if is_pipe else [(prompt, before, one[1]) for one in found]


def _told(prompt: str, before: str, caption: str) -> dict[str, str]:
    """The prompt of a command, and what stands before it: a library in its environment may replace the calls
    of dd; a container, a group or another server has its own. caption: of its block of code on a page."""
    environment = " ".join(word for word in before.split() if word.strip("'\"") not in ("", *_PLAIN))
    told = {"prompt": prompt.strip(" $#%>"), "environment": environment, "caption": caption}
    return {name: text for name, text in told.items() if text}


def _listed(name: str, title: str) -> dict[str, str]:
    """The name before a result of a list, and the line above the list."""
    told = {"name": REPETITION.sub(" ", name).strip(" \t-*+:[]()"), "list": title.strip("`")}
    return {name: text for name, text in told.items() if text}


def _varies(before: str, command: str) -> bool:
    """Whether each turn of a loop has another value of an operand."""
    loop = _LOOP.search(before)
    changing = {name for one in _SET.findall(before, loop.start()) for name in one if name} if loop else set()
    return loop is not None and any(name in changing or not name for name in _VARIABLE.findall(command))


def _ends(text: str, lines: Sequence[re.Match[str]]) -> Sequence[re.Match[str]]:
    """The lines without those of status=progress, which stand before the numbers of records of their end, or
    directly before it where a filter took these."""
    found: list[re.Match[str]] = []
    goes_on, next_match = False, None
    for match in reversed(lines):
        next_line = text[match.end() : next_match.start() if next_match else len(text)].lstrip()
        goes_on = _COUNTS.match(next_line) is not None if next_line else goes_on
        before = text.rfind("\n", 0, max(match.start() - 1, 0)) + 1
        is_end = not goes_on or _COUNTS.match(text, before) is not None
        if is_end and (next_line or next_match is None or not _is_progress(match, next_match)):
            found.append(match)
        next_match = match
    return found[::-1]


def _is_progress(line: re.Match[str], end: re.Match[str]) -> bool:
    """Whether the line may be of the same run as the end: progress has whole seconds, an end hardly ever."""
    is_whole = line["seconds"].isdecimal() and not end["seconds"].isdecimal()
    is_later = _seconds(line["seconds"]) <= _seconds(end["seconds"])
    return is_whole and is_later and int(line["bytes"]) <= int(end["bytes"]) and line["name"] is None


def _seconds(text: str) -> float:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return 0.0


def _of_command(text: str) -> Row:
    try:
        arguments = shlex.split(multiplied(text).replace("\\\n", " "), comments=True)
    except ValueError:
        return {"access": UNKNOWN_ACCESS}
    options = dict(argument.split("=", 1) for argument in arguments if "=" in argument)
    from_, to = options.get("if", ""), options.get("of", "")
    if not from_ or not to:
        return {"access": UNKNOWN_ACCESS}
    if from_ in _NOWHERE and to in _NOWHERE:
        return {"access": None}  # from no storage to none
    access = "write" if from_ in _NOWHERE else "read" if to in _NOWHERE else UNKNOWN_ACCESS
    flags = {*options.get("conv", "").split(","), *options.get("oflag", "").split(",")}
    row: Row = {"access": access, "xfer_bytes": _size(options.get("bs", "512"))}
    if access == "write":
        row["sync"] = not flags.isdisjoint(("fsync", "fdatasync", "sync", "dsync"))
        row |= {"direct": "direct" in flags, "path": to}
    elif access == "read":
        row |= {"direct": "direct" in options.get("iflag", "").split(","), "path": from_}
    return row


def _size(text: str) -> int | None:
    match = re.fullmatch(r"(\d{1,12})([a-zA-Z]{0,3})", text)
    return int(match[1]) * _UNITS[match[2]] if match and match[2] in _UNITS else None


TOOL = Dd()
