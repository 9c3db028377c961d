"""weir predict: records of another load do not predict this hour."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest

from tests.unit.decide.predict.test_predict import APPLICATION, study
from weir.cli import main
from weir.decide.predict.probe import Circumstances
from weir.records.table import write_records


def measured_at(folder: Path, loads: tuple[float, float, float], node: str) -> Path:
    site = folder / "results" / "lab"
    for run, load in enumerate(loads):
        at = site / "runs" / "kernel" / f"{run:03d}"
        at.mkdir(parents=True)
        (at / "run.json").write_text(json.dumps({"host": {"node": node, "load_1min": load}}) + "\n")
    records = site / "study" / "records.csv"
    write_records(records, study())
    (folder / "toy.yaml").write_text(APPLICATION)
    return records


def predict(folder: Path, records: Path, *more: str) -> int:
    return main(["predict", str(folder / "toy.yaml"), "--records", str(records), *more])


def test_records_of_a_busy_hour_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    records = measured_at(tmp_path, (11.0, 12.0, 15.0), socket.gethostname())
    monkeypatch.setattr(os, "getloadavg", lambda: (0.4, 0.4, 0.4))
    assert predict(tmp_path, records) == 3
    printed = capsys.readouterr()
    assert "at load 11.0 to 15.0; load now: 0.4" in printed.out
    assert "--as-measured" in printed.err
    assert predict(tmp_path, records, "--as-measured") == 0
    monkeypatch.setattr(os, "getloadavg", lambda: (13.0, 13.0, 13.0))
    assert predict(tmp_path, records) == 0


def test_of_another_machine_the_load_is_not_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    records = measured_at(tmp_path, (11.0, 12.0, 15.0), "another-machine")
    monkeypatch.setattr(os, "getloadavg", lambda: (0.4, 0.4, 0.4))
    assert predict(tmp_path, records) == 0
    assert "the load of this machine then is not known" in capsys.readouterr().out


@pytest.mark.parametrize(("now", "differs"), [(0.0, True), (1.1, False), (4.9, False), (5.1, True)])
def test_one_process_more_or_less_is_the_same_load(now: float, differs: bool) -> None:
    assert Circumstances("", "", 2.0, 4.0, now).differ is differs
