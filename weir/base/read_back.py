"""Files that weir wrote and reads back: a damaged one is named, with what is wrong and what to do.

A file may be damaged by a full disk, an editor or another program. Two means: the shape of a file is checked
when it is read; and what is computed from one file alone is computed within damage_named.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from weir.base.errors import WeirError
from weir.base.files import read_object

# Errors of Python where a value is missing or of another type than the code expects.
WRONG_CONTENT = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError)
# A type, several of them, a list with the shape of its items, or keys with their shapes: `key?` may be null
# or missing, `*` stands for any other key.
Shape = Any
NUMBER = (int, float)
_NAMES = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "keys",
}


@contextlib.contextmanager
def damage_named(path: Path, hint: str) -> Iterator[None]:
    """Reports an error inside the block as a fault of the file; nothing else is read or computed within."""
    try:
        yield
    except WRONG_CONTENT as error:
        detail = f"a value is missing or of another type ({type(error).__name__}: {error})"
        raise WeirError(f"is damaged: {detail[:200]}", file=str(path), hint=hint) from error


def read_shaped(path: Path, shape: Shape, hint: str) -> dict[str, Any]:
    """The JSON object in a file of this shape; FileNotFoundError if there is none, else WeirError."""
    content = read_object(path, hint)
    shaped(content, shape, path, hint)
    return content


def shaped(content: Any, shape: Shape, path: Path, hint: str, exit_code: int = 1) -> Any:
    """The content of the file, if it has the shape."""
    if fault := fault_of(content, shape):
        key, wrong = fault
        raise WeirError(
            f"is damaged: {wrong}",
            file=str(path),
            key=key.lstrip(".") or None,
            hint=hint,
            exit_code=exit_code,
        )
    return content


def fault_of(data: Any, shape: Shape, key: str = "") -> tuple[str, str] | None:
    """The key of the first value that is missing or has another type, and what is wrong with it."""
    if isinstance(shape, dict):
        return _fault_of_keys(data, shape, key) if isinstance(data, Mapping) else _other(data, (dict,), key)
    if isinstance(shape, list):
        if not isinstance(data, list):
            return _other(data, (list,), key)
        faults = (fault_of(item, shape[0], f"{key}[{place}]") for place, item in enumerate(data))
        return next(filter(None, faults), None)
    kinds = shape if isinstance(shape, tuple) else (shape,)
    is_other = not isinstance(data, kinds) or (isinstance(data, bool) and bool not in kinds)
    if is_other or (isinstance(data, float) and not math.isfinite(data)):
        return _other(data, kinds, key)
    return None


def _fault_of_keys(data: Mapping[str, Any], shape: Mapping[str, Shape], key: str) -> tuple[str, str] | None:
    named = {name.removesuffix("?"): inner for name, inner in shape.items()}
    for name, inner in shape.items():
        if name.endswith("?") and data.get(name[:-1]) is None:
            continue
        if name != "*" and name.removesuffix("?") not in data:
            return f"{key}.{name}", "is missing"
        found = name != "*" and fault_of(
            data[name.removesuffix("?")], inner, f"{key}.{name.removesuffix('?')}"
        )
        if found:
            return found
    others = ((name, value) for name, value in data.items() if name not in named)
    faults = (fault_of(value, shape["*"], f"{key}.{name}") for name, value in others if "*" in shape)
    return next(filter(None, faults), None)


def _other(data: Any, kinds: tuple[type, ...], key: str) -> tuple[str, str]:
    wanted = "a number" if kinds == NUMBER else " or ".join(_NAMES.get(kind, "nothing") for kind in kinds)
    return key, f"is {repr(data)[:40]}, not {wanted}"
