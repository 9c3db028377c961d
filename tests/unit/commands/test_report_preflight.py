"""The message of `make report` when the preflight of its targets ends without an answer."""

import json
import os
import signal
import subprocess
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.checkout import link_checkout, shipped
from tests.programs import write_file, write_program
from tests.unit.conftest import RunWeir
from weir.base.errors import WeirError
from weir.commands import report
from weir.commands.report import preflight
from weir.measure.handover import Handover
from weir.plan import Plan, make_plan
from weir.runs.files import run_folder
from weir.workflow.study import forget_failed

REPORT = ("report", "--suites", "quick", "--site", "local")


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    link_checkout(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


DOCUMENT = json.dumps({"errors": [{"message": "/dev/shm has only 64 MiB free"}]}, indent=2)


@pytest.mark.parametrize(
    ("printed", "message"),
    [
        (DOCUMENT, "/dev/shm has only 64 MiB free"),
        (f"weir: target ime: clean-up: no store here\n{DOCUMENT}\n", "/dev/shm has only 64 MiB free"),
        ("Traceback\nMemoryError: \n", "MemoryError:"),
        ("", "no message"),
    ],
)
def test_the_reason_is_that_of_the_check(monkeypatch: pytest.MonkeyPatch, printed: str, message: str) -> None:
    local = SimpleNamespace(partitions={"node": SimpleNamespace(scheduler="local")})
    plan: Any = SimpleNamespace(site=local, batch=lambda _: SimpleNamespace(partition="node"))
    monkeypatch.setattr(report, "_printed", lambda _: ("", printed))
    with pytest.raises(WeirError) as caught:
        preflight(plan, Path("results/local/quick"), ["one"])
    assert f"the preflight failed: {message}" in str(caught.value)


def test_an_optional_target_that_cannot_be_prepared_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = "target ime: `up` ended with exit code 1: failed to open /dev/fuse\nno mount"
    rows = [
        {"batch": "disk-1x2", "check": "mount", "found": "/", "problem": None},
        {"batch": "ime-1x2", "check": "prepare", "found": "failed", "problem": problem},
    ]
    site = SimpleNamespace(
        partitions={"node": SimpleNamespace(scheduler="local")},
        targets={"disk": SimpleNamespace(optional=False), "ime": SimpleNamespace(optional=True)},
    )
    batches = {f"{name}-1x2": SimpleNamespace(partition="node", target=name) for name in site.targets}
    plan: Any = SimpleNamespace(site=site, batch=batches.__getitem__)
    monkeypatch.setattr(
        report, "_printed", lambda _: (json.dumps([row | {"unavailable_cells": 0} for row in rows]), "")
    )
    preflight(plan, Path("results/local/quick"), list(batches))
    skipped, counted = capsys.readouterr().out.splitlines()
    assert skipped == "  ime is skipped: " + problem.replace("\n", " ")
    assert counted.startswith("preflight: 1 of 2 batches can start")


@pytest.mark.parametrize(
    ("missing", "fails", "order"),
    [
        (False, False, ["look", "check", "run"]),
        (True, False, ["look", "preflight", "measure", "install", "run"]),
        (True, True, ["look", "preflight", "measure", "install"]),
    ],
)
def test_what_only_analysis_needs_is_installed_when_all_is_measured(
    missing: bool,
    fails: bool,
    order: list[str],
    checkout: Path,
    monkeypatch: pytest.MonkeyPatch,
    run_weir: RunWeir,
) -> None:
    called = checkout / "called"

    def noted(name: str) -> None:
        with called.open("a") as stream:
            stream.write(f"{name}\n")

    class Measured:
        def __init__(self, *_: Any) -> None:
            pass

        def measure(self) -> int:
            noted("measure")
            return 0

        def run(self) -> int:
            noted("run")
            return 0

    look = f'[ "$1" != --look ] || {{ echo look >>called; exit {int(missing)}; }}'
    set_up = f"#!/bin/bash\n{look}; echo install >>called; exit {int(fails)}\n"
    write_program(checkout / "envs/setup.sh", set_up)
    write_program(checkout / "bin/Rscript", "#!/bin/sh\n")
    monkeypatch.setenv("PATH", f"{checkout / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setattr(report, "BackgroundWorkflow", Measured)
    monkeypatch.setattr(report, "preflight", lambda *_: noted("preflight"))
    monkeypatch.setattr(report, "check", lambda *_: noted("check"))
    error = run_weir(*REPORT, "--set-up", code=int(fails)).err
    assert called.read_text().split() == order
    assert ("the same command again goes on" in error) == fails


def test_what_failed_is_measured_again_on_request(tmp_path: Path) -> None:
    """A batch that is through has a receipt, and its failed executions count as measured."""
    plan = make_plan(shipped("local", ["quick"], targets=["disk"]))
    batch, study = plan.batches[0], tmp_path / "quick"
    for cell in batch.cells:
        for run in range(cell.rounds):
            status = "failed" if cell is batch.cells[0] and run == 0 else "done"
            file = run_folder(tmp_path, cell.cell, run) / "run.json"
            write_file(file, json.dumps({"status": status}))
    receipt = write_file(Handover.of(study, batch.batch).receipt, "{}")
    failed = forget_failed(SimpleNamespace(batches=[batch]), study)
    assert failed == {batch.batch: 1}
    assert not receipt.exists()


@pytest.mark.parametrize("options", [[], ["--retry-failed"]])
def test_the_command_forgets_what_failed_only_on_request(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, run_weir: RunWeir, options: list[str]
) -> None:
    forgotten: list[Path] = []

    def noted(plan: Plan, folder: Path) -> dict[str, int]:
        forgotten.append(folder)
        return {plan.batches[0].batch: 1}

    monkeypatch.setattr(report, "forget_failed", noted)
    monkeypatch.setattr(report, "cells_left", lambda *_: [])  # all is measured
    to_measure: list[list[str]] = []
    monkeypatch.setattr(report, "check", lambda _plan, _folder, batches: to_measure.append(batches))
    monkeypatch.setattr(report.BackgroundWorkflow, "run", lambda _: 0)
    run_weir(*REPORT, "--target", "memory", *options)
    assert len(forgotten) == len(options)
    assert [len(batches) for batches in to_measure] == [len(options)]


def test_targets_are_chosen_as_for_a_plan(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, run_weir: RunWeir
) -> None:
    told = []
    monkeypatch.setattr(report, "check", lambda plan, *_: told.append({one.target for one in plan.batches}))
    monkeypatch.setattr(report.BackgroundWorkflow, "run", lambda self: told.append(self._config) or 0)
    run_weir(*REPORT, "--target", "memory")
    assert told[0] == {"memory"}
    assert "targets=[memory]" in told[1]


def test_a_workflow_that_an_interrupt_ends_as_it_begins_is_no_failure(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, run_weir: RunWeir
) -> None:
    """Snakemake that is still importing ends by the signal, with a traceback in its log."""
    text = "#!/bin/sh\necho 'Traceback (most recent call last):'\nkill -s INT $$\nsleep 9\n"
    snakemake = write_program(checkout / "snakemake", text)
    monkeypatch.setattr(report.sys, "executable", str(snakemake))
    monkeypatch.setattr(report, "check", lambda *_: None)
    printed = run_weir(*REPORT, code=130).err
    assert "Traceback" not in printed
    assert "finished runs are kept" in printed


@pytest.mark.parametrize(("child", "least_s"), [("true", 0.0), ("sleep 1", 0.9)])
def test_a_program_that_does_not_end_has_time_as_long_as_what_it_started_runs(
    monkeypatch: pytest.MonkeyPatch, child: str, least_s: float
) -> None:
    """Snakemake did not end after a closed terminal, when the measurement had long ended."""
    monkeypatch.setattr(report, "_IDLE_S", 0.3)
    script = f"trap '' TERM; echo ready; {child}; while :; do read -r line; done"
    with subprocess.Popen(
        ["sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        began = time.monotonic()
        report._end(process)
        assert process.returncode == -signal.SIGKILL
        assert time.monotonic() - began > least_s


@pytest.mark.parametrize(("scheduler", "is_chosen"), [("local", True), ("slurm", False)])
def test_the_machine_itself_is_measured_whatever_snakemake_profile_names(
    tmp_path: Path, scheduler: str, is_chosen: bool
) -> None:
    """With the profile of a cluster in SNAKEMAKE_PROFILE, jobs of Slurm would measure other machines."""
    plan = make_plan(shipped("local", ["quick"], targets=["disk"]))
    own = {name: replace(one, scheduler=scheduler) for name, one in plan.site.partitions.items()}
    workflow = report.BackgroundWorkflow(
        replace(plan, site=replace(plan.site, partitions=own)), tmp_path, {}, page_only=False
    )
    arguments = workflow._arguments("collect")
    assert (("--executor", "local") in pairwise(arguments)) == is_chosen
    assert arguments[-4:] == ["--until", "collect", "--", "report"]
