"""Bounds of a YAML file, checked while its events are read: before anything is built from it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

import yaml

from weir.base.errors import Problem

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
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            problem = self._after(event)
            if problem:
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
            return (
                f"holds more than {MOST_VALUES:,} values up to here",
                "an alias counts as what it stands for",
            )
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


def is_beyond_numbers(value: int | float) -> bool:
    """Whether a number is none that a file may hold; inf is, too."""
    return not math.isfinite(value) or abs(value) > LARGEST_NUMBER
