#!/usr/bin/env python3
"""CPU time of an MPI-IO call of weir-io beside that of IOR, in pairs of launches in alternating order.

IOR=PROGRAM python bench/engine_calls.py [--size "100 KiB"] [--pairs 21]

The rate of a launch scatters with the load of the machine by more than what is looked for; the CPU time
within MPI_File_write_at and MPI_File_read_at, and between two of them, hardly does. engine_calls.c counts it.
Below 1 is in favour of weir-io; the median of the pairs has its 95 % interval. Rows are those of
bench/results/engine_calls.csv.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.engine_table import RANK_BYTES, ROOT, SIZES, original, run
from weir.statistics.median import median_interval

KINDS = ("write", "read", "between")
ITERATIONS = "10"
HEAD = "processor,transfer,ranks,call,weir-io in us,IOR in us,ratio,95 % from,to,pairs"


def compiled(folder: Path) -> Path:
    library = folder / "engine_calls.so"
    source = ROOT / "bench/engine_calls.c"
    subprocess.run(["mpicc", "-O2", "-shared", "-fPIC", "-o", library, source], check=True)
    return library


def call_us(program: list[str], library: Path, shape: list[str], ranks: int, folder: Path) -> list[float]:
    """Microseconds of CPU time of a call of each kind, over all ranks."""
    counted = folder / "calls"
    counted.unlink(missing_ok=True)
    exported = ["-x", f"LD_PRELOAD={library}", "-x", f"CALLS={counted}"]
    run(ranks, [*exported, *program, *shape, "-o", str(folder / "data")])
    columns = list(zip(*(map(int, line.split()) for line in counted.read_text().splitlines()), strict=True))
    return [sum(columns[at + 1]) / sum(columns[at]) / 1e3 for at in range(0, 2 * len(KINDS), 2)]


def processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), "unknown")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", choices=SIZES, default="100 KiB")
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=21)
    parser.add_argument("--folder", default="/dev/shm", help="a tmpfs")
    parser.add_argument("--program", default=str(ROOT / "build/weir-io"))
    requested = parser.parse_args()
    ior, xfer_bytes = original("ior", "IOR"), SIZES[requested.size]
    if ior is None:
        parser.error("there is no IOR; name one with IOR=PROGRAM")
    block_bytes = RANK_BYTES // xfer_bytes * xfer_bytes
    shape = ["-a", "MPIIO", "-w", "-r", "-g", "-t", str(xfer_bytes), "-b", str(block_bytes), "-i", ITERATIONS]
    turns = {"weir-io": [requested.program, "ior", "--no-warm-up"], "ior": [ior]}
    found: dict[str, list[list[float]]] = {name: [] for name in turns}
    with tempfile.TemporaryDirectory(dir=requested.folder) as scratch:
        folder = Path(scratch)
        library = compiled(folder)
        for pair in range(requested.pairs):
            for name in list(turns) if pair % 2 == 0 else list(turns)[::-1]:
                found[name].append(call_us(turns[name], library, shape, requested.ranks, folder))
    print(HEAD)
    for at, kind in enumerate(KINDS):
        mine, theirs = ([one[at] for one in found[name]] for name in turns)
        ratios = [one / other for one, other in zip(mine, theirs, strict=True)]
        low, high = median_interval(ratios, 0.0) or (min(ratios), max(ratios))
        shown = [f"{statistics.median(some):.2f}" for some in (mine, theirs)]
        spread = [f"{value:.3f}" for value in (statistics.median(ratios), low, high)]
        print(",".join([processor(), requested.size, str(requested.ranks), kind, *shown, *spread]), end="")
        print(f",{len(ratios)}")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
