"""Whether data has the types of a JSON schema: compiled once, fast enough for each document of a large study.

Types, limits and choices of known keys are checked. Missing keys are not: other versions lack some.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from typing import Any

_LARGEST = sys.float_info.max
# The place of the first fault and what is wrong there, or None.
Check = Callable[[Any], str | None]
_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list, tuple),
    "object": (dict,),
    "null": (type(None),),
}


def compiled(schema: Mapping[str, Any], part: Mapping[str, Any] | None = None) -> Check:
    """A check for the schema, or for a part of it whose $ref points into it."""
    return _compiled(schema if part is None else part, schema.get("$defs", {}), {})


def _compiled(part: Mapping[str, Any], definitions: Mapping[str, Any], seen: dict[str, Check]) -> Check:
    if "$ref" in part:
        name = part["$ref"].removeprefix("#/$defs/")
        if name not in seen:
            seen[name] = _compiled(definitions[name], definitions, seen)
        return seen[name]
    if "oneOf" in part:
        return _any_of([_compiled(one, definitions, seen) for one in part["oneOf"]])
    if "enum" in part or "const" in part:
        return _one_of(tuple(part.get("enum", (part.get("const"),))))
    names = part.get("type")
    if names is None:
        return lambda value: None
    names = [names] if isinstance(names, str) else names
    checks = [_of_type(name, part, definitions, seen) for name in names]
    return checks[0] if len(checks) == 1 else _any_of(checks)


def _any_of(checks: list[Check]) -> Check:
    def check(value: Any) -> str | None:
        found = None
        for one in checks:
            found = one(value)
            if found is None:
                return None
        return found

    return check


def _one_of(choices: tuple[Any, ...]) -> Check:
    def check(value: Any) -> str | None:
        known = isinstance(value, str | int | float | None) and value in choices
        return None if known else f" is {_shown(value)}, not one of {', '.join(map(str, choices))}"

    return check


def _of_type(
    name: str, part: Mapping[str, Any], definitions: Mapping[str, Any], seen: dict[str, Check]
) -> Check:
    if name == "object":
        return _object(part, definitions, seen)
    if name == "array":
        return _array(part, definitions, seen)
    kinds, low, high = _TYPES[name], part.get("minimum", -math.inf), part.get("maximum", math.inf)
    is_number, least, most = name in ("integer", "number"), max(low, -_LARGEST), min(high, _LARGEST)

    def check(value: Any) -> str | None:
        # What nearly every value is, in one step: a finite number, or a value of just this type.
        if type(value) in kinds and (not is_number or least <= value <= most):
            return None
        if not isinstance(value, kinds) or (isinstance(value, bool) and name != "boolean"):
            return f" is {_shown(value)}, not of type {name}"
        # A comparison with NaN is false.
        if isinstance(value, int | float) and not (low <= value <= high and abs(value) != math.inf):
            return f" is {_shown(value)}, out of range"
        return None

    return check


def _object(part: Mapping[str, Any], definitions: Mapping[str, Any], seen: dict[str, Check]) -> Check:
    known = {key: _compiled(one, definitions, seen) for key, one in part.get("properties", {}).items()}
    more = part.get("additionalProperties")
    other = _compiled(more, definitions, seen) if isinstance(more, Mapping) else None

    def check(value: Any) -> str | None:
        if not isinstance(value, dict):
            return f" is {_shown(value)}, not of type object"
        for key, item in value.items():
            one = known.get(key, other)
            if one is not None and (wrong := one(item)):
                return f".{key}{wrong}"
        return None

    return check


def _array(part: Mapping[str, Any], definitions: Mapping[str, Any], seen: dict[str, Check]) -> Check:
    places = [_compiled(one, definitions, seen) for one in part.get("prefixItems", ())]
    each = _compiled(part["items"], definitions, seen) if "items" in part else None
    least = part.get("minItems", 0)

    def check(value: Any) -> str | None:
        if not isinstance(value, list | tuple):
            return f" is {_shown(value)}, not of type array"
        if len(value) < least:
            return f" has {len(value)} items, fewer than {least}"
        for index, item in enumerate(value):
            one = places[index] if index < len(places) else each
            wrong = one(item) if one else None
            if wrong:
                return f"[{index}]{wrong}"
        return None

    return check


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
