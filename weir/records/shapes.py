"""Whether data has the types of a JSON schema: compiled once, fast enough for each document of a large study.

Types, limits and choices of known keys are checked, and that no required key is missing. Earlier versions
lack those that x-may-lack lists; where it is true, each key is a fact of its own, which may be absent.
"""

import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from weir.data import load_schema

_LARGEST = sys.float_info.max
# The place of the first fault and what is wrong there, or None.
Check = Callable[[Any], str | None]
# The classes of values that need no look inside, with the limits of numbers; of other classes, None.
Plain = Mapping[type, tuple[float, float] | None]
TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list, tuple),
    "object": (dict,),
    "null": (type(None),),
}
_NUMBERS, _WITH_CONTENT = ("integer", "number"), ("array", "object")


def compiled(schema: Mapping[str, Any], part: Mapping[str, Any] | None = None) -> Check:
    """A check for the schema, or for a part of it whose $ref points into it."""
    return _compiled(schema if part is None else part, schema.get("$defs", {}), {})


@cache
def check_of(name: str) -> Check:
    """The check for a schema of config/schemas."""
    return compiled(load_schema(name))


def plain_values(names: Iterable[str], low: float = -math.inf, high: float = math.inf) -> Plain:
    """The classes that nearly every value of these types has, and the limits of a finite number. Another
    value may still be right."""
    limits = max(low, -_LARGEST), min(high, _LARGEST)
    return {
        kind: limits if name in _NUMBERS else None
        for name in names
        if name not in _WITH_CONTENT
        for kind in TYPES[name]
    }


def _plain_of(part: Mapping[str, Any], definitions: Mapping[str, Any]) -> Plain:
    while "$ref" in part:
        part = definitions[part["$ref"].removeprefix("#/$defs/")]
    if part.keys() & {"oneOf", "enum", "const"}:
        return {}
    names = part.get("type", ())
    limits = part.get("minimum", -math.inf), part.get("maximum", math.inf)
    return plain_values([names] if isinstance(names, str) else names, *limits)


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
    kinds, low, high = TYPES[name], part.get("minimum", -math.inf), part.get("maximum", math.inf)
    is_number, least, most = name in _NUMBERS, max(low, -_LARGEST), min(high, _LARGEST)

    def check(value: Any) -> str | None:
        # Nearly every value is found in one step: a finite number, or a value of just this type.
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
    plain = {key: _plain_of(one, definitions) for key, one in part.get("properties", {}).items()}
    nothing: Plain = {}
    required = _required(part)

    def check(value: Any) -> str | None:
        if not isinstance(value, dict):
            return f" is {_shown(value)}, not of type object"
        if not required <= value.keys():
            return f".{min(required - value.keys())} is missing"
        for key, item in value.items():
            # Nearly every value needs no call: a large study has a hundred million of them.
            limits = plain.get(key, nothing).get(type(item), ())
            if limits is None or (limits and limits[0] <= item <= limits[1]):
                continue
            one = known.get(key, other)
            if one is not None and (wrong := one(item)):
                return f".{key}{wrong}"
        return None

    return check


def _required(part: Mapping[str, Any]) -> frozenset[str]:
    """Keys without which the rest of the object tells nothing."""
    may_lack = part.get("x-may-lack", ())
    return frozenset() if may_lack is True else frozenset(part.get("required", ())) - frozenset(may_lack)


def _array(part: Mapping[str, Any], definitions: Mapping[str, Any], seen: dict[str, Check]) -> Check:
    places = [_compiled(one, definitions, seen) for one in part.get("prefixItems", ())]
    each = _compiled(part["items"], definitions, seen) if "items" in part else None
    least, plain = part.get("minItems", 0), _plain_tuple(part.get("items", {}), definitions)

    def check(value: Any) -> str | None:
        if not isinstance(value, list | tuple):
            return f" is {_shown(value)}, not of type array"
        if plain and value and _are_plain_tuples(value, plain):
            return None
        if len(value) < least:
            return f" has {len(value)} items, fewer than {least}"
        for index, item in enumerate(value):
            one = places[index] if index < len(places) else each
            wrong = one(item) if one else None
            if wrong:
                return f"[{index}]{wrong}"
        return None

    return check


def _plain_tuple(part: Mapping[str, Any], definitions: Mapping[str, Any]) -> Sequence[Plain]:
    """The types of an array of so many plain values; empty for any other array."""
    places = [_plain_of(one, definitions) for one in part.get("prefixItems", ())]
    return places if all(places) and part.get("minItems") == len(places) else ()


def _are_plain_tuples(value: Sequence[Any], plain: Sequence[Plain]) -> bool:
    """Column by column, without a call for each value: a histogram has hundreds."""
    if set(map(type, value)) - {list, tuple} or set(map(len, value)) != {len(plain)}:
        return False
    return all(map(_are_plain, zip(*value, strict=True), plain))


def _are_plain(column: Sequence[Any], plain: Plain) -> bool:
    kinds = set(map(type, column))
    if not kinds <= plain.keys():
        return False
    limits = [plain[kind] for kind in kinds]
    if len(limits) > 1 and None in limits:
        return False  # numbers beside other values
    # NaN may hide from a minimum, and not from a sum.
    return limits[0] is None or (
        limits[0][0] <= min(column) and max(column) <= limits[0][1] and not math.isnan(sum(column))
    )


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
