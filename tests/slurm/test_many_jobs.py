"""A workflow of many jobs ends: none is lost, and the process that submits them stays small.

They run one after the other, in seven seconds each, most of which Snakemake takes to start twice in a job:
WEIR_TEST_JOBS=1000 for two hours, with -o faulthandler_timeout=0, which ends a test after 20 min.
"""

import os
import tempfile
import time
from collections import Counter
from pathlib import Path

import pytest
import yaml

from tests.slurm.checkout import Checkout

PPN, STACKS = [1, 2], ["debian", "second", "third", "fourth", "fifth"]
OF_A_TARGET = len(PPN) * len(STACKS)
JOBS = int(os.environ.get("WEIR_TEST_JOBS", "60"))
LIMIT_S, LIMIT_KIB = 300 + 20.0 * JOBS, 500 * 1024


def stacks(checkout: Checkout) -> None:
    """Several are alike but for their names: each has batches of its own."""
    file = checkout.folder / "config/sites/sandbox/site.yaml"
    site = yaml.safe_load(file.read_text())
    site["partitions"]["debug"]["stacks"] = STACKS
    site["stacks"] = dict.fromkeys(STACKS, site["stacks"]["debian"])
    file.write_text(yaml.safe_dump(site))


def targets(checkout: Checkout, folder: Path, count: int) -> None:
    """Each is as many jobs as stacks have numbers of processes."""
    described = checkout.folder / "config/sites/sandbox/targets"
    for file in described.glob("*.yaml"):
        file.unlink()
    for number in range(count):
        name = f"ram-{number:04d}"
        (folder / name).mkdir()
        text = f"target: {name}\nkind: memory\ndescription: tmpfs of a test\npath: {folder / name}\n"
        (described / f"{name}.yaml").write_text(text)


def peak_kib(pid: int) -> int:
    """The largest memory of a process so far; 0 when it has ended."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)


@pytest.mark.slow
@pytest.mark.weekly
def test_a_workflow_of_many_jobs_ends(checkout: Checkout, tmp_path: Path) -> None:
    assert JOBS % OF_A_TARGET == 0, f"WEIR_TEST_JOBS: a multiple of {OF_A_TARGET}"
    checkout.suite([1], PPN)
    stacks(checkout)
    with tempfile.TemporaryDirectory(prefix="weir-test-", dir="/dev/shm") as folder:
        targets(checkout, Path(folder), JOBS // OF_A_TARGET)
        printed, peaks, over = tmp_path / "printed.log", [0], time.monotonic() + LIMIT_S
        process = checkout.start(
            "sh", "-c", 'exec "$@" >"$0" 2>&1', str(printed), *checkout.snakemake_words("--until", "measure")
        )
        try:
            while process.poll() is None and time.monotonic() < over:
                peaks.append(peak_kib(process.pid))
                time.sleep(1)
        finally:
            checkout.end()
        assert process.returncode == 0, printed.read_text()[-3000:]
        assert max(peaks) < LIMIT_KIB
        assert printed.read_text().count("has been submitted with SLURM jobid") == JOBS
        assert Counter((each["done"], each["kept"]) for each in checkout.receipts().values()) == {
            (1, 0): JOBS
        }
        assert Counter(run["status"] for run in checkout.runs()) == {"done": JOBS}
        assert [*Path(folder).glob("*/*")] == []
    assert checkout.cluster.out("squeue", "-h") == ""
    print(f"peak of the workflow's process: {max(peaks) / 1024:.0f} MiB")
