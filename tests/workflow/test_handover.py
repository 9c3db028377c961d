"""Snakemake, ReFrame and weir run hand over progress, reasons and receipts by files, a set for each batch."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.workflow.conftest import Checkout


@pytest.fixture
def two_broken(tiny: Checkout) -> Checkout:
    """Two batches that fail at the same time, each for a reason of its own."""
    file = tiny.root / "config/sites/local/targets/ram.yaml"
    ram = yaml.safe_load(file.read_text())
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
def test_progress_and_receipt_pass_through_reframe(tiny: Checkout) -> None:
    done = tiny.snakemake("--", "results/local/tiny/records.csv")
    assert done.returncode == 0, done.stderr
    assert "[4/4]" in done.stderr
    left = sorted(file.name for file in (tiny.root / "results/local/tiny/batches").iterdir())
    assert left == ["ram-debian-1x2.json", "ram-debian-1x2.log", "ram-debian-1x2.progress"]


@pytest.mark.slow
def test_a_relative_results_directory_is_relative_to_the_caller(tiny: Checkout) -> None:
    reframe = ("reframe", "--nocolor", "-C", "reframe_checks/settings.py", "-c", "reframe_checks/measure.py")
    environment = {"WEIR_RESULTS": "elsewhere", "WEIR_SUITES": "tiny"}
    done = tiny.call(*reframe, "--system=local", "--run", environment=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(list(tiny.root.glob("elsewhere/runs/*/*/run.json"))) == 4
    assert not (tiny.root / "reframe_checks/elsewhere").exists()
