#!/usr/bin/env python3
"""The error of weir predict over made applications, as records have it and scaled by a probe.

    bench/predict.py [RECORDS TARGET [COUNT]]

RECORDS are of the suite nersc-ior (default: results/local/nersc-ior/records.csv, disk).

Each of COUNT applications (default: 20) has a write and a read phase with drawn transfers, layout and
interface. Their cells are measured now (--measure) beside the prediction; a line has predicted / measured - 1
with and without --probe, and whether the measured time is within the printed range.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

TRANSFERS = ("64 KiB", "256 KiB", "1 MiB", "4 MiB", "10 MiB", "16 MiB")
SIZES = ("32 MiB", "64 MiB", "128 MiB")
APIS, LAYOUTS = ("POSIX", "MPIIO"), ("shared", "file-per-process")


def application(source: random.Random, number: int) -> str:
    api, layout, xfer, size = (source.choice(one) for one in (APIS, LAYOUTS, TRANSFERS, SIZES))
    same = f"api: {api}, layout: {layout}, xfer: {xfer}, bytes: {size}"
    lines = [f"application: made-{number}", "nodes: 1", "ppn: 2", "phases:"]
    phases = [f"- {{phase: {name}, access: {name}, {same}}}" for name in ("write", "read")]
    return "\n".join([*lines, *phases]) + "\n"


def predicted(file: Path, records: Path, target: str, *more: str) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "weir", "predict", str(file), "--records", str(records), "--json"]
    results = file.with_suffix(f".{'-'.join(more).strip('-')}")
    arguments = ["--target", target, "--measure", "--rounds", "3", "--results", str(results), *more]
    done = subprocess.run([*command, *arguments], stdout=subprocess.PIPE, text=True, check=False)
    return json.loads(done.stdout)[target] if done.returncode == 0 else []


def main() -> None:
    given = sys.argv[1:3] if len(sys.argv) > 2 else ("results/local/nersc-ior/records.csv", "disk")
    records, target = Path(given[0]), given[1]
    if not records.is_file():
        print(f"{records} is missing: make report SUITES=nersc-ior")
        return
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    source = random.Random(1)
    found: dict[str, list[tuple[float, bool]]] = {"--as-measured": [], "--probe": []}
    print("| application, phase | as measured | within | probe | within |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(dir=records.parent) as folder:
        for number in range(count):
            file = Path(folder) / f"made-{number}.yaml"
            file.write_text(application(source, number))
            both = [predicted(file, records, target, option) for option in found]
            for phases in zip(*both, strict=False):
                if not all(one["error_of_test"] for one in phases):
                    continue
                errors = [one["error_of_test"] for one in phases]
                for option, (value, low, high) in zip(found, errors, strict=True):
                    found[option].append((value, low <= 0 <= high))
                cells = " | ".join(
                    f"{value:+.0%} | {'yes' if low <= 0 <= high else 'no'}" for value, low, high in errors
                )
                print(f"| {number}, {phases[0]['phase']} | {cells} |", flush=True)
    for option, values in found.items():
        if values:
            middle, within = median(abs(value) for value, _ in values), sum(one for _, one in values)
            print(f"{option}: {len(values)} phases, median error {middle:.0%}, {within} within the range")


if __name__ == "__main__":
    main()
