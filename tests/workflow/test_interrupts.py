"""However a measurement of a minute is told to end, it ends, keeps what has run and leaves nothing."""

import os
import signal
from pathlib import Path

import pytest

from tests.workflow.conftest import Checkout
from tests.workflow.interrupts import KINDS, interrupts
from tests.workflow.processes import processes_below, start, until
from tests.workflow.test_faults import ask_for_twenty_executions, ended
from weir.base.processes import EXIT_INTERRUPTED


@pytest.mark.slow
@pytest.mark.sample(6)
@pytest.mark.parametrize("first", range(6))
def test_every_kind_of_end_at_a_random_moment_ends_the_measurement(first: int) -> None:
    """A sixth of the kinds each; `make soak` makes 15 rounds of each kind."""
    kinds = [name for name in KINDS if name not in ("hang-up", "interrupt-snakemake")][first::6]
    tallies = interrupts(kinds, rounds=1, seed=29 + first)
    assert {name: tally.problems for name, tally in tallies.items()} == {name: [] for name in kinds}


@pytest.mark.slow
@pytest.mark.parametrize("whole_group", [True, False])
@pytest.mark.parametrize("moment", ["while it plans", "while it measures"])
def test_an_interrupted_workflow_ends_with_130_and_leaves_nothing(
    tiny: Checkout, target_folder: Path, tmp_path: Path, moment: str, whole_group: bool
) -> None:
    ask_for_twenty_executions(tiny)
    (tmp_path / "temporary").mkdir()
    command = ("snakemake", "--cores", "2", "--quiet", "--", "results/local/tiny/records.csv")
    environment = {"TMPDIR": str(tmp_path / "temporary")}
    with start(tiny, *command, environment=environment, keep_output=True) as process:
        if moment == "while it plans":
            assert until(lambda: any(tiny.root.glob(".snakemake/weir-temporary/*.json")))
        else:
            assert until(lambda: ended(tiny) >= 3)
        (os.killpg if whole_group else os.kill)(process.pid, signal.SIGINT)
        printed = process.communicate(timeout=60)[0]
    # A shell calls the death by SIGINT 130, too.
    assert process.returncode in (EXIT_INTERRUPTED, -signal.SIGINT), printed
    assert "Traceback" not in printed
    assert until(lambda: processes_below(tiny.root) == [])
    assert [*(tmp_path / "temporary").iterdir(), *target_folder.iterdir()] == []
