"""A short soak: something is killed in each round; the next start goes on, nothing is lost or left."""

from __future__ import annotations

import pytest

from tests.workflow.soak import KINDS, soak

# 20 rounds in all; `make soak` makes 100 of each kind.
TWICE = ["weir", "weir-everything", "weir-interrupt", "rank", "guardian", "drainer", "mount"]
ONCE = ["group", "snakemake", "reframe", "make-interrupt", "make-terminate", "make-everything"]


@pytest.mark.parametrize(("kinds", "rounds"), [(TWICE, 2), (ONCE, 1)])
def test_whatever_is_killed_nothing_is_lost_and_nothing_left(kinds: list[str], rounds: int) -> None:
    tallies = soak(kinds, rounds, float("inf"), seed=15)
    assert {name: tally.problems for name, tally in tallies.items()} == {name: [] for name in kinds}
    assert {tally.rounds for tally in tallies.values()} == {rounds}
    assert set(kinds) <= set(KINDS)
