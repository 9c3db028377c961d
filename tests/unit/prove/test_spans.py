"""Which calls of the processes are one iteration of a benchmark."""

from dataclasses import replace

import pytest

from tests.unit.prove.reports import MIB, S, counters, phase
from weir.prove.pieces import Piece, spans_of


def rank(process: int, *parts: tuple[float, float]) -> Piece:
    """A process that writes 16 MiB from begin to end in each part."""
    pieces = []
    for began_s, ended_s in parts:
        ends = {"first_ns": int(began_s * S), "last_ns": int(ended_s * S)}
        one = phase(written=16) | ends
        one["write"] = one["write"] | ends
        pieces.append(Piece("n1", ("n1", "sda"), process, one, counters({}, None), counters({}, None)))
    whole = phase(written=16 * len(parts)) | {"last_ns": pieces[-1].phase["last_ns"]}
    return replace(pieces[0], phase=whole, parts=tuple(pieces))


@pytest.mark.parametrize(
    ("first", "second", "spans"),
    [
        ([(1.0, 1.9), (3.0, 3.9)], [(1.1, 1.8), (3.2, 3.7)], [32, 32]),
        ([(1.0, 1.9), (3.0, 3.4)], [(1.1, 1.8), (3.5, 3.9)], [32, 32]),  # a rank that waits for a processor
        ([(1.0, 1.4), (3.0, 3.4)], [(1.5, 1.9), (3.5, 3.9)], [32, 32]),
        ([(1.0, 1.4), (1.5, 1.9)], [(3.0, 3.4), (3.5, 3.9)], [16, 16, 16, 16]),  # one after the other
        ([(1.0, 1.4), (3.0, 3.4)], [(1.5, 1.9), (2.0, 2.4), (3.5, 3.9)], [16, 16, 16, 16, 16]),
    ],
    ids=["together", "one late", "both late", "processes in turn", "another number"],
)
def test_an_iteration_has_the_calls_of_all_ranks_also_where_one_rank_is_late(
    first: list[tuple[float, float]], second: list[tuple[float, float]], spans: list[int]
) -> None:
    found = spans_of([rank(1, *first), rank(2, *second)])
    assert [sum(one.phase["written_bytes"] for one in span) // MIB for span in found] == spans
