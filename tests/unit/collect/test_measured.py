"""Cells measured again, for a confirmation, a search of settings or the test of a prediction."""

from pathlib import Path

import pytest

from tests.unit.measure.test_rounds import job, run_round
from weir.base.errors import TargetUnavailableError, WeirError
from weir.collect.measured import measure_in_turns
from weir.measure import batches
from weir.measure.session import SessionBatch


def test_a_target_that_fails_is_the_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its records are missing: nothing is compared with the records of the other side."""

    def turn(one: SessionBatch, round: int | None) -> None:
        if one.planned.batch == "b":
            raise TargetUnavailableError("target b: gone")
        run_round(one, round)

    monkeypatch.setattr(batches, "take_turn", turn)
    with pytest.raises(WeirError, match="target b: gone"):
        measure_in_turns([job("a", (1,), tmp_path), job("b", (1,), tmp_path)])
