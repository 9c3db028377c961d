"""weir predict --measure: IOR with the parameters of the phases, and its times beside the prediction."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.checkout import ROOT
from tests.unit.conftest import RunWeir
from tests.unit.decide.predict.test_predict import APPLICATION, MIB, row
from weir.decide.predict.application import Application, read_application, suite_of, trial_plan
from weir.plan.config import load_config


def test_each_pattern_of_an_application_is_one_cell_on_each_target(application: Application) -> None:
    config = replace(load_config(root=ROOT, overrides={"site": "local"}), targets=("disk", "memory"))
    plan = trial_plan(application, config, 4)
    found = [(cell.target, cell.rounds, cell.nodes, cell.ppn) for cell in plan.cells]
    assert found == [("disk", 4, 1, 2), ("memory", 4, 1, 2)]
    params = plan.cells[0].params
    assert (params["xfer_bytes"], params["block_bytes"], params["api"]) == (16 * MIB, 64 * MIB, "POSIX")
    assert params["access"] == ["write", "read"]


def test_a_block_is_a_whole_number_of_transfers(toy: Path) -> None:
    toy.write_text(APPLICATION.replace("bytes: 64 MiB}", "bytes: 40 MiB}"))
    experiments = suite_of(read_application(toy, toy.parent), 6)["experiments"]
    blocks = [experiment["fixed"]["block"] for experiment in experiments.values()]
    assert blocks == [f"{64 * MIB} B", f"{48 * MIB} B"]


def test_the_test_stands_beside_the_prediction(
    toy: Path, records: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_weir: RunWeir
) -> None:
    def measured(plan: Any, results: Path) -> list[dict[str, Any]]:
        assert [cell.target for cell in plan.cells] == ["disk"]
        assert results == tmp_path / "runs"
        return [row(access=access, run=run, bw_mib_s=64.0) for access in ("write", "read") for run in (0, 1)]

    monkeypatch.setattr("weir.commands.predict.measured_trial", measured)
    command = ["predict", str(toy), "--records", str(records), "--measure", "--site", "local", "--results"]
    first = json.loads(run_weir(*command, tmp_path / "runs", "--json").out)["disk"][0]
    # 2 times 64 MiB of 2 processes: 2 s at the 128 MiB/s of the records, 4 s at the 64 MiB/s of the test.
    assert (first["predicted"]["median_s"], first["tested"]["median_s"]) == pytest.approx((2.0, 4.0))
    assert first["error_of_test"][0] == pytest.approx(-0.5)
    assert "tested    predicted" in run_weir(*command, tmp_path / "runs").out


def test_wrong_use_of_the_test_is_named(toy: Path, records: Path, run_weir: RunWeir) -> None:
    command = ["predict", toy, "--records", records, "--measure", "--site"]
    assert "--rounds" in run_weir(*command, "local", "--rounds", "0", code=2).err
    toy.write_text(APPLICATION.replace("nodes: 1", "nodes: 64"))
    assert "no pattern of " in run_weir(*command, "local", code=1).err
    toy.write_text(APPLICATION)
    assert "has none of the targets disk" in run_weir(*command, "lustre-template", code=2).err
