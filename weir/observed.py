"""The facts that audit rules may read beside the columns of a record, as config/schemas describe them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from weir.data import load_schema
from weir.shapes import Check, compiled


@cache
def observed_facts() -> Mapping[str, Check]:
    """A check for each fact: those of observed.schema.yaml, and those that the engine observes."""
    engine, own = load_schema("engine"), load_schema("observed")
    facts = {name: (engine, part) for name, part in engine["$defs"]["observed"]["properties"].items()}
    facts |= {name: (own, part) for name, part in own["properties"].items()}
    return {name: compiled(schema, part) for name, (schema, part) in facts.items()}


@cache
def facts_of_sidecars() -> Mapping[str, Check]:
    """Those that a --facts file may give for all imported logs."""
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
