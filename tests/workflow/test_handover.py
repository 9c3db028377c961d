"""Snakemake, ReFrame and weir run hand over progress, reasons and receipts by files, a set for each batch."""

import csv
import itertools
import json
import sys
from pathlib import Path

import pytest

from tests.programs import ran
from tests.workflow.conftest import ROOT, SUITE, TARGET, Checkout
from tests.workflow.reframe_results import measure
from weir.measure.handover import Handover


@pytest.fixture
def two_broken(tiny: Checkout) -> Checkout:
    """Two batches that fail at the same time, each for a reason of its own."""
    ram = tiny.read(TARGET)
    for name in ("ram", "rom"):
        broken = {"target": name, "prepare": [["sh", "-c", f"echo the reason of {name} >&2; exit 1"]]}
        path = f"/dev/shm/weir-test-not-there-{name}"
        tiny.write(f"config/sites/local/targets/{name}.yaml", ram | broken | {"path": path})
    return tiny


@pytest.mark.slow
def test_each_failed_batch_is_reported_with_its_own_reason(two_broken: Checkout) -> None:
    done = two_broken.snakemake("--quiet", "all", "--", "results/local/tiny/records.csv")
    assert done.returncode != 0
    for name in ("ram", "rom"):
        (line,) = {
            line for line in done.stderr.splitlines() if line.startswith(f"weir: {name}-debian-1x2 was")
        }
        assert f"the reason of {name}" in line
        assert not Path(f"/dev/shm/weir-test-not-there-{name}").exists()


@pytest.mark.slow
def test_two_batches_take_turns_and_hand_over_through_reframe(tiny: Checkout) -> None:
    """Each has a job and a receipt of its own, but the job of the first measures both, in one ReFrame."""
    ram = tiny.read(TARGET)
    tiny.write("config/sites/local/targets/rom.yaml", ram | {"target": "rom", "path": f"{ram['path']}/rom"})
    Path(ram["path"], "rom").mkdir()
    with tiny.edited(SUITE) as suite:
        suite["experiments"]["one"]["repetitions"] = {"rounds": 2}
    done = tiny.snakemake("--", "results/local/tiny/records.csv", code=0)
    assert "[16/16]" in done.stderr
    folder = tiny.root / "results/local/tiny/batches"
    receipts = [json.loads(file.read_text())["batches"] for file in sorted(folder.glob("*.json"))]
    assert sorted((one["kept"], one["done"]) for (one,) in receipts) == [(0, 8), (8, 0)]
    logs = [file.read_text() for file in folder.glob("*.log")]
    assert sorted(log.startswith("measured in turns with r") for log in logs) == [False, True]
    (values,) = tiny.root.glob("results/local/reframe/perflogs/local/node/*.log")
    lines = values.read_text().splitlines()[1:]
    assert len(lines) == 16  # a write and a read of four cells a batch
    assert len([line for line in lines if "-debian-1x2 POSIX" in line or "-debian-1x2 MPIIO" in line]) == 8
    with (tiny.root / "results/local/tiny/records.csv").open() as stream:
        rows = sorted(csv.DictReader(stream), key=lambda row: row["began"])
    turns = [key for key, _ in itertools.groupby((row["run"], row["target"]) for row in rows)]
    assert [run for run, _ in turns] == ["0", "0", "1", "1"]
    assert len(set(turns)) == 4


@pytest.mark.slow
def test_a_relative_results_directory_is_relative_to_the_caller(tiny: Checkout) -> None:
    measure(tiny, environment={"WEIR_RESULTS": "elsewhere", "WEIR_SUITES": "tiny"}).ended("OK")
    assert len(list(tiny.root.glob("elsewhere/runs/*/*/run.json"))) == 4
    assert not (tiny.root / "reframe_checks/elsewhere").exists()


@pytest.mark.slow
def test_a_home_that_cannot_be_written_and_a_percent_sign_fail_no_batch(tiny: Checkout) -> None:
    """As on the nodes of some clusters: ReFrame would keep a report of each batch there. It formats the path
    of its performance logs."""
    homeless = {"HOME": "/proc/none", "XDG_CACHE_HOME": str(tiny.root / "cache")}
    study = tiny.root / "100%j"
    receipt = "results/local/tiny/batches/ram-debian-1x2.json"
    command = ("snakemake", "--cores", "2", "-s", "Snakefile", "-d", str(study), receipt)
    done = tiny.call(*command, environment=homeless, code=0)
    assert "some executions failed" not in done.stderr
    assert [*study.glob("results/local/reframe/perflogs/local/node/*.log")]


@pytest.mark.parametrize("settings", [{}, {"PYTHONSAFEPATH": "1"}], ids=["plain", "safe-path"])
def test_without_reframe_the_reason_is_handed_over(tmp_path: Path, settings: dict[str, str]) -> None:
    """As after `pip install` of weir alone, in a directory of weir init."""
    program = ROOT / "reframe_checks/run_batch.py"
    arguments = [
        sys.executable,
        program,
        "local:node",
        "a-batch",
        tmp_path / "plan.json",
        tmp_path / "a.json",
    ]
    environment = {"PATH": "/nonexistent", "PYTHONPATH": str(ROOT), **settings}
    done = ran(arguments, env=environment, code=1)
    assert "weir: a-batch: reframe is not on the PATH\n    spack install weir, or: pip install" in done.stderr
    assert "Traceback" not in done.stderr
    handover = Handover(tmp_path / "a.json")
    assert handover.log.exists()  # by which the workflow knows that it was tried
    assert handover.reasons()[0].startswith("reframe is not on the PATH\n")
