"""Turns of operations on names: what of a rank's calls is the access of a row."""

from __future__ import annotations

from typing import Any

import pytest

from weir.witness.spans import facts_of_turns


def turn(kind: str, operations: int) -> dict[str, Any]:
    span = {"began_ns": 0, "transfers_end_ns": 20_000_000, "syncs": 0, "written_bytes": 0}
    looked = dict.fromkeys(("sampled", "there", "cached_files", "unwritten_bytes"), 0)
    return {"kind": kind, "operations": operations, "span": span, **looked}


@pytest.mark.parametrize(("operations", "length_s"), [(500, 0.02), (502, None)])
def test_stats_of_something_else_are_no_time_of_the_access(operations: int, length_s: float | None) -> None:
    """A program looks at its directory when all files are made, and waits there for the other ranks."""
    row = {"access": "stat", "item": "file", "ops": 1000}
    facts = facts_of_turns(row, [turn("stat", 500), turn("stat", operations)])
    assert facts.get("shortest_span_s") == length_s


def test_creates_have_their_time_whatever_else_was_made() -> None:
    row = {"access": "create", "item": "file", "ops": 1000}
    assert facts_of_turns(row, [turn("create", 501)] * 2)["shortest_span_s"] == 0.02
