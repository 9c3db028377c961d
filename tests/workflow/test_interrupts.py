"""However a measurement of a minute is told to end, it ends, keeps what has run and leaves nothing."""

from __future__ import annotations

import pytest

from tests.workflow.interrupts import KINDS, interrupts


@pytest.mark.slow
@pytest.mark.sample(6)
@pytest.mark.parametrize("first", range(6))
def test_every_kind_of_end_at_a_random_moment_ends_the_measurement(first: int) -> None:
    """A sixth of the kinds each; `make soak` makes 15 rounds of each kind."""
    kinds = [name for name in KINDS if name not in ("hang-up", "interrupt-snakemake")][first::6]
    tallies = interrupts(kinds, rounds=1, seed=29 + first)
    assert {name: tally.problems for name, tally in tallies.items()} == {name: [] for name in kinds}
