"""Before a batch on three or more nodes each does the same work: the slow one is named in every output."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.measure.alone import GOLDEN, measure_batch, one_cell
from weir.base.errors import WeirError
from weir.collect.parsed_runs import finished_runs
from weir.collect.study_facts import _slow_nodes
from weir.collect.tally import Tally, facts_of_run
from weir.measure.batches import measure_in_turn, preflight
from weir.measure.clean_up.prepared_target import Guardian
from weir.measure.preflight import Check
from weir.measure.receipt import BatchReceipt
from weir.measure.session import PlannedBatch, Session

# Says what probes on four nodes would, or leaves what weir-io once wrote.
SRUN = f"""#!/bin/sh
case "$*" in
*weir.measure.nodes*)
    cat {{probes}} ;;
*) for word; do case $word in summaryFile=*|--json=*) cp {GOLDEN} "${{{{word#*=}}}}";; esac; done ;;
esac
"""
LINE = '{{"node": "n{node}", "times_s": {{"processor": 0.1, "storage": {storage_s}}}}}\n'


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PlannedBatch:
    """One cell on four nodes, of which the third takes three times as long for its file."""
    probes = tmp_path / "probes"
    probes.write_text("".join(LINE.format(node=n, storage_s=0.3 if n == 3 else 0.1) for n in range(1, 5)))
    return one_cell(tmp_path, monkeypatch, 4, SRUN.format(probes=probes))


def host(job: PlannedBatch) -> dict[str, object]:
    (run,) = finished_runs(job.results / "runs" / job.cells[0].cell)
    return dict(run.facts["host"])


def test_log_receipt_run_file_and_report_name_it(
    job: PlannedBatch, capsys: pytest.CaptureFixture[str]
) -> None:
    result = measure_batch(job)
    assert "slow node n3: storage takes 3.0 times the median of all nodes" in capsys.readouterr().err
    expected = [{"node": "n3", "kind": "storage", "time_s": 0.3, "median_s": 0.1}]
    assert BatchReceipt.of(result).data()["slow_nodes"] == expected
    assert host(job)["slow_nodes"] == expected
    runs = finished_runs(job.results / "runs" / job.cells[0].cell)
    finding = "storage took 3.0 times the median of the nodes of its job"
    tally = Tally()
    for run in runs:
        tally.add_run(facts_of_run(run.facts))
    assert _slow_nodes(tally) == [{"node": "n3", "finding": finding}]


def test_a_site_may_want_the_batch_to_stop(job: PlannedBatch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_JOB_ID", "7")  # whose options the hint is made of
    with pytest.raises(WeirError, match=r"n3: storage takes 3\.0 times[^+]*--exclude=n3"):
        measure_batch(replace(job, stop_for_slow_nodes=True))
    assert not list(job.results.glob("runs/*/*/run.json"))
    assert list(Path(job.target.path).iterdir()) == []
    assert list(Path(os.environ["TMPDIR"]).iterdir()) == []


def test_a_preflight_leaves_nothing_in_the_directory_of_temporary_files(job: PlannedBatch) -> None:
    assert not any(check.problem for check in preflight(job))
    assert list(Path(os.environ["TMPDIR"]).iterdir()) == []


@pytest.mark.slow
def test_two_nodes_are_not_compared_and_lost_probes_stop_nothing(
    job: PlannedBatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "probes").write_text("")
    measure_batch(job)
    assert "the nodes were not compared: 0 of 4 nodes answered" in capsys.readouterr().err
    assert host(job)["slow_nodes"] is None
    two = replace(job, cells=[replace(job.cells[0], cell="d" * 12, nodes=2)])
    measure_batch(two)
    assert host(two)["slow_nodes"] is None
    assert "compared" not in capsys.readouterr().err


@pytest.mark.slow
def test_where_ranks_start_is_checked_once_for_batches_of_one_shape(
    job: PlannedBatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[int] = []

    def noted(nodes: int, *_: object) -> Check:
        checked.append(nodes)
        return Check("ranks", f"{nodes} x 1")

    monkeypatch.setattr("weir.measure.ranks.check_ranks", noted)
    (cell,) = job.cells
    alike = replace(job, batch="alike", cells=[replace(cell, cell="e" * 12)])
    smaller = replace(job, batch="smaller", cells=[replace(cell, cell="f" * 12, nodes=2)])
    session = Session([job, alike, smaller], seed=1)
    measure_in_turn(session)
    assert [(batch.done, batch.error) for batch in session.batches] == [(1, None)] * 3
    assert checked == [4, 2]


@pytest.mark.slow
def test_a_preflight_whose_guardian_was_killed_leaves_nothing(
    job: PlannedBatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = Guardian.temporary

    def made_and_killed(self: Guardian) -> Path | None:
        folder = temporary(self)
        self._process.kill()
        self._process.wait()
        return folder

    monkeypatch.setattr(Guardian, "temporary", made_and_killed)
    preflight(job)
    assert list(Path(os.environ["TMPDIR"]).iterdir()) == []
