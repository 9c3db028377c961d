"""What tells a file that is folded onto a part of it from one that is not."""

from typing import Any

import pytest

from tests.unit.audit.findings_of_places import compared, placed
from tests.unit.audit.subjects import MIB, subject
from weir.audit import Subject, judge
from weir.witness.facts import _cancelled
from weir.witness.spans import contents, in_files, places

HONEST = [
    placed(128, 128),
    placed(128, 81),  # drawn with replacement: 63 %
    compared(640, 5),  # another rank wrote there meanwhile
    placed(8, 1),  # too few to tell
    placed(128, 1, api="HDF5"),
    subject({"cancelled_bytes": 40 * MIB}),
    subject({"cancelled_bytes": 800 * MIB}, sync=False),  # nothing had to be stored
]


@pytest.mark.parametrize("about", HONEST)
def test_what_an_honest_access_does_is_no_finding(about: Subject) -> None:
    assert not {"places-repeated", "bytes-withdrawn", "contents-differ"} & {
        one.rule for one in judge(about).findings
    }


def span(calls: int, marked: int, unplaced: int = 0) -> dict[str, Any]:
    counts = {"calls": calls, "unplaced": unplaced, "marked": marked, "slots": 4096}
    return {"write_places": counts, "cancelled_bytes": 5}


@pytest.mark.parametrize(
    ("spans", "distinct"),
    [
        ([span(128, 127), span(128, 128)], 259),
        ([span(262_144, 255)], 263),
        ([span(9000, 3642)], 9010),
        ([span(262_144, 4096)], None),  # too many to tell
        ([span(128, 128), span(128, 127, unplaced=1)], None),
        ([{}], None),  # of an earlier version
    ],
)
def test_distinct_places_are_estimated(spans: list[dict[str, Any]], distinct: int | None) -> None:
    found = places(spans, "write").get("places")
    assert (found and found["distinct"]) == distinct


def test_what_all_ranks_took_away_again_adds_up() -> None:
    assert _cancelled([span(1, 1), span(1, 1)]) == {"cancelled_bytes": 10}
    assert _cancelled([span(1, 1), {}]) == {}


def test_what_the_files_have_not_was_not_written() -> None:
    spans = [
        {"written_bytes": 4 * MIB, "write_places": {"looked": 16, "differing": 4}},
        {"written_bytes": MIB},
    ]
    assert contents(spans, "write") == {"contents": {"looked": 16, "differing": 4}}
    assert contents(spans, "read") == {}
    assert in_files(spans) == 5 * MIB * 3 // 4
    assert in_files(spans[1:]) == MIB
