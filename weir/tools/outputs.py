"""Outputs of programs as text, in linear time and bounded memory whatever they hold, and the forms in them
that several tools read.

Compressed files and those in UTF-16 are told by their first bytes, whatever their names are.
"""

import bz2
import contextlib
import gzip
import io
import json
import lzma
import math
import re
import shlex
import zlib
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path, PurePath
from typing import IO, Any, BinaryIO

from weir.base.errors import InputError
from weir.records.model import Row

# No program prints a longer line that a number is read from; what is behind is dropped.
LINE_BYTES = 8 * 2**10
# A document may be one line.
_DOCUMENT_LINE_BYTES = 16 * 2**20
_MOST_BYTES = 64 * 2**20
_AT_ONCE_BYTES = 2**20
# First bytes of compressed files, and what reads them.
_COMPRESSED: Mapping[bytes, Callable[[IO[bytes]], Any]] = {
    b"\x1f\x8b": lambda stream: gzip.GzipFile(fileobj=stream),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
}
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_USUAL_BYTES = 64 * 2**10  # nearly all outputs are smaller; a larger buffer costs time, even unused
FENCE = "```"
# After one mark a command of root may stand, too, with what it printed below it.
_HEADING = re.compile(r"^(#{2,6}) +\S.*$|(?:\A|(?<=\n\n))(#) +\S.*$(?=\n(?:\n|## ))", re.MULTILINE)
# A caption that only counts repetitions: "## Run 2", "3rd run:".
_TURN = r"(?:run|round|iteration|repetition|trial|attempt|pass)"
_NTH = r"(?:\d{1,4}[a-z]{2}|first|second|third|fourth|fifth)"
REPETITION = re.compile(rf"\W*(?:{_TURN}\W{{0,3}}\d{{1,4}}|{_NTH} {_TURN})\W*", re.IGNORECASE)
_QUOTED = 2**16  # characters of a block on a page, at most
_DOCUMENT = re.compile(r"\s{0,64}(?:\[\s{0,64})?\{")  # or a list of them


def read_texts(outputs: Mapping[str, Path]) -> dict[str, str]:
    """The outputs that are there, by their roles."""
    texts = {}
    for role, path in outputs.items():
        # A test whether it exists would cost as much as the reading.
        with contextlib.suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError):
            texts[role] = read_text(path)
    return texts


def read_text(path: Path) -> str:
    """The text of a file, lines of a log cut where only noise is longer; more than 64 MiB is an error."""
    stream: BinaryIO
    with open(path, "rb") as stream:
        data = stream.read(_USUAL_BYTES)
        if len(data) == _USUAL_BYTES:
            data += stream.read(_AT_ONCE_BYTES - _USUAL_BYTES)
        if data.startswith((*_COMPRESSED, *_UTF_16)):
            stream.seek(0)
            stream = io.BytesIO(_utf_8(stream, path))
            data = stream.read(_AT_ONCE_BYTES)
        head = data[:LINE_BYTES].decode(errors="replace")
        is_whole = _DOCUMENT.match(head) is not None or is_table(head)
        longest = _DOCUMENT_LINE_BYTES if is_whole else LINE_BYTES
        if len(data) > min(longest, _AT_ONCE_BYTES - 1):
            stream.seek(0)
            data = _cut(stream, longest, path)
    text = data.decode("utf-8", errors="replace").removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def is_table(text: str) -> bool:
    """Whether it begins with names of columns of records; its fields may be long, as those of JSON."""
    names = text.removeprefix("\ufeff").partition("\n")[0].strip().split(",")
    return "access" in names and "api" in names


def _utf_8(stream: BinaryIO, path: Path) -> bytes:
    """The bytes of a file that is compressed, in UTF-16, or both."""
    data = stream.read(_MOST_BYTES + 1)
    for start, unpack in _COMPRESSED.items():
        if data.startswith(start):
            stream.seek(0)
            try:
                data = unpack(stream).read(_MOST_BYTES + 1)
            except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
                hint = "the file is cut or damaged: copy it again"
                raise InputError(f"cannot be unpacked: {error}", file=path, hint=hint) from None
    if len(data) > _MOST_BYTES:
        raise _too_large(path)
    return data.decode("utf-16", errors="replace").encode() if data.startswith(_UTF_16) else data


def _cut(stream: BinaryIO, longest: int, path: Path) -> bytes:
    kept, size = [], 0
    while line := stream.readline(longest):
        kept.append(line)
        size += len(line)
        if size > _MOST_BYTES:
            raise _too_large(path)
        if not line.endswith(b"\n"):
            _skip_line(stream, longest)
            if len(line) == longest:
                kept.append(b"\n")
    return b"".join(kept)


def _too_large(path: Path) -> InputError:
    hint = "give the part that holds the results"
    return InputError(f"holds more than {_MOST_BYTES >> 20} MiB of text", file=path, hint=hint)


def _skip_line(stream: BinaryIO, longest: int) -> None:
    """The rest of a line that was too long."""
    while (rest := stream.readline(longest)) and not rest.endswith(b"\n"):
        pass


def documents_at(text: str, start: re.Pattern[str]) -> Iterator[tuple[dict[str, Any], int]]:
    """The JSON objects that begin where the pattern matches, each with its end; one that is cut is none."""
    for match in start.finditer(text):
        try:
            document, end = json.JSONDecoder().raw_decode(text, match.start())
        except (ValueError, RecursionError):
            continue
        if isinstance(document, dict):
            yield document, end


def caption_of(text: str, place: int) -> str:
    """The headings and the line above the block of code of a page in which a result stands: they often are
    all that tells two machines or file systems apart, where they do not count runs. Behind a block it is the
    headings alone; nothing where no block begins shortly before."""
    fences = _fences(text)
    at = bisect(fences, place)
    begin = fences[at - 1] if at and fences[at - 1] >= place - _QUOTED else -1
    is_inside = begin > 0 and at % 2
    end = begin if is_inside else place if begin > 0 else 0
    above = text[max(end - LINE_BYTES, 0) : end].rstrip()
    line = above.rpartition("\n")[2] if is_inside else ""
    places, sections = _sections(text)
    headings = sections[bisect(places, end)] if end else ()
    is_none = not line or line.lstrip().startswith(FENCE) or REPETITION.fullmatch(line)
    return " ".join(dict.fromkeys([*headings, *([] if is_none else [line])]))


def is_in_block(text: str, place: int) -> bool:
    """Whether it is in a block of code of a page."""
    return bisect(_fences(text), place) % 2 == 1


def told_around(text: str, place: int, command: str, above: str) -> dict[str, str]:
    """Options of a run that its own lines do not have: the caption of the result that begins at place, and
    the environment of its command, which the lines above it have."""
    told = {"caption": caption_of(text, place), "environment": _variables_before(command, above)}
    return {name: value for name, value in told.items() if value}


def with_options(rows: Iterable[Row], told: Mapping[str, str]) -> None:
    """Puts what the text around a result tells into the options of its workload."""
    for row in rows if told else ():
        workload = row["observed"].get("workload", {})
        options = {**workload.get("options", {}), **told}
        row["observed"]["workload"] = {**workload, "options": options}


# "And again:", "The second one:": titles that count the runs of one command.
_NEXT = re.compile(
    rf"(?:(?:and|the|then|now|once|one|a|an|same|more|{_TURN}s?|time|{_NTH}|again|another|next|last)\b\W*)+",
    re.IGNORECASE,
)


def counts_runs(line: str) -> bool:
    """Whether it tells only that the same ran once more: "And again:"."""
    return REPETITION.fullmatch(line) is not None or _NEXT.fullmatch(terms_of(line)) is not None


def terms_of(line: str) -> str:
    """The line without numbers, marks and capitals."""
    return re.sub(r"[\W\d_]+", " ", line).strip().casefold()


_VARIABLE = re.compile(r"(?<!\S)[A-Za-z_]\w*=\S+")


def _variables_before(command: str, text: str) -> str:
    """The variables in the last line of a text that launches the program of a command, before the program: a
    library that is preloaded may replace its calls."""
    launch = launch_of(command)
    found = ""
    for line in text.splitlines() if launch else ():
        match = None if line.startswith("Command line") or not launch else launch.search(line)
        found = line[: match.start() + 1] if match else found
    return " ".join(_VARIABLE.findall(found))


def launch_of(command: str) -> re.Pattern[str] | None:
    """Finds the program of a command in a line that launches it."""
    program = PurePath(next(iter(words_of(command)), "")).name
    return re.compile(rf"(?:^|[\s/'\"]){re.escape(program)}\s") if program else None


@lru_cache(maxsize=1)  # each result of a text asks for them
def _fences(text: str) -> list[int]:
    return [match.start() for match in re.finditer(FENCE, text)]


@lru_cache(maxsize=1)
def _sections(text: str) -> tuple[list[int], list[tuple[str, ...]]]:
    """The places of the headings, and the headings of the section that ends at each
    and at the end, from the highest level on. A title of the page is of all results."""
    fences = _fences(text)
    found = [
        match
        for match in _HEADING.finditer(text)
        if not REPETITION.fullmatch(match[0]) and (match[1] or not bisect(fences, match.start()) % 2)
    ]
    lowest = 1 if sum(match[2] is not None for match in found) > 1 else 2
    places: list[int] = []
    sections: list[tuple[str, ...]] = [()]
    above: list[tuple[int, str]] = []
    for match in found:
        level = len(match[1] or match[2])
        above = [one for one in above if one[0] < level] + [(level, match[0].rstrip())]
        places.append(match.start())
        sections.append(tuple(heading for level, heading in above if level >= lowest))
    return places, sections


_SIZE = re.compile(r"(\d{1,19})([kmgtp]?)(?:ib?|b)?", re.IGNORECASE)


def binary_size(text: str) -> int | None:
    """Bytes of 64k, 1MiB or 4096: powers of 1024, as most programs take them."""
    match = _SIZE.fullmatch(text.strip())
    return int(match[1]) << 10 * " kmgtp".index(match[2].lower() or " ") if match else None


_PRODUCT = re.compile(r"\$\(\(\s{0,9}(\d{1,12}(?:\s{0,9}\*\s{0,9}\d{1,12}){0,5})\s{0,9}\)\)")


def multiplied(command: str) -> str:
    """The command with the products of numbers that a shell computes, such as $((128 * 1024))."""
    return _PRODUCT.sub(lambda one: str(math.prod(map(int, one[1].split("*")))), command)


def words_of(command: str) -> list[str]:
    """The arguments of a command line; of one whose quotes do not close, at its blanks, without quotes."""
    try:
        return shlex.split(command)
    except ValueError:
        return [word.strip("'\"") for word in command.split()]


def options_in(arguments: Iterable[str], with_value: str, attached: str = "") -> Iterator[tuple[str, str]]:
    """(option, value) of -b 4m, -b4m, -b=4m, -wr, --name and --name=value. with_value: letters that take a
    value; attached: those of them that have it in the same word, or none."""
    cluster = re.compile(rf"-([^{with_value}]*)([{with_value}]?)=?(.*)", re.DOTALL)
    waiting = iter(arguments)
    for word in waiting:
        if word.startswith("--"):
            name, _, value = word[2:].partition("=")
            yield name, value
        elif match := cluster.match(word):
            flags, letter, value = match.groups()
            yield from ((flag, "") for flag in flags)
            if letter:
                yield letter, value or ("" if letter in attached else next(waiting, ""))


def numbered(rows: Iterable[Row]) -> Iterator[Row]:
    """Each row with the number of those before it that have the same access, which is its iteration."""
    counts: Counter[str] = Counter()
    for row in rows:
        yield row | {"iteration": counts[row["access"]]}
        counts[row["access"]] += 1
