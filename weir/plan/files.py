"""plan.json: the plan as a file, and back.

Its cells also as text, a line for each: the lines are found without parsing them, and `weir collect` parses a
cell only if something about it changed.
"""

import contextlib
import gc
import json
import re
import types
import typing
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

from weir.base.errors import InputError
from weir.base.files import WRONG_CONTENT, from_json, whole_file
from weir.data import load_schema
from weir.plan.model import Batch, Plan
from weir.records.model import Cell, Until

SCHEMA = 1


def plan_data(plan: Plan) -> dict[str, Any]:
    """The plan as plain data."""
    return {"schema": SCHEMA, **_plain(plan)}


def plan_from_data(data: Mapping[str, Any]) -> Plan:
    """The plan of plan_data; equal to the one it was made from."""
    if data.get("schema") != SCHEMA:
        raise ValueError(f"has the layout {data.get('schema')}, this weir reads {SCHEMA}")
    plan: Plan = built(Plan, {key: value for key, value in data.items() if key != "schema"})
    for batch in plan.batches:
        for name in ("partition", "stack", "target"):
            if (given := getattr(batch, name)) not in getattr(plan.site, f"{name}s"):
                raise ValueError(f"batch {batch.batch} has the {name} {given!r}, which the site has not")
    return plan


def write_plan(plan: Plan, path: Path) -> None:
    """Write plan.json whole or not at all; a plan that did not change keeps its file and its date."""
    if _is_same(path, pieces(plan)):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as stream:
        stream.writelines(pieces(plan))


def _is_same(path: Path, pieces: Iterable[str]) -> bool:
    """Whether the file has this text and no other."""
    try:
        with path.open(encoding="utf-8") as stream:
            return all(stream.read(len(piece)) == piece for piece in pieces) and not stream.read(1)
    except (OSError, ValueError):
        return False


def read_plan(path: Path) -> Plan:
    """The plan of a file that write_plan wrote."""
    with damage_named(path), _no_garbage():
        return plan_from_data(from_json(text_of_plan(path)))


@contextlib.contextmanager
def damage_named(path: Path) -> Iterator[None]:
    """Reports a fault of the file as an error with a hint."""
    try:
        yield
    except OSError as error:
        hint = "make it with: weir plan --out FILE"
        raise InputError(f"cannot be read: {error.strerror}", file=path, hint=hint) from error
    except WRONG_CONTENT as error:
        # A ValueError names the position in the JSON; the others would name our own classes.
        where = f": {error}" if isinstance(error, ValueError) else ""
        hint = "plan again, with: weir plan --out FILE"
        raise InputError(f"is not a valid plan{where}", file=path, hint=hint) from error


@contextlib.contextmanager
def _no_garbage() -> Iterator[None]:
    """Python looks for garbage among new objects again and again: a third of the time, and none is there."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def pieces(plan: Plan) -> Iterator[str]:
    """JSON with a line for each cell: ten times as fast as indented, a change is a changed line, and no more
    than a cell is in memory as text."""
    yield f'{{\n"schema": {SCHEMA},\n'
    for name in _field_types(Plan):
        if name != "batches":
            yield f'"{name}": {json.dumps(_plain(getattr(plan, name)), indent=1)},\n'
    yield '"batches": ['
    for number, batch in enumerate(plan.batches):
        facts = {name: getattr(batch, name) for name in _field_types(Batch) if name != "cells"}
        yield f'{"," if number else ""}\n {json.dumps(facts)[:-1]}, "cells": ['
        for place, cell in enumerate(batch.cells):
            yield f"{',' if place else ''}\n  {json.dumps(_plain(cell))}"
        yield "\n ]}"
    yield "\n]\n}\n"


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (str, int, float)):
        return value
    if is_dataclass(value):
        return {
            name: _plain(getattr(value, name)) for name in _field_types(typing.cast(Hashable, type(value)))
        }
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


@cache
def _field_types(kind: Hashable) -> dict[str, Any]:
    hints = typing.get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(typing.cast(Any, kind))}


@cache
def _inner_types(kind: Hashable) -> dict[str, Any]:
    """The fields that JSON holds in another form than the class: a plan has a million others."""
    as_they_are = (str, int, float, bool, Any, Mapping[str, Any])
    return {name: known for name, known in _field_types(kind).items() if known not in as_they_are}


@cache
def _types_of_values(kind: Hashable) -> dict[str, tuple[type, ...]]:
    """Types of the values by field name."""
    return {name: kinds for name, known in _field_types(kind).items() if (kinds := _kinds_of(known))}


@cache
def _kinds_of(known: Hashable) -> tuple[type, ...]:
    """The types that JSON has in place of a value of this type; empty for any value."""
    if isinstance(known, types.UnionType):
        return tuple(kind for each in typing.get_args(known) for kind in _kinds_of(each))
    origin = typing.get_origin(known) or known
    if origin in (int, str, bool, type(None)):
        return (typing.cast(type, origin),)
    if origin is float:
        return (int, float)
    if origin is tuple:
        return (list, tuple)
    return (dict,) if origin is Mapping or is_dataclass(known) else ()


@cache
def _limits(kind: Hashable) -> dict[str, int]:
    """The largest numbers of a cell by field name: a damaged one would be counted to."""
    properties = load_schema("cell")["properties"] if kind is Cell else {}
    properties = load_schema("cell")["properties"]["until"]["properties"] if kind is Until else properties
    return {name: facts["maximum"] for name, facts in properties.items() if "maximum" in facts}


def text_of_plan(path: Path) -> str:
    """The text of a plan. A NUL, which no name of a file can have, is damage."""
    text = path.read_text(encoding="utf-8")
    if "\\u0000" in text:
        raise ValueError("holds a NUL")
    return text


def _require(value: Any, kinds: tuple[type, ...], name: str) -> None:
    if kinds and not isinstance(value, kinds):
        raise ValueError(f"{name} is {repr(value)[:40]}, of another type")


def built(kind: Any, data: Any) -> Any:
    """data as the type: dataclasses, tuples of them, mappings to them, and plain values as they are."""
    if data is None or isinstance(data, (str, int, float)):
        _require(data, _kinds_of(kind), "a value")
        return data
    if is_dataclass(kind):
        _require(data, (dict,), str(getattr(kind, "__name__", "a value")).lower())
        for name, kinds in _types_of_values(typing.cast(Hashable, kind)).items():
            if name in data and not isinstance(data[name], kinds):
                _require(data[name], kinds, name)
        for name, most in _limits(typing.cast(Hashable, kind)).items():
            if name in data and data[name] > most:
                raise ValueError(f"{name} is {str(data[name])[:40]}, more than {most:,}")
        inner = _inner_types(typing.cast(Hashable, kind)).items()
        changed = {name: built(known, data[name]) for name, known in inner if name in data}
        return typing.cast(Any, kind)(**{**data, **changed})
    if isinstance(kind, types.UnionType):  # of a class and None
        return built(next(each for each in typing.get_args(kind) if each is not type(None)), data)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is tuple:
        _require(data, (list, tuple), "a value")
        return tuple(built(arguments[0], item) for item in data)
    if origin is Mapping:
        _require(data, (dict,), "a value")
    if origin is Mapping and arguments[1] is not Any:
        return {key: built(arguments[1], item) for key, item in data.items()}
    return data


_BATCH, _BATCH_CELLS, _CELL = ' {"batch": "', ', "cells": [', '  {"cell": "'
_ROUNDS = re.compile(r'"rounds": (\d{1,9})\b')
_AT_MOST = re.compile(r'"at_most": (\d{1,9})\b')
_NO_UNTIL = ', "until": null}'


@dataclass(frozen=True)
class PlanLines:
    """A plan whose batches hold no cells, and the lines of the cells of each batch."""

    plan: Plan
    of_batches: tuple[list[str], ...]

    @property
    def cells(self) -> list[str]:
        return [line for lines in self.of_batches for line in lines]

    def with_batches(self) -> Iterator[tuple[str, str]]:
        """The line of each cell, and the name of its batch."""
        for batch, lines in zip(self.plan.batches, self.of_batches, strict=True):
            for line in lines:
                yield line, batch.batch


def read_lines(path: Path) -> PlanLines:
    """The plan of a file, also of one that a formatter laid out in its own style."""
    with damage_named(path):
        found = _split(text_of_plan(path))
    return found or lines_of_plan(read_plan(path))


def lines_of_plan(plan: Plan) -> PlanLines:
    """The lines of a plan, as read_lines gives them for its file."""
    found = _split("".join(pieces(plan)))
    assert found is not None, "write_plan and read_lines differ in the layout"
    return found


def _split(text: str) -> PlanLines | None:
    """The parts of the text; None where the layout is not the one of write_plan, or the text is damaged
    outside of the cells."""
    rest: list[str] = []
    batches: list[list[str]] = []
    in_batch = False
    for line in text.split("\n"):
        if in_batch and line.startswith(_CELL):
            batches[-1].append(line)
            continue
        rest.append(line)
        in_batch = line.startswith(_BATCH) and line.endswith(_BATCH_CELLS)
        if in_batch:
            batches.append([])
    try:
        plan = plan_from_data(from_json("\n".join(rest)))
    except WRONG_CONTENT:
        return None
    if len(plan.batches) != len(batches) or any(batch.cells for batch in plan.batches):
        return None
    if not all(_separated(lines) for lines in batches):
        return None
    return PlanLines(plan, tuple([line.removesuffix(",") for line in lines] for lines in batches))


def _separated(lines: list[str]) -> bool:
    """A comma between two cells, and none after the last."""
    return all(line.endswith("},") for line in lines[:-1]) and (not lines or lines[-1].endswith("}"))


def cell_of_line(line: str, path: Path) -> Cell:
    """The cell; path is the plan's, for the error."""
    with damage_named(path):
        cell: Cell = built(Cell, from_json(line))
        return cell


def name_of_line(line: str, path: Path) -> str:
    """The identifier of the cell; path is the plan's, for the error."""
    name, end, _ = line.removeprefix(_CELL).partition('"')
    return cell_of_line(line, path).cell if not end or "\\" in name else name


def most_rounds(line: str) -> int:
    """The most runs that the cell may have; 1 where the line does not show it."""
    found = _ROUNDS.search(line)
    rounds = int(found[1]) if found else 1
    at_most = None if line.endswith(_NO_UNTIL) else _AT_MOST.search(line)
    return max(rounds, int(at_most[1])) if at_most else rounds
