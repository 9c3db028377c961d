"""YAML with line numbers. Scalars follow YAML 1.2: `off` is a word, `100:16:4:4` is text; no key twice. The
bounds of a file are checked while its events are read: before anything is built from it.
"""

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from weir.base.errors import ConfigError, Problem, did_you_mean
from weir.data.yaml_classes import LOADER

MOST_CHARACTERS = 2**20
MOST_VALUES = 20_000  # aliases counted as what they stand for
MOST_DEPTH = 30
MOST_LETTERS_OF_KEY = 200
LARGEST_NUMBER = 2**63 - 1  # the largest offset in a file

# Paths and commands cannot hold NUL, and terminals obey the others.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_OPENING = (yaml.SequenceStartEvent, yaml.MappingStartEvent)
_CLOSING = (yaml.SequenceEndEvent, yaml.MappingEndEvent)


@dataclass
class _Group:
    """A list or mapping that is open: its anchor, and what it holds so far."""

    anchor: str | None
    is_mapping: bool = False
    entries: int = 0
    values: int = 1
    height: int = 1


def beyond_limits(text: str, name: str) -> Problem | None:
    """The first thing that is too large in the text; raises yaml.YAMLError where it is not YAML."""
    if len(text) > MOST_CHARACTERS:
        return Problem(f"holds more than {MOST_CHARACTERS:,} characters", name, hint="write a shorter file")
    return _Bounds(name).of(text)


class _Bounds:
    def __init__(self, name: str) -> None:
        self.name = name
        self.open = [_Group(None)]
        self.anchored: dict[str, tuple[int, int]] = {}  # values and height of what has an anchor

    def of(self, text: str) -> Problem | None:
        event: Any
        for event in yaml.parse(text, Loader=LOADER):
            if problem := self._after(event):
                message, hint = problem
                return Problem(message, self.name, event.start_mark.line + 1, hint=hint)
        return None

    def _after(self, event: Any) -> tuple[str, str] | None:
        if isinstance(event, _OPENING):
            self.open.append(_Group(event.anchor, isinstance(event, yaml.MappingStartEvent)))
            return self._depth(0)
        if isinstance(event, _CLOSING):
            group = self.open.pop()
            return self._add(group.anchor, group.values, group.height)
        if isinstance(event, yaml.ScalarEvent):
            return self._add(event.anchor, 1, 0) or self._text(event.value)
        if isinstance(event, yaml.AliasEvent):
            return self._alias(str(event.anchor))
        return None

    def _alias(self, anchor: str) -> tuple[str, str] | None:
        if any(group.anchor == anchor for group in self.open):
            return f"'*{anchor}' stands inside of what it stands for", "write the values out"
        return self._add(None, *self.anchored.get(anchor, (1, 0)))

    def _add(self, anchor: str | None, values: int, height: int) -> tuple[str, str] | None:
        """Count what has ended for the group around it."""
        if anchor:
            self.anchored[anchor] = values, height
        around = self.open[-1]
        around.entries += 1
        around.values += values
        around.height = max(around.height, height + 1)
        if sum(group.values for group in self.open) > MOST_VALUES:
            message = f"holds more than {MOST_VALUES:,} values up to here"
            return message, "an alias counts as what it stands for"
        return self._depth(height)

    def _depth(self, height: int) -> tuple[str, str] | None:
        if len(self.open) - 1 + height > MOST_DEPTH:
            return "is nested too deep here", f"at most {MOST_DEPTH} levels"
        return None

    def _text(self, text: str) -> tuple[str, str] | None:
        around = self.open[-1]
        control = _CONTROL.search(text)
        if control:
            return f"holds the control character U+{ord(control[0]):04X}", "delete it"
        if around.is_mapping and around.entries % 2 == 1 and len(text) > MOST_LETTERS_OF_KEY:
            return f"the key '{text[:30]}...' is too long", f"at most {MOST_LETTERS_OF_KEY} characters"
        return None


Keys = tuple[str | int, ...]
MOST_PROBLEMS = 100
_INTEGER = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WORDS: Mapping[str, Any] = {"": None, "~": None, "null": None, "true": True, "false": False}


@dataclass
class YamlFile:
    """A file's data and where each key of it stands."""

    name: str  # as a user would write it, relative to the checkout
    data: Any = None
    lines: dict[Keys, int] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)  # of top-level keys that did not come from the file
    found: dict[str, Problem] = field(default_factory=dict)  # by its text

    def line(self, keys: Keys) -> int | None:
        """Line of a key or item, or of the nearest thing around it."""
        while keys and keys not in self.lines:
            keys = keys[:-1]
        return self.lines.get(keys)

    def problem(self, keys: Keys, message: str, hint: str | None = None, value: object = None) -> Problem:
        """More problems than anybody reads end the reading of the file: they are raised."""
        if keys and keys[0] in self.origins:
            return Problem(message, None, None, self.origins[str(keys[0])], value, hint)
        problem = Problem(message, self.name, self.line(keys), key_text(keys) or None, value, hint)
        self.found.setdefault(str(problem), problem)
        if len(self.found) > MOST_PROBLEMS:
            raise ConfigError([*self.found.values(), Problem("more problems may follow", self.name)])
        return problem

    def unknown(
        self, keys: Keys, names: Iterable[str], known: Collection[str], message: str
    ) -> Iterator[Problem]:
        """A problem for each item of a list that is none of the known names; message: with {} for it."""
        for index, name in enumerate(names):
            if name not in known:
                yield self.problem((*keys, index), message.format(name), did_you_mean(name, known), name)


def read_yaml(path: Path, root: Path) -> YamlFile:
    """The file's data with lines; a file that cannot be read or is no YAML is a ConfigError."""
    name = str(path.relative_to(root)) if path.is_relative_to(root) else str(path)
    try:
        with path.open(encoding="utf-8") as stream:
            text = stream.read(MOST_CHARACTERS + 1)
    except OSError as error:
        raise ConfigError([Problem(f"cannot be read: {error.strerror}", name)]) from error
    except UnicodeDecodeError as error:
        raise ConfigError([Problem("is not UTF-8 text", name)]) from error
    return parse_yaml(text, name)


def parse_yaml(text: str, name: str) -> YamlFile:
    """Reads YAML from text, as read_yaml does from a file."""
    try:
        too_large = beyond_limits(text, name)
        if too_large:
            raise ConfigError([too_large])
        node = yaml.compose(text, Loader=LOADER)
    except yaml.YAMLError as error:
        raise ConfigError([_syntax_problem(error, text, name)]) from error
    file = YamlFile(name)
    problems: list[Problem] = []
    if node is not None:
        file.data = _value(node, (), file, problems)
    if problems:
        raise ConfigError(problems)
    return file


def key_text(keys: Keys) -> str:
    """experiments.transfer-size.where[0].exclude"""
    text = ""
    for key in keys:
        text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else key
    return text


def _value(node: yaml.Node, keys: Keys, file: YamlFile, problems: list[Problem]) -> Any:
    file.lines.setdefault(keys, node.start_mark.line + 1)
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, (*keys, index), file, problems) for index, item in enumerate(node.value)]
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, keys, file, problems)
    value = _scalar(node)
    if isinstance(value, (int, float)) and abs(value) > LARGEST_NUMBER:  # infinity is, too
        problems.append(file.problem(keys, "is too large a number", "at most 19 digits", value))
    return value


def _mapping(node: yaml.MappingNode, keys: Keys, file: YamlFile, problems: list[Problem]) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        if not isinstance(key_node, yaml.ScalarNode):
            hint, place = "a value that begins with { or [ must be in quotes", key_text(keys) or None
            problems.append(Problem("a key must be a word", file.name, line, place, None, hint))
            continue
        key = str(key_node.value)
        inner = (*keys, key)
        if key in data:
            message = f"'{key}' stands here twice (first in line {file.lines[inner]})"
            problems.append(Problem(message, file.name, line, key_text(inner), key, "keep one of them"))
            continue
        file.lines[inner] = line
        data[key] = _value(value_node, inner, file, problems)
    return data


def _scalar(node: yaml.Node) -> Any:
    text = str(node.value)
    if getattr(node, "style", None) in ("'", '"', "|", ">"):
        return text
    if text.lower() in _WORDS and (text == text.lower() or text == text.capitalize()):
        return _WORDS[text.lower()]
    if _INTEGER.fullmatch(text):
        return int(text) if len(text) <= 30 else math.inf
    if _FLOAT.fullmatch(text):
        return float(text)
    return text


_ITEMS = "begin every item of the list with '- ', indented alike"
# Messages of libyaml and of PyYAML itself, which expects the end of a list where an item lacks its hyphen,
# and the usual cause.
_SYNTAX_HINTS = {
    "expected ',' or": "close the bracket or brace that is open, or put a comma between its items",
    "could not find expected ':'": "write 'key: value', with a colon and a space after the key",
    "expected key": "indent keys of one group alike, and close brackets and quotes above",
    "block collection: expected <block end>": _ITEMS,
    "expected <block end>": "indent keys of one group alike, and close brackets and quotes above",
    "expected '-' indicator": _ITEMS,
    "unexpected end of stream": "close the quote, bracket or brace that is open",
    "cannot start any token": "put a value that begins with @, ` or % into quotes",
    "undefined alias": "put a value that begins with * into quotes",
    "unexpected document separator": "close the quote that is open",
}
_KEY = re.compile(r"(?P<indent>[ -]*)(?P<key>[\w-]+):(?=\s|$)(?P<value>.*)")
_ANY_SYNTAX = "look at the indentation, the colons, and the brackets and quotes that are open above this line"


def _syntax_problem(error: yaml.YAMLError, text: str, name: str) -> Problem:
    mark = getattr(error, "problem_mark", None)
    what = str(getattr(error, "problem", None) or "cannot be read as YAML")
    line = mark.line + 1 if mark else None
    lines = text.splitlines()
    raw = lines[mark.line] if mark and mark.line < len(lines) else ""
    content = raw.strip()
    within = f"{getattr(error, 'context', None)}: {what}"
    hint = next((hint for fragment, hint in _SYNTAX_HINTS.items() if fragment in within), _ANY_SYNTAX)
    if "\t" in raw:
        hint = "indent with spaces, not with tabs"
    elif mark and (indentation := _indentation_hint(lines[: mark.line], raw)):
        hint = indentation
    elif "mapping values are not allowed" in what or "{" in content or "= " in content:
        hint = "put a value with ': ', '{', '[' or a leading '=' into quotes"
    return Problem(f"is not valid YAML here: {what}", name, line, None, content or None, hint)


def _indentation_hint(above: Sequence[str], raw: str) -> str | None:
    """Hint for a key whose indentation matches none of the groups above it."""
    mine, before = _KEY.match(raw), [_KEY.match(line) for line in above]
    keys = [(number, found) for number, found in enumerate(before, 1) if found]
    if mine is None or not keys or not keys[-1][1]["value"].strip():
        return None
    open_groups, deepest = set(), len(max(above, key=len))
    for _, found in reversed(keys):
        if len(found["indent"]) < deepest:
            deepest = len(found["indent"])
            open_groups.add(deepest)
    if len(mine["indent"]) in open_groups:
        return None
    number, last = keys[-1]
    return (
        f"indent '{mine['key']}' by {len(last['indent'])} spaces, like '{last['key']}' in line {number},"
        " or like the group that it belongs to"
    )
