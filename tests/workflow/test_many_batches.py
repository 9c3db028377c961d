"""A workflow of many batches ends: nothing that each of them needs of the workflow's process runs out."""

import sys
from pathlib import Path

import pytest

from tests.programs import write_program
from tests.workflow.conftest import ROOT, Checkout
from tests.workflow.processes import start

# Acts as ReFrame, whose start is most of the time of a batch: it has measured the batch.
REFRAME = """#!/bin/sh
echo '{}' >"${WEIR_PLAN%/*}/batches/$WEIR_BATCH.json"
"""


def environment_with(folder: Path, program: str, text: str) -> Path:
    """A Python like that of the checkout, with another program beside it; the Python."""
    venv, programs = Path(sys.prefix), folder / "venv/bin"
    programs.mkdir(parents=True)
    (folder / "venv/lib").symlink_to(venv / "lib")
    (folder / "venv/pyvenv.cfg").write_text((venv / "pyvenv.cfg").read_text())
    for name in ("python", "python3"):
        (programs / name).symlink_to((venv / "bin" / name).resolve())
    write_program(programs / program, text)
    return programs / "python"


def targets(checkout: Checkout, folder: Path, count: int) -> None:
    """Each is one batch of one tiny cell."""
    (checkout.root / "config/sites/local/targets/ram.yaml").unlink()
    for number in range(count):
        name = f"ram-{number:04d}"
        (folder / name).mkdir()
        facts = {"target": name, "kind": "memory", "description": "tmpfs of a test"}
        checkout.write(f"config/sites/local/targets/{name}.yaml", {**facts, "path": str(folder / name)})
    one = {
        "tool": "ior",
        "nodes": [1],
        "ppn": [1],
        "fixed": {"api": "POSIX", "xfer": "64 KiB", "block": "64 KiB", "access": ["write"], "sync": True},
        "repetitions": {"rounds": 1, "iterations": 1},
    }
    suite = {"suite": "tiny", "question": "Do many batches end?", "experiments": {"one": one}}
    checkout.write("config/suites/tiny.yaml", suite)


def receipts(checkout: Checkout) -> int:
    return len([*checkout.root.glob("results/local/tiny/batches/*.json")])


def measure(checkout: Checkout, python: Path, limit_s: float) -> None:
    """By Snakemake, which is ended with all that it started if it takes longer."""
    command = [str(python), "-m", "snakemake", "--cores", "1", "--quiet", "--until", "measure"]
    with start(checkout, *command, "--", "results/local/tiny/records.csv", keep_output=True) as process:
        try:
            printed, _ = process.communicate(timeout=limit_s)
        finally:
            process.kill()
    assert process.returncode == 0, printed[-2000:]


@pytest.mark.parametrize("count", [140, pytest.param(1000, marks=pytest.mark.weekly)])
def test_a_workflow_of_many_batches_ends(
    count: int, tiny: Checkout, target_folder: Path, tmp_path: Path
) -> None:
    targets(tiny, target_folder, count)
    python = environment_with(tmp_path, "reframe", REFRAME)
    measure(tiny, python, limit_s=60 + 3 * count)
    assert receipts(tiny) == count


@pytest.mark.weekly
def test_140_batches_are_measured_by_reframe(tiny: Checkout, target_folder: Path) -> None:
    targets(tiny, target_folder, 140)
    measure(tiny, ROOT / ".venv/bin/python", limit_s=3000)
    assert receipts(tiny) == 140
    assert len([*tiny.root.glob("results/local/runs/*/000/run.json")]) == 140
