"""weir predict: records of another load do not predict this hour."""

import json
import os
import socket
from pathlib import Path

import pytest

from tests.unit.conftest import RunWeir
from tests.unit.decide.predict.test_predict import study
from weir.collect.table import write_records
from weir.decide.predict.probe import Circumstances


def measured_at(folder: Path, loads: tuple[float, float, float], node: str) -> Path:
    site = folder / "results" / "lab"
    for run, load in enumerate(loads):
        at = site / "runs" / "kernel" / f"{run:03d}"
        at.mkdir(parents=True)
        (at / "run.json").write_text(json.dumps({"host": {"node": node, "load_1min": load}}) + "\n")
    records = site / "study" / "records.csv"
    write_records(records, study())
    return records


def test_records_of_a_busy_hour_are_refused(
    toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_weir: RunWeir
) -> None:
    records = measured_at(tmp_path, (11.0, 12.0, 15.0), socket.gethostname())
    monkeypatch.setattr(os, "getloadavg", lambda: (0.4, 0.4, 0.4))
    printed = run_weir("predict", toy, "--records", records, code=3)
    assert "at load 11.0 to 15.0; load now: 0.4" in printed.out
    assert "--as-measured" in printed.err
    run_weir("predict", toy, "--records", records, "--as-measured")
    monkeypatch.setattr(os, "getloadavg", lambda: (13.0, 13.0, 13.0))
    run_weir("predict", toy, "--records", records)


def test_of_another_machine_the_load_is_not_known(
    toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_weir: RunWeir
) -> None:
    records = measured_at(tmp_path, (11.0, 12.0, 15.0), "another-machine")
    monkeypatch.setattr(os, "getloadavg", lambda: (0.4, 0.4, 0.4))
    told = run_weir("predict", toy, "--records", records).out
    assert "the load of this machine then is not known" in told


@pytest.mark.parametrize(("now", "differs"), [(0.0, True), (1.1, False), (4.9, False), (5.1, True)])
def test_one_process_more_or_less_is_the_same_load(now: float, differs: bool) -> None:
    assert Circumstances("", "", 2.0, 4.0, now).differ is differs
