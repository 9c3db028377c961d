"""weir/records/shapes.py: values that are checked without a look at each have the same faults as alone."""

import math
from typing import Any

import pytest

from weir.records.shapes import compiled

_NUMBER = {"type": "number", "minimum": 0, "maximum": 1e6}
_COUNT = {"type": "integer", "minimum": 1}
_PAIR = {"type": "array", "prefixItems": [_NUMBER, _COUNT], "minItems": 2, "maxItems": 2}
_SCHEMA = {
    "properties": {"pairs": {"type": "array", "items": _PAIR}, "limit": {"$ref": "#/$defs/limit"}},
    "type": "object",
    "$defs": {"limit": {"type": ["number", "null"], "minimum": 0}},
}


@pytest.mark.parametrize(
    ("pair", "fault"),
    [
        ([2.5, 1], None),
        ((7, 2), None),
        ([-1, 1], "[0] is -1, out of range"),
        ([2e6, 1], "[0] is 2000000.0, out of range"),
        ([math.nan, 1], "[0] is nan, out of range"),
        ([math.inf, 1], "[0] is inf, out of range"),
        ([10**400, 1], "[0] is 1000000"),
        (["2", 1], "[0] is '2', not of type number"),
        ([True, 1], "[0] is True, not of type number"),
        ([None, 1], "[0] is None, not of type number"),
        ([2.5, 1.5], "[1] is 1.5, not of type integer"),
        ([2.5, 0], "[1] is 0, out of range"),
        ([2.5], " has 1 items, fewer than 2"),
        ("25", " is '25', not of type array"),
        (3, " is 3, not of type array"),
    ],
)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_pair_among_others_has_its_fault(pair: Any, fault: str | None, place: int) -> None:
    pairs = [[1.5, 3], [4, 5]]
    pairs.insert(place, pair)
    found = compiled(_SCHEMA)({"pairs": pairs})
    if fault is None:
        assert found is None
    else:
        assert found is not None
        assert found.startswith(f".pairs[{place}]{fault}")


@pytest.mark.parametrize(
    ("may_lack", "fault"), [(None, ".b is missing"), (["b"], None), (["a"], ".b is missing"), (True, None)]
)
def test_a_required_key_may_be_missing_where_the_schema_says_so(may_lack: Any, fault: str | None) -> None:
    schema = {"type": "object", "required": ["a", "b"], "properties": {"a": _COUNT, "b": _COUNT}}
    schema |= {} if may_lack is None else {"x-may-lack": may_lack}
    assert compiled(schema)({"a": 1}) == fault
    assert compiled(schema)({"a": 0, "b": 1}) == ".a is 0, out of range"


@pytest.mark.parametrize(
    ("value", "fault"), [(0, None), (None, None), (1.5, None), (-1, "-1"), (math.nan, "nan"), (True, "True")]
)
def test_a_value_behind_a_reference_has_its_fault(value: Any, fault: str | None) -> None:
    found = compiled(_SCHEMA)({"limit": value})
    assert found == (fault and f".limit is {fault}, not of type null")
