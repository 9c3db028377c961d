"""Rows of a tool are checked wherever they enter: unknown keys, impossible values, wrong types."""

import math
from typing import Any

import pytest

from weir.base.errors import WeirError
from weir.records.columns import (
    cell_columns,
    checked,
    columns,
    columns_of_role,
    observed_facts,
    observed_problem,
    repeated_parameters,
)
from weir.records.model import Parsed, Row
from weir.tools import tools

ROW: Row = {"api": "POSIX", "access": "write", "iteration": 0, "bw_mib_s": 100.0, "observed": {"tasks": 2}}


def parsed(**changes: Any) -> Parsed:
    return Parsed((ROW | changes,), {}, (), "IOR", "4.0", complete=True)


def test_a_row_without_fault_is_kept_as_it_is() -> None:
    one = parsed()
    assert checked(one, "ior") is one


@pytest.mark.parametrize(
    ("changes", "arguments"),
    [
        ({"queue_length": 4}, "the tool 'ior' gives 'queue_length', which is not a column of a record"),
        ({"xfer_byte": 4}, "did you mean 'xfer_bytes'?"),
        ({"observed": {"task": 4}}, "the tool 'ior' gives 'task', which is not an observed fact"),
        ({"observed": {"task": 4}}, "did you mean 'tasks'?"),
    ],
)
def test_an_unknown_key_names_the_tool_and_the_nearest_known_one(changes: Row, arguments: str) -> None:
    with pytest.raises(WeirError) as error:
        checked(parsed(**changes), "ior")
    assert arguments in str(error.value)


@pytest.mark.parametrize("name", columns())
def test_a_row_has_the_problems_of_its_columns(name: str) -> None:
    """Nearly all values pass without a look at their column."""
    column = columns()[name]
    for value in [0, 1, -1, 2.5, math.nan, math.inf, 10**400, True, "", "text", "write", None, [], 2**80]:
        expected = [f"impossible value: {name} {wrong}"] if (wrong := column.problem(value)) else []
        found = checked(Parsed(({name: value},), {}, (), "IOR", "4.0", complete=True), "ior")
        assert [message.text for message in found.messages] == expected


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("bw_mib_s", float("nan")),
        ("bw_mib_s", float("inf")),
        ("bw_mib_s", 1e300),
        ("io_s", -1.0),
        ("nn", -5),
        ("nn", 0),
        ("nn", "two"),
        ("xfer_bytes", 0),
        ("xfer_bytes", 2.5),
        ("sync", 1),
        ("layout", "diagonal"),
        ("moved_bytes", 2**80),
    ],
)
def test_an_impossible_value_is_dropped_and_told(column: str, value: Any) -> None:
    found = checked(parsed(**{column: value}), "ior")
    assert column not in found.rows[0]
    (message,) = found.messages
    assert message.level == "error"
    assert message.row == 0
    assert message.text.startswith(f"impossible value: {column} is ")


@pytest.mark.parametrize(
    "observed",
    [
        {"stonewall": 5},
        {"tasks": "two"},
        {"hints": {"cb_nodes": 2}},
        {"residency": {"before": "all"}},
        {"ranks_per_host": "1,2"},
        {"verify": []},
    ],
)
def test_an_observed_fact_of_a_wrong_type_never_reaches_a_rule(observed: dict[str, Any]) -> None:
    found = checked(parsed(observed=observed), "ior")
    assert found.rows[0]["observed"] == {}
    assert f"observed.{next(iter(observed))}" in found.messages[0].text


def test_every_column_has_a_role_and_every_measure_a_unit_or_none_by_its_meaning() -> None:
    roles = {column.role for column in columns().values()}
    assert roles == {"parameter", "measure", "identity", "verdict"}
    without = [name for name in columns_of_role("measure") if not columns()[name].unit]
    assert without == ["ops", "lat_histogram", "slowest_rank", "tasks"]


def test_a_repeated_parameter_is_one_of_some_tool() -> None:
    known = {
        f"{name}_bytes" if one.kind == "size" else name
        for tool in tools().values()
        for name, one in tool.parameters.items()
    }
    assert set(repeated_parameters().values()) <= known
    assert set(repeated_parameters()) <= set(columns_of_role("parameter"))
    assert {"tool", "api", "nn", "chunking"} <= set(cell_columns())
    assert "access" not in cell_columns(), "a write and the read after it belong to one cell"


def test_facts_of_the_engine_are_known_from_its_schema() -> None:
    assert {"open_flags", "sync_calls", "lustre", "tasks", "found"} <= set(observed_facts())
    assert observed_problem({"sync_calls": 3, "residency": None, "tasks": None}) is None
