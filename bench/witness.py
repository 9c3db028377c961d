"""Overhead of libweir-witness on 4 KiB pwrite and pread in tmpfs, by pairs of runs with and without it.

python bench/witness.py [PAIRS]
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIBRARY = ROOT / "build" / "libweir-witness.so"


def nanoseconds(program: Path, folder: Path, threads: bool, *, preloaded: bool) -> list[float]:
    environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    if preloaded:
        environment |= {
            "LD_PRELOAD": str(LIBRARY),
            "WEIR_WITNESS": str(folder / "witness"),
            "WEIR_WITNESS_ROOT": str(folder / "data"),
        }
    arguments = [program, folder / "data" / "file", *(["threads"] if threads else [])]
    done = subprocess.run(arguments, env=environment, check=True, capture_output=True, text=True)
    return [float(part) for part in done.stdout.split()]


def interval(values: list[float]) -> tuple[float, float]:
    """95 % of the median, by bootstrap."""
    draw = random.Random(1)
    medians = sorted(statistics.median(draw.choices(values, k=len(values))) for _ in range(2000))
    return medians[50], medians[1949]


def main() -> None:
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    with tempfile.TemporaryDirectory(dir="/dev/shm", prefix="weir-bench-") as name:
        folder = Path(name)
        (folder / "data").mkdir()
        program = folder / "cost"
        source = ROOT / "tests/witness/cost.c"
        subprocess.run(
            ["cc", "-O2", "-D_GNU_SOURCE", source, "-o", program, "-pthread"], check=True, capture_output=True
        )
        for threads in (False, True):
            differences: list[list[float]] = [[], []]
            plain: list[list[float]] = [[], []]
            for _ in range(pairs):
                order = random.sample([True, False], k=2)
                run = {
                    preloaded: nanoseconds(program, folder, threads, preloaded=preloaded)
                    for preloaded in order
                }
                for i in range(2):
                    differences[i].append(run[True][i] - run[False][i])
                    plain[i].append(run[False][i])
            for i, call in enumerate(("pwrite", "pread")):
                low, high = interval(differences[i])
                print(
                    f"{call} of 4 KiB, {'several threads' if threads else 'one thread'}: "
                    f"{statistics.median(plain[i]):.0f} ns, with the witness "
                    f"{statistics.median(differences[i]):+.1f} ns [{low:+.1f}, {high:+.1f}], {pairs} pairs"
                )


if __name__ == "__main__":
    main()
