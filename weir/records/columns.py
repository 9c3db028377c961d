"""The columns of a record and of its companions, as config/schemas gives them, and how values are written.

Rows of a tool are checked against them: an unknown key is a mistake of the tool, an impossible value one of
the output.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

from weir.base.errors import WeirError, did_you_mean
from weir.data import load_schema
from weir.records.model import Message, Parsed, Row
from weir.records.shapes import TYPES, Check, Plain, compiled, plain_values


@dataclass(frozen=True)
class Column:
    """One column: type is integer, number, boolean or string; an optional one may be empty."""

    name: str
    type: str
    optional: bool
    description: str
    choices: tuple[str, ...] = ()
    role: str = ""  # parameter, measure, identity or verdict
    unit: str = ""
    parameter: str = ""  # of the cell, that the column repeats
    in_cell: bool = False  # imported records that differ in it belong to different cells
    minimum: float = -math.inf
    maximum: float = math.inf
    texts: Mapping[str, str] = field(default_factory=dict, compare=False)  # of its values, for a reader
    meanings: Mapping[str, str] = field(default_factory=dict, compare=False)
    marks: Mapping[str, str] = field(default_factory=dict, compare=False)  # before them, on a page

    def read(self, text: str) -> Any:
        """The value of a field; ValueError describes what is wrong with it."""
        if text == "":
            if self.optional:
                return None
            if self.role == "verdict":
                return ""
            raise ValueError("is empty")
        if self.choices and text not in self.choices:
            raise ValueError(f"is '{text}', not one of {', '.join(self.choices)}")
        try:
            # int and float read '1_000' and digits of other scripts, which nothing else does.
            if self.type in ("integer", "number") and ("_" in text or not text.isascii()):
                raise ValueError
            value = _READERS[self.type](text)
        except (ValueError, KeyError):
            raise ValueError(f"is '{text}', not of type {self.type}") from None
        wrong = self.problem(value)
        if wrong:
            raise ValueError(wrong)
        return value

    def problem(self, value: Any) -> str | None:
        """The fault of a value that a tool or a table gives, or None."""
        if value is None:
            return None
        if self.choices:
            return None if value in self.choices else f"is '{value}', not one of {', '.join(self.choices)}"
        if not isinstance(value, TYPES[self.type]) or (isinstance(value, bool) and self.type != "boolean"):
            return f"is {value!r}, not of type {self.type}"
        if self.type in ("integer", "number") and not self._is_in_range(value):
            return f"is {value}, out of range{self._range()}"
        return None

    @cached_property
    def plain(self) -> Plain:
        """The classes and limits that nearly every value has; a value that has not may still have no
        problem."""
        return {} if self.choices else plain_values([self.type], self.minimum, self.maximum)

    def _is_in_range(self, value: Any) -> bool:
        """Finite, too; a comparison with NaN is false."""
        return bool(self.minimum <= value <= self.maximum and abs(value) != math.inf)

    def _range(self) -> str:
        if math.inf in (-self.minimum, self.maximum):
            return ""
        return f" ({self.minimum:g} to {self.maximum:g}{' ' if self.unit else ''}{self.unit})"

    def hint(self, text: str) -> str:
        """A hint: what to write in place of a wrong field."""
        if self.choices and text:
            return did_you_mean(text, self.choices)
        article = "an" if self.type == "integer" else "a"
        return f"write {article} {self.type}" + (
            ", or nothing where it is not known" if self.optional else ""
        )

    def write(self, value: Any) -> str:
        """The field for a value; integers stay exact, numbers keep every digit."""
        return "" if value is None else _WRITERS[self.type](value)


# Classes by the type of the column: values of this class the csv module writes as Column.write does.
WRITTEN_AS_IS: dict[str, type] = {"integer": int}
_WRITERS: dict[str, Callable[[Any], str]] = {
    "integer": lambda value: str(int(value)),
    "number": lambda value: repr(float(value)).removesuffix(".0"),
    "boolean": lambda value: "true" if value else "false",
    "string": str,
}
_READERS: dict[str, Any] = {
    "integer": int,
    "number": float,
    "boolean": {"true": True, "false": False, "TRUE": True, "FALSE": False}.__getitem__,
    "string": str,
}


@cache
def columns(table: str = "record") -> dict[str, Column]:
    """All columns of the table with this schema, in their order."""
    schema = load_schema(table)
    return {
        name: _column(name, facts, name in schema["required"]) for name, facts in schema["properties"].items()
    }


def _column(name: str, facts: dict[str, Any], required: bool) -> Column:
    choices = facts.get("enum", ())
    kinds = facts.get("type", ["string", "null"] if None in choices else "string")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    kind = next(one for one in kinds if one != "null")
    known = tuple(choice for choice in choices if choice is not None)
    return Column(
        name,
        kind,
        "null" in kinds or not required,
        facts["description"],
        known,
        role=facts.get("x-role", ""),
        unit=facts.get("x-unit", ""),
        parameter=facts.get("x-parameter", ""),
        in_cell=facts.get("x-cell", False),
        minimum=facts.get("minimum", -math.inf),
        maximum=facts.get("maximum", math.inf),
        texts=facts.get("x-texts", {}),
        meanings=facts.get("x-meanings", {}),
        marks=facts.get("x-marks", {}),
    )


@cache
def columns_of_role(role: str) -> tuple[str, ...]:
    """Names of the record's columns with a role, in their order."""
    return tuple(name for name, column in columns().items() if column.role == role)


@cache
def cell_columns() -> tuple[str, ...]:
    """Columns in which imported records of one cell agree."""
    return tuple(name for name, column in columns().items() if column.in_cell)


@cache
def repeated_parameters() -> dict[str, str]:
    """Columns that repeat a parameter of the cell, and its name there."""
    return {name: column.parameter for name, column in columns().items() if column.parameter}


@cache
def verdict_texts() -> Mapping[str, str]:
    """VALID is proven, and so on, as people read them; in the order from good to bad."""
    return columns()["verdict"].texts


@cache
def observed_facts() -> Mapping[str, Check]:
    """A check for each fact: those of observed.schema.yaml, and those that the engine observes."""
    engine, own = load_schema("engine"), load_schema("observed")
    facts = {name: (engine, part) for name, part in engine["$defs"]["observed"]["properties"].items()}
    facts |= {name: (own, part) for name, part in own["properties"].items()}
    return {name: compiled(schema, part) for name, (schema, part) in facts.items()}


@cache
def cell_facts() -> tuple[str, ...]:
    """Observed facts in which imported records of one cell agree."""
    return tuple(name for name, part in load_schema("observed")["properties"].items() if part.get("x-cell"))


@cache
def facts_of_sidecars() -> Mapping[str, Check]:
    """The facts that a --facts file may give for all imported logs."""
    given = [name for name, part in load_schema("observed")["properties"].items() if part.get("x-facts")]
    return {name: observed_facts()[name] for name in given}


def observed_problem(observed: Mapping[str, Any]) -> str | None:
    """The first fact that has a wrong value."""
    checks = observed_facts()
    for name, value in observed.items():
        wrong = checks[name](value)
        if wrong:
            return f"observed.{name}{wrong}"
    return None


def checked(parsed: Parsed, tool: str) -> Parsed:
    """The same rows without values that cannot be, each of which is an error message of its row."""
    rows: list[Row] = []
    messages: list[Message] = []
    for index, row in enumerate(parsed.rows):
        wrong = dict(_problems(row, tool))
        rows.append(_without(row, wrong) if wrong else row)
        texts = (f"impossible value: {name} {text}" for name, text in wrong.items())
        messages += [Message("error", text, index) for text in texts]
    return replace(parsed, rows=tuple(rows), messages=(*parsed.messages, *messages)) if messages else parsed


def _problems(row: Row, tool: str) -> Iterator[tuple[str, str]]:
    known = columns()
    for name, value in row.items():
        if name == "observed":
            continue
        column = known.get(name)
        if column is None:
            raise _unknown(tool, name, "a column of a record", known)
        limits = column.plain.get(type(value), ())
        if value is None or limits is None or (limits and limits[0] <= value <= limits[1]):
            continue
        wrong = column.problem(value)
        if wrong:
            yield name, wrong
    if row.get("xfer_bytes") == 0 and row.get("bw_mib_s") is not None:
        yield "xfer_bytes", "is 0, and bytes were moved"
    observed = row.get("observed", {})
    if not observed.keys() <= observed_facts().keys():
        name = next(name for name in observed if name not in observed_facts())
        raise _unknown(tool, name, "an observed fact", observed_facts())
    wrong = observed_problem(observed)
    if wrong:
        yield "observed", wrong


def _without(row: Row, wrong: dict[str, str]) -> Row:
    """api, access and iteration name the record, so that they stay as text and number."""
    kept: Row = {name: value for name, value in row.items() if name not in wrong}
    if "observed" in wrong:
        kept["observed"] = {}
    for name, instead in (("api", "unknown"), ("access", "unknown"), ("iteration", 0)):
        kept.setdefault(name, instead)
    return kept


def _unknown(tool: str, name: str, what: str, known: Iterable[str]) -> WeirError:
    schema = "observed" if "fact" in what else "record"
    return WeirError(
        f"the tool '{tool}' gives '{name}', which is not {what}",
        file=f"config/schemas/{schema}.schema.yaml",
        key=name,
        hint=f"{did_you_mean(name, known)} A new one is a property there.",
    )
