"""The columns of a record and of its companions, as config/schemas gives them, and how values are written."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from weir.config.schema import load_schema
from weir.errors import did_you_mean


@dataclass(frozen=True)
class Column:
    """One column: type is integer, number, boolean or string; an optional one may be empty."""

    name: str
    type: str
    optional: bool
    description: str
    choices: tuple[str, ...] = ()

    def read(self, text: str) -> Any:
        """The value of a field; ValueError says what is wrong with it."""
        if text == "":
            if self.optional:
                return None
            if self.name in _MAY_BE_EMPTY:
                return ""
            raise ValueError("is empty")
        if self.choices and text not in self.choices:
            raise ValueError(f"is '{text}', not one of {', '.join(self.choices)}")
        try:
            return _READERS[self.type](text)
        except (ValueError, KeyError):
            raise ValueError(f"is '{text}', not of type {self.type}") from None

    def hint(self, text: str) -> str:
        """What to write in place of a wrong field."""
        if self.choices and text:
            return did_you_mean(text, self.choices)
        article = "an" if self.type == "integer" else "a"
        return f"write {article} {self.type}" + (
            ", or nothing where it is not known" if self.optional else ""
        )

    def write(self, value: Any) -> str:
        """The field for a value; integers stay exact, numbers keep every digit."""
        if value is None:
            return ""
        if self.type == "boolean":
            return "true" if value else "false"
        if self.type == "integer":
            return str(int(value))
        return repr(float(value)).removesuffix(".0") if self.type == "number" else str(value)


_MAY_BE_EMPTY = ("reasons", "evidence", "notes", "checked", "missing")
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
    words = tuple(choice for choice in choices if choice is not None)
    return Column(name, kind, "null" in kinds or not required, facts["description"], words)
