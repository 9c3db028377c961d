"""Outputs as programs printed them, without what logs, pages and launchers add: prefixes of lines (times,
numbers, names of hosts), and the documents in which Ansible and others keep an output."""

import json
import math
import re
from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile
from textwrap import dedent
from typing import Any

from weir.tools.outputs import FENCE

_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_TIME = r"\[?\d{4}([-.])\d\d\1\d\d[T -]\d\d([:.])\d\d\2\d\d[^\s\]]*\]?:? ?"
_PREFIXES = [
    re.compile(text, re.MULTILINE) for text in (r"^ *\d+:(?!\d\d:) ?", f"^{_TIME}", r"^> ?", r"^(?: {2,}|\t)")
]
_NEARLY_ALL = 0.9
_CLOCK = re.compile(r"(?:\d[\d/T.-]*)?\d\d:\d\d:\d\d[\d.,Z]*")
_LONG = 200  # characters that may stand before a line
_ENOUGH = 1000  # lines that tell what stands before each
_LEAST_LINES = 3  # of a block whose lines begin alike
_LEADING = 2  # lines of a block that may be its author's
# A page indents what it quotes; no program prints so many indented lines behind an empty one.
_INDENTED = re.compile(r"(?:\A|(?<=\n\n))(?:(?: {2}|\t)[ \t]*\S.*(?:\n+|\Z)){3,}")
_LIST = re.compile(r"^ *\d{1,4}\. ")  # pages number the lines of a quoted output
_QUOTES = "`*\"'"
_DIGIT = re.compile(r"\d")


def without_prefixes(text: str) -> str:
    """The lines as the program printed them; the same text where they begin with nothing of the kind."""
    text = _COLOUR.sub("", text).replace("\u00a0", " ")
    for known in (*_PREFIXES, None):
        lines = [line for line in text.split("\n") if line.strip()]
        prefix = known or _shared_prefix(lines[:_ENOUGH])
        if lines and sum(prefix.match(line) is not None for line in lines) >= _NEARLY_ALL * len(lines):
            text = prefix.sub("", text)
    return text


def _shared_prefix(lines: Sequence[str]) -> re.Pattern[str]:
    """The beginning that nearly all lines share, times apart, up to a blank: a container, host or level
    stands so before the lines of a program. Lines of several hosts are of several programs."""
    shapes = sorted(_CLOCK.sub("\0", line[:_LONG]) for line in lines)
    many = math.ceil(_NEARLY_ALL * len(shapes))
    pairs = zip(shapes, shapes[max(many - 1, 0) :], strict=False)
    shared = max(("".join(_while_alike(*pair)) for pair in pairs), key=len, default="")
    shared = shared[: max(map(shared.rfind, " \t")) + 1].rstrip()
    pattern = re.escape(shared).replace(re.escape("\0"), _CLOCK.pattern)
    return re.compile(rf"^{pattern}(?:[ \t]|$)" if shared else r"(?!)", re.MULTILINE)


def _while_alike(one: str, other: str) -> Iterator[str]:
    return (a for a, b in takewhile(lambda both: both[0] == both[1], zip(one, other, strict=False)))


def without_prefixes_of_blocks(text: str) -> str:
    """A page with the lines of each block as the program printed them, where these alone begin alike, with
    a time, a number or a host: a page quotes a logger or numbers the lines, and has other lines, too. A block
    that is indented, behind an empty line, stands at the margin."""
    text = _INDENTED.sub(lambda block: dedent(block[0].expandtabs()), text)
    blocks = groupby(text.split("\n"), lambda line: bool(line.strip()) and not line.startswith(FENCE))
    return "\n".join(line for is_block, lines in blocks for line in _plain_block([*lines], is_block))


def _plain_block(lines: Sequence[str], is_block: bool) -> Sequence[str]:
    quoted = lines[_LEADING:] if is_block else ()
    if len(quoted) < _LEAST_LINES:
        return lines
    for prefix in (_LIST, _shared_prefix(quoted[:_ENOUGH])):
        # A mark without any digit is of a comment, a list or a table that somebody wrote.
        alike = [match for match in map(prefix.match, quoted) if match and _DIGIT.search(match[0])]
        if len(alike) >= _NEARLY_ALL * len(quoted):
            return [_plain_line(line, prefix) for line in lines]
    return lines


def _plain_line(line: str, prefix: re.Pattern[str]) -> str:
    """The line without its prefix, before which the first line of a quote has the mark of the quote."""
    bare = line if prefix.match(line) else line.lstrip(_QUOTES)
    return prefix.sub("", bare) if prefix.match(bare) else line


_DOCUMENT = re.compile(r"\s{0,64}[\[{]")
_OF_A_TASK = re.compile(
    r"^(?:[^\n{\[]{0,100}\[(?P<host>[^\]\n]{1,200})\]|(?P<named>\S{1,200}) \| \w+)[^\n{]{0,100}=> ?(?=\{)"
)
_FIELDS = ("stdout", "stderr")


def captured_outputs(text: str) -> str:
    """The outputs of all commands in a JSON document, in one on each line, or in lines of Ansible's log, such
    as 'ok: [node7] => {...}'. Nothing where several hosts have outputs: they are of runs at one time, no
    repetitions."""
    if '"stdout' not in text:
        return ""
    whole = _decoded(text)
    if whole is not None:
        return "\n".join(_outputs(whole))
    found: list[str] = []
    hosts = set()
    for line in text.splitlines():
        task = _OF_A_TASK.match(line)
        outputs = [*_outputs(_decoded(line[task.end() :] if task else line))]
        found += outputs
        hosts |= {task["host"] or task["named"]} if task and outputs else set()
    return "\n".join(found) if len(hosts) < 2 else ""


def _decoded(text: str) -> Any:
    try:
        return json.loads(text) if _DOCUMENT.match(text) else None
    except (ValueError, RecursionError):
        return None


def _outputs(document: Any) -> Iterator[str]:
    """The output of each command within, and its complaints behind it."""
    waiting = [document]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            found = [text for name in _FIELDS if (text := _printed(one, name))]
            yield from found
            waiting += [] if found else [one[key] for key in reversed(one) if not _has_hosts(key, one[key])]
        elif isinstance(one, list):
            waiting += reversed(one)


def _has_hosts(key: str, value: Any) -> bool:
    return key == "hosts" and isinstance(value, dict) and len(value) > 1


def _printed(captured: dict[str, Any], name: str) -> str:
    """The text, or its lines, which some configurations of Ansible keep alone."""
    text, lines = captured.get(name), captured.get(f"{name}_lines")
    if not isinstance(text, str) and isinstance(lines, list):
        text = "\n".join(line for line in lines if isinstance(line, str))
    return f"{text}\n" if isinstance(text, str) and text else ""
