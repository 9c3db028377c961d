"""The latency histogram of a record: classes of powers of two, from the fine buckets of weir-io."""

from __future__ import annotations

from typing import Any

import pytest

from weir.tools.weir_io import parse_document


def document(buckets: list[list[float]]) -> dict[str, Any]:
    result = {"access": "write", "iteration": 0, "latency": {"buckets": buckets}}
    return {"program": "weir-io", "status": "done", "requested": {"api": "POSIX"}, "results": [result]}


@pytest.mark.parametrize(
    ("buckets", "histogram"),
    [
        ([[4.015, 3], [8.0, 7], [31.9, 2]], "3:10;0;2"),  # an edge belongs to the class below it
        ([[0.255, 4]], "-1:4"),
        ([[0, 1], [1e300, 1]], "-10:1;" + "0;" * 56 + "1"),  # no class for each power of a damaged document
        ([], None),
    ],
)
def test_buckets_become_classes_of_powers_of_two(buckets: list[list[float]], histogram: str | None) -> None:
    parsed = parse_document(document(buckets), {})
    assert [row["lat_histogram"] for row in parsed.rows] == [histogram], parsed.messages
