from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import pytest

from tests.programs import write_program
from weir.plan.model import CLEAN_UP_S, fits
from weir.site.schedulers import answer, scheduler
from weir.site.schedulers.slurm import allocation_end


def unasked(arguments: Sequence[str]) -> str:
    raise AssertionError(f"nobody should be queried: {arguments}")


def test_outside_of_an_allocation_nothing_ends() -> None:
    assert allocation_end({}, unasked) is None
    assert fits(1e9, now=0, end=None)


def test_the_end_in_the_environment_is_believed() -> None:
    assert allocation_end({"SLURM_JOB_ID": "7", "SLURM_JOB_END_TIME": "1700000000"}, unasked) == 1700000000


def test_older_slurm_is_requested_for_the_end() -> None:
    requested: list[Sequence[str]] = []

    def squeue(arguments: Sequence[str]) -> str:
        requested.append(arguments)
        return "2026-01-02T03:04:05\n"

    assert allocation_end({"SLURM_JOB_ID": "7"}, squeue) == datetime(2026, 1, 2, 3, 4, 5).timestamp()
    assert requested == [
        ["env", "SLURM_TIME_FORMAT=standard", "squeue", "--noheader", "--jobs=7", "--format=%e"]
    ]


@pytest.mark.parametrize("text", ["", "N/A", "Unknown"])
def test_no_answer_stops_nothing(text: str) -> None:
    assert allocation_end({"SLURM_JOB_ID": "7"}, lambda arguments: text) is None


def test_a_program_fits_if_even_its_time_limit_does() -> None:
    assert fits(60, now=1000, end=1060 + CLEAN_UP_S)
    assert not fits(60, now=1001, end=1060 + CLEAN_UP_S)


def test_a_failing_command_has_no_answer() -> None:
    assert answer(["no-such-command"]) == ""
    assert answer(["false"]) == ""
    assert answer(["echo", "7"]) == "7\n"


def test_a_format_of_times_that_the_user_likes_hides_no_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does a default of what squeue lists."""
    like_squeue = (
        "[ $SLURM_TIME_FORMAT$SQUEUE_USERS = standard ] && echo 2026-01-02T03:04:05 || echo Fri 03:04"
    )
    write_program(tmp_path / "squeue", f"#!/bin/sh\n{like_squeue}\n")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setenv("SLURM_TIME_FORMAT", "%a")
    monkeypatch.setenv("SQUEUE_USERS", "operator")
    end = datetime(2026, 1, 2, 3, 4, 5).timestamp()
    assert scheduler("slurm").ends_at({"SLURM_JOB_ID": "7"}) == end
