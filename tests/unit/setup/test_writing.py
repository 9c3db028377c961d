"""envs/setup.sh in a checkout that cannot be written."""

import pytest

from tests.unit.setup.machine import Machine


@pytest.mark.parametrize("place", ["build", "build/setup.lock"])
def test_a_checkout_that_cannot_be_written_is_named(machine: Machine, place: str) -> None:
    """As that of another user, or on a file system that is read-only."""
    there = machine.checkout / place
    if place == "build":
        there.touch()
    else:
        there.mkdir(parents=True)
    output = machine.set_up("measure", code=1)
    assert f"setup: no file can be written in {machine.checkout}/build: " in output
    assert "hint: measure in a checkout of your own" in output
