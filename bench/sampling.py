#!/usr/bin/env python3
"""Repetitions saved by `until:` in live measurements on tmpfs and disk, against a fixed ten at equal width.

sampling.py DIR measures 8 cells in 160 rounds (DIR/fixed/records.csv, series that bench/coverage.R replays in
the order of time, which takes 60 runs). The width that three quarters of the intervals reach with ten runs is
then requested with `until:`, and the same cells are measured again.
"""

import os
import shutil
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from tests.workflow.conftest import Checkout, copy_of_the_tree
from weir.audit.judge import USABLE
from weir.collect.table import read_records
from weir.statistics.median import ASSUMED, half_width

ROOT = Path(__file__).resolve().parents[1]
TEN, LEAST, MOST = 10, 8, 40
SERIES = 160
REACHED_BY_TEN = 0.75
Series = dict[tuple[str, str], list[float]]  # cell and access: values in order of time


def prepared(scratch: Path, folders: dict[str, Path]) -> Checkout:
    checkout = copy_of_the_tree(scratch)
    for file in (checkout.root / "config/sites/local/targets").glob("*.yaml"):
        file.unlink()
    for kind, folder in folders.items():
        target = {"target": kind, "kind": kind, "description": kind, "path": str(folder)}
        checkout.write(f"config/sites/local/targets/{kind}.yaml", target)
    return checkout


def measured(checkout: Checkout, suite: str, repetitions: dict[str, object]) -> Series:
    experiment = {
        "tool": "ior",
        "nodes": [1],
        "ppn": [2],
        "space": {"xfer": ["16 KiB", "1 MiB"], "order": ["sequential", "random"]},
        "fixed": {
            "api": "POSIX",
            "access": ["write", "read"],
            "block": "64 MiB",
            "sync": True,
            "drop_caches": True,
        },
        "repetitions": repetitions,
    }
    description = {"suite": suite, "question": "How many runs?", "experiments": {"same": experiment}}
    checkout.write(f"config/suites/{suite}.yaml", description)
    folder = f"results/{suite}"
    plan = f"{folder}/plan.json"
    for arguments in (
        ("plan", "--site", "local", "--suite", suite, "--stack", "debian", "--out", plan),
        ("run", "--plan", plan, "--results", folder),
        ("collect", "--plan", plan, "--results", folder, "--out", f"{folder}/records.csv"),
    ):
        done = checkout.weir(*arguments)
        if done.returncode != 0:
            raise SystemExit(done.stdout + done.stderr)
    series: Series = defaultdict(list)
    for row in sorted(read_records(checkout.root / folder / "records.csv"), key=lambda row: row["run"]):
        if row["verdict"] in USABLE:
            series[row["cell"], row["access"]].append(row["bw_mib_s"])
    return series


def width_of_fixed(values: Sequence[float]) -> float:
    return half_width(values, ASSUMED)


def share_reached(widths: Sequence[float], wanted: float) -> float:
    return sum(width <= wanted for width in widths) / len(widths)


def main() -> int:
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "build/sampling").resolve()
    memory, disk = (
        Path(f"/dev/shm/weir-sampling-{os.getpid()}"),
        Path(f"/var/tmp/weir-sampling-{os.getpid()}"),
    )
    folders = {"memory": memory, "disk": disk}
    for folder in folders.values():
        folder.mkdir()
    try:
        with tempfile.TemporaryDirectory() as scratch:
            checkout = prepared(Path(scratch), folders)
            load = os.getloadavg()[0]
            fixed = measured(checkout, "fixed", {"rounds": SERIES})
            if few := [name for name, values in fixed.items() if len(values) < SERIES]:
                print(f"excluded for unusable runs: {few}", file=sys.stderr)
                fixed = {name: values for name, values in fixed.items() if name not in few}
            of_ten = sorted(width_of_fixed(values[:TEN]) for values in fixed.values())
            wanted = round(of_ten[round(REACHED_BY_TEN * (len(of_ten) - 1))] + 0.0005, 3)
            until = {"rounds": LEAST, "until": f"{100 * wanted:.1f} %", "at_most": MOST}
            added = measured(checkout, "until", until)
            shutil.rmtree(out, ignore_errors=True)
            shutil.copytree(checkout.root / "results", out)
    finally:
        for folder in folders.values():
            shutil.rmtree(folder)
    reached = share_reached([half_width(values) for values in added.values()], wanted)
    by_number = {
        count: share_reached([width_of_fixed(values[:count]) for values in fixed.values()], wanted)
        for count in range(LEAST, MOST + 1)
    }
    as_good = next((str(count) for count, share in by_number.items() if share >= reached), f"> {MOST}")
    runs = [len(values) for values in added.values()]
    print(f"{len(fixed)} series on tmpfs and disk, load {load:.1f} at the start")
    heads = ("half-width", "reached by ten runs", "mean runs with until", "reached", "fixed number as good")
    print("|", " | ".join(heads), "|\n|---|---|---|---|---|")
    print(
        f"| {100 * wanted:.1f} % | {100 * share_reached(of_ten, wanted):.0f} % |"
        f" {statistics.mean(runs):.1f} ({min(runs)} to {max(runs)}) | {100 * reached:.0f} % | {as_good} |"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
