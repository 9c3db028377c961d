"""Checks data against config/schemas and describes what is wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from weir.base.errors import Problem, did_you_mean
from weir.base.units import HintedError, as_written, parse_duration, parse_percent, parse_rate, parse_size
from weir.plan.config.yaml_file import Keys, YamlFile

if TYPE_CHECKING:
    import jsonschema

_MOST_DIGITS = 19
_LONGEST_REGEX = 1_000
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_TYPE_WORDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "keys with values",
    "null": "nothing",
}
_QUANTITIES: Mapping[str, Callable[[object], object]] = {
    "size": parse_size,
    "duration": parse_duration,
    "rate": parse_rate,
    "percent": parse_percent,
}


def _check_name(value: object) -> bool:
    if isinstance(value, str) and not _NAME.fullmatch(value):
        better = re.sub(r"[^a-z0-9]+", "-", value.lower()).strip("-")
        hint = "names are made of small letters, digits and single hyphens"
        raise HintedError(f"'{value}' is not a name", f"{hint}: '{better}'" if better else hint)
    return True


def _check_regex(value: object) -> bool:
    if isinstance(value, str):
        try:
            if len(value) > _LONGEST_REGEX:
                raise OverflowError(f"more than {_LONGEST_REGEX:,} characters")
            re.compile(value)
        except (re.error, OverflowError, RecursionError) as error:
            message = f"'{value}' is not a regular expression: {error}"
            raise HintedError(message, "host names are matched by Python's re.fullmatch") from error
    return True


def _check_quantity(parse: Callable[[object], object]) -> Callable[[object], bool]:
    def check(value: object) -> bool:
        if isinstance(value, str):
            parse(value)
        return True

    return check


@cache
def _formats() -> jsonschema.FormatChecker:
    import jsonschema  # a third of the start of a command that reads no YAML

    checker = jsonschema.FormatChecker(formats=())
    checker.checks("name", raises=HintedError)(_check_name)
    checker.checks("regex", raises=HintedError)(_check_regex)
    for name, parse in _QUANTITIES.items():
        checker.checks(name, raises=HintedError)(_check_quantity(parse))
    return checker


def _unique_items(
    validator: Any, is_wanted: bool, items: Any, schema: Mapping[str, Any]
) -> Iterator[jsonschema.ValidationError]:
    """Whether a list has no item twice, in linear time; that of jsonschema compares each with each."""
    import jsonschema

    seen: set[str] = set()
    for item in items if is_wanted and isinstance(items, list) else ():
        text = json.dumps(item, sort_keys=True)
        if text in seen:
            yield jsonschema.ValidationError(str(item))
            return
        seen.add(text)


@cache
def _validators() -> Any:
    """The class of the validators, which takes a millisecond to make."""
    import jsonschema

    return jsonschema.validators.extend(  # type: ignore[no-untyped-call]
        jsonschema.Draft202012Validator, {"uniqueItems": _unique_items}
    )


def check(file: YamlFile, schema: Mapping[str, Any]) -> list[Problem]:
    """Everything in the file that the schema does not allow, in the order of its lines."""
    if not isinstance(file.data, dict):
        return [
            Problem("is empty or not a list of keys", file.name, 1, None, None, "begin with 'key: value'")
        ]
    validator = _validators()(schema, format_checker=_formats())
    problems = [problem for error in validator.iter_errors(file.data) for problem in _problems(error, file)]
    return sorted(problems, key=lambda problem: problem.line or 0)


def _problems(error: jsonschema.ValidationError, file: YamlFile) -> Iterator[Problem]:
    keys: Keys = tuple(error.absolute_path)
    schema: Any = error.schema
    instance: Any = error.instance
    limit: Any = error.validator_value
    if error.validator == "additionalProperties":
        known = schema.get("properties", {})
        for key in (key for key in instance if key not in known):
            message = f"unknown key '{key}'"
            yield file.problem((*keys, key), message, did_you_mean(key, known), instance[key])
    elif error.validator == "required":
        for key in (key for key in limit if key not in instance):
            if f"'{key}'" in error.message:
                about = schema["properties"][key].get("description", "")
                yield file.problem(keys, f"the key '{key}' is missing", f"{key}: {about}" if about else None)
    elif error.validator in ("oneOf", "anyOf") and error.context:
        fitting = [inner for inner in error.context if inner.validator != "type" or inner.path]
        for inner in fitting or error.context[:1]:
            yield from _problems(inner, file)
    else:
        if error.validator == "format" and "propertyNames" in error.absolute_schema_path:
            keys = (*keys, str(error.instance))
        message, hint = _words(error)
        yield file.problem(keys, message, hint, error.instance)


def _words(error: jsonschema.ValidationError) -> tuple[str, str | None]:
    """The message about one value, and the hint."""
    value: Any = error.instance
    limit: Any = error.validator_value
    schema: Any = error.schema
    quantity = str(schema.get("format"))
    if error.validator == "format" and isinstance(error.cause, HintedError):
        return str(error.cause), error.cause.hint
    if error.validator == "type" and quantity in _QUANTITIES and not isinstance(value, (list, dict)):
        try:
            _QUANTITIES[quantity](value)
        except HintedError as cause:
            return str(cause), cause.hint
    if error.validator == "type":
        return _type_words(value, limit, schema)
    if error.validator in ("enum", "const"):
        return f"'{value}' is not one of the choices", did_you_mean(
            value, limit if isinstance(limit, list) else [limit]
        )
    if error.validator == "minimum":
        return f"{value} is too small", f"at least {limit}"
    if error.validator in ("minItems", "minProperties", "minLength"):
        return "is empty", f"at least {limit} is needed: {schema.get('description', '')}".rstrip(": ")
    if error.validator == "uniqueItems":
        return f"'{error.message}' stands in the list twice", "keep one of them"
    return error.message, None


def _list_hint(value: object, schema: Mapping[str, Any]) -> str:
    """A value alone belongs into brackets, if a list of it is what is wanted."""
    if schema.get("items", {}).get("type") != "integer" or isinstance(value, int):
        return f"write [{value}]"
    digits = _digits(value)
    return f"write [{digits}]" if digits else "write a list of whole numbers, such as [1, 2]"


def _digits(value: object) -> str | None:
    word = str(value).strip()
    return word if word.isascii() and word.isdigit() and len(word) <= _MOST_DIGITS else None


def _type_words(value: object, limit: object, schema: Mapping[str, Any]) -> tuple[str, str | None]:
    wanted = " or ".join(_TYPE_WORDS[str(name)] for name in (limit if isinstance(limit, list) else [limit]))
    if value is None:
        return "has no value", f"{wanted} is needed"
    names: Mapping[type, str] = {list: "a list", dict: "a group of keys", str: f"'{value}'"}
    shown = names.get(type(value), as_written(value))
    hint = None
    if limit == "object" and isinstance(value, list):
        hint = "write keys with values, without '- ' and [ ], such as api: POSIX"
    elif limit == "array":
        hint = None if isinstance(value, dict) else _list_hint(value, schema)
    elif limit == "string" and not isinstance(value, (list, dict)):
        hint = f'put it in quotes: "{as_written(value)}"'
    elif limit in ("integer", "number") and isinstance(value, str):
        digits = _digits(value)
        hint = f"write {digits}, in digits and without quotes" if digits else "write it in digits, such as 2"
    return f"{shown} is not {wanted}", hint
