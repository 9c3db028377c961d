"""The document of weir-io: its latency histogram as classes of powers of two, and how long all ranks together
moved next to nothing.
"""

from typing import Any

import pytest

from weir.tools.engine import parse_document


def document(**facts: Any) -> dict[str, Any]:
    result = {"access": "write", "iteration": 0} | facts
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
    parsed = parse_document(document(latency={"buckets": buckets}), {})
    assert [row["lat_histogram"] for row in parsed.rows] == [histogram], parsed.messages


def halt_of(moved: list[int], **observed: Any) -> float | None:
    timeline = {"bucket_s": 0.5, "moved_bytes": moved}
    (row,) = parse_document(document(timeline=timeline, observed=observed), {}).rows
    halt_s: float | None = row["observed"].get("longest_halt_s")
    return halt_s


@pytest.mark.parametrize(
    ("moved", "halt_s"),
    [
        ([100] * 100, 0.0),
        ([100] * 10 + [1] * 80 + [100] * 10, 40.0),  # an operation that waits is spread over its time
        ([100] * 10 + [1] * 40 + [100] + [1] * 39 + [100] * 10, 20.0),
        ([100] * 20 + [0] * 80, 0.0),  # the synchronisation at the end
        ([0] * 100, None),
    ],
    ids=["even", "a halt", "the longer of two", "the end", "nothing moved"],
)
def test_a_halt_lies_between_times_of_more(moved: list[int], halt_s: float | None) -> None:
    assert halt_of(moved) == halt_s


def test_the_rest_between_two_passes_is_no_halt() -> None:
    passes = {"count": 2, "first_bytes": 1000, "first_s": 5.0}
    assert halt_of([100] * 10 + [0] * 80 + [100] * 10, passes=passes) is None
