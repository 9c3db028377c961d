"""Ranks that their launcher bound to fewer processors than it had."""

import os

import pytest

from tests.unit.prove.reports import mount, phase, process
from weir.prove.judged import judged_mounts
from weir.prove.mounts import mounts_of
from weir.witness.nodes import processors


def rank(number: int, allowed: str | None, host: str = "a") -> dict[str, object]:
    return {"rank": number, "host": host, "processors": allowed}


def test_processors_of_the_ranks_of_a_node_are_counted_together() -> None:
    assert processors([rank(0, "0"), rank(1, "0")]) == {"processors": {"ranks": 2, "allowed": 1}}
    assert processors([rank(0, "0-2,8"), rank(1, "2")]) == {"processors": {"ranks": 2, "allowed": 4}}
    shell_and_program = [rank(0, "0"), rank(0, "0"), rank(1, "1")]
    assert processors(shell_and_program) == {"processors": {"ranks": 2, "allowed": 2}}


def test_the_node_where_most_ranks_share_a_processor_counts() -> None:
    nodes = [rank(0, "0-3"), rank(1, "0-3"), rank(2, "7", "b"), rank(3, "7", "b"), rank(4, "7", "b")]
    assert processors(nodes) == {"processors": {"ranks": 3, "allowed": 1}}


def test_nothing_is_told_of_other_programs_and_by_older_libraries() -> None:
    assert processors([rank(-1, "0"), rank(-1, "0")]) == {}
    assert processors([{"rank": 0, "host": "a"}, rank(1, None)]) == {}


@pytest.mark.parametrize(("allowed", "is_noted"), [("0", True), ("0-1", False)])
def test_ranks_on_one_of_several_processors_are_noted(
    monkeypatch: pytest.MonkeyPatch, allowed: str, is_noted: bool
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3})
    part = mount(phase(written=50, synced=50), device=(0, 100), io={"wchar": 50, "write_bytes": 50})
    ranks = [process(part, rank=number, pid=7 + number, processors=allowed) for number in range(2)]
    (one,) = judged_mounts(mounts_of(ranks), ranks, ["app"])
    assert one.row["verdict"] == "VALID"
    notes = {note.rule: note.evidence for note in one.judgement.notes}
    assert ("ranks-on-few-processors" in notes) == is_noted
    if is_noted:
        expected = "2 ranks of a node may run on 1 of 4 processors"
        assert notes["ranks-on-few-processors"] == expected
