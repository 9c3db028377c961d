#!/usr/bin/env python3
"""Overhead of the live page: phases of `weir run` with and without --page, in pairs of alternating order.

python bench/live_page.py [--pairs N]

Two batches on tmpfs (one and two ranks), eight cells of two rounds with phases of 0.25 s. Of each phase the
ratio of its rate to that in the other run of the pair; the median of the pairs with its 95 % interval. The
goal is less than 1 %. Beside it, what a page adds to a whole run.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.workflow.conftest import Checkout, copy_of_the_tree
from weir.collect.judged import collect_cell
from weir.collect.parsed_runs import finished_runs
from weir.plan import Plan, read_plan
from weir.statistics.median import median_interval

ROOT = Path(__file__).resolve().parents[1]
Phases = dict[tuple[str, str, int], float]  # cell, access and round: MiB/s


def prepared(scratch: Path, memory: Path) -> Checkout:
    checkout = copy_of_the_tree(scratch)
    for file in (checkout.root / "config/sites/local/targets").glob("*.yaml"):
        file.unlink()
    target = {"target": "ram", "kind": "memory", "description": "tmpfs", "path": str(memory)}
    checkout.write("config/sites/local/targets/ram.yaml", target)
    experiment = {
        "tool": "ior",
        "nodes": [1],
        "ppn": [1, 2],
        "space": {"xfer": ["64 KiB", "1 MiB"], "order": ["sequential", "random"]},
        "fixed": {
            "access": ["write", "read"],
            "block": "256 MiB",
            "stonewall": "0.25 s",
            "drop_caches": True,
            "read_again": True,
            "wear_out": True,
        },
        "repetitions": {"rounds": 2},
    }
    suite = {"suite": "page", "question": "Does a page disturb?", "experiments": {"one": experiment}}
    checkout.write("config/suites/page.yaml", suite)
    checkout.write("config/config.yaml", {"site": "local", "suites": ["page"], "stacks": ["debian"]})
    return checkout


def measured(checkout: Checkout, plan: Plan, results: Path, with_page: bool) -> tuple[Phases, float]:
    """The rate of each phase, and the seconds of the whole run."""
    study = results / "page"
    study.mkdir(parents=True)
    shutil.copy(checkout.root / "plan.json", study / "plan-measured.json")
    command = [sys.executable, "-m", "weir", "run", "--plan", str(study / "plan-measured.json")]
    command += ["--results", str(results), "--seed", "7", *(["--page"] if with_page else [])]
    began = time.monotonic()
    subprocess.run(command, cwd=checkout.root, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    spent_s = time.monotonic() - began
    phases: Phases = {}
    for batch in plan.batches:
        for cell in batch.cells:
            for row in collect_cell(cell, finished_runs(results / "runs" / cell.cell), results):
                if row["bw_mib_s"]:
                    phases[cell.cell, row["access"], row["run"]] = row["bw_mib_s"]
    return phases, spent_s


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=20)
    pairs = parser.parse_args().pairs
    memory = Path(f"/dev/shm/weir-page-{os.getpid()}")
    memory.mkdir()
    os.environ["PYTHONPATH"] = str(ROOT)
    medians, added = [], []
    try:
        with tempfile.TemporaryDirectory() as scratch:
            checkout = prepared(Path(scratch), memory)
            command = [sys.executable, "-m", "weir", "plan", "--out", "plan.json"]
            subprocess.run(command, cwd=checkout.root, check=True, stdout=subprocess.DEVNULL)
            plan = read_plan(checkout.root / "plan.json")
            for pair in range(pairs):
                found = {}
                for with_page in (pair % 2 == 0, pair % 2 == 1):
                    results = Path(scratch) / f"results-{pair}-{with_page}"
                    found[with_page] = measured(checkout, plan, results, with_page)
                (with_it, longer), (without, shorter) = found[True], found[False]
                shared = with_it.keys() & without.keys()
                medians.append(statistics.median(with_it[key] / without[key] for key in shared))
                added.append(longer - shorter)
                print(f"pair {pair + 1}: phases x{medians[-1]:.4f}, run {added[-1]:+.2f} s", flush=True)
    finally:
        shutil.rmtree(memory, ignore_errors=True)
    interval = median_interval(medians, 0.0)
    interval_text = (
        f"95 % interval {interval[0]:.4f} to {interval[1]:.4f}" if interval else "too few for an interval"
    )
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; {len(medians)} pairs")
    print(f"rate with a page to that without: x{statistics.median(medians):.4f}, {interval_text}")
    print(f"a run of two rounds takes {statistics.median(added):+.2f} s (median)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
