"""Overhead of libweir-witness on pwrite and pread, by pairs of runs with and without it, as CSV.

python bench/witness.py [PAIRS] [--disk DIRECTORY] [--prove]

Transfers of 4 KiB to 4 MiB in tmpfs; with --disk 4 KiB at random with O_DIRECT in a file there, too. --prove
counts by mounts, as `weir prove` does. A pair of all cases takes about 4 s on an idle machine.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIBRARY = ROOT / "build" / "libweir-witness.so"
KIB, MIB = 1 << 10, 1 << 20
COLUMNS = [
    "access",
    "transfer KiB",
    "on",
    "plain ns",
    "with the witness ns",
    "low ns",
    "high ns",
    "with the witness %",
    "low %",
    "high %",
    "pairs",
]


@dataclass(frozen=True)
class Case:
    """Transfers of one size, as cost.c makes them."""

    transfer_bytes: int
    file_bytes: int
    on: str = "tmpfs"
    options: tuple[str, ...] = ()


TMPFS = (
    Case(4 * KIB, MIB, "tmpfs"),
    Case(4 * KIB, MIB, "tmpfs, several threads", ("threads",)),
    *(Case(size, 16 * MIB) for size in (64 * KIB, 256 * KIB, MIB, 4 * MIB)),
)
DISK = Case(4 * KIB, 64 * MIB, "disk, O_DIRECT, random", ("direct", "random"))


def nanoseconds(program: Path, folder: Path, case: Case, *, preloaded: bool, prove: bool) -> list[float]:
    environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    if preloaded:
        environment |= {
            "LD_PRELOAD": str(LIBRARY),
            "WEIR_WITNESS": str(program.with_name("witness")),
            "WEIR_WITNESS_ROOT": str(folder),
        }
        environment |= {"WEIR_WITNESS_MOUNTS": "1"} if prove else {}
    arguments = [
        str(program),
        str(folder / "file"),
        str(case.transfer_bytes),
        str(case.file_bytes),
        *case.options,
    ]
    done = subprocess.run(arguments, env=environment, check=True, capture_output=True, text=True)
    return [float(part) for part in done.stdout.split()]


def interval(values: list[float]) -> tuple[float, float]:
    """95 % of the median, by bootstrap."""
    draw = random.Random(1)
    medians = sorted(statistics.median(draw.choices(values, k=len(values))) for _ in range(2000))
    return medians[50], medians[1949]


def rows(case: Case, plain: list[list[float]], loaded: list[list[float]]) -> Iterator[list[object]]:
    for i, access in enumerate(("write", "read")):
        more = [after[i] - before[i] for before, after in zip(plain, loaded, strict=True)]
        share = [100 * part / before[i] for part, before in zip(more, plain, strict=True)]
        yield [
            access,
            case.transfer_bytes // KIB,
            case.on,
            f"{statistics.median(before[i] for before in plain):.0f}",
            *(f"{value:.1f}" for value in (statistics.median(more), *interval(more))),
            *(f"{value:.2f}" for value in (statistics.median(share), *interval(share))),
            len(plain),
        ]


def measured(case: Case, program: Path, folder: Path, pairs: int, prove: bool) -> Iterator[list[object]]:
    runs: dict[bool, list[list[float]]] = {False: [], True: []}
    for _ in range(pairs):
        for preloaded in random.sample([True, False], k=2):
            runs[preloaded].append(nanoseconds(program, folder, case, preloaded=preloaded, prove=prove))
    yield from rows(case, runs[False], runs[True])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pairs", nargs="?", type=int, default=20)
    parser.add_argument("--disk", type=Path, help="directory of a disk")
    parser.add_argument("--prove", action="store_true", help="count by mounts")
    given = parser.parse_args()
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(COLUMNS)
    with tempfile.TemporaryDirectory(dir="/dev/shm", prefix="weir-bench-") as name:
        program = Path(name) / "cost"
        source = ROOT / "tests/witness/cost.c"
        subprocess.run(
            ["cc", "-O2", "-D_GNU_SOURCE", source, "-o", program, "-pthread"], check=True, capture_output=True
        )
        for case in (*TMPFS, *((DISK,) if given.disk else ())):
            with tempfile.TemporaryDirectory(dir=given.disk if case is DISK else name) as folder:
                table.writerows(measured(case, program, Path(folder), given.pairs, given.prove))
                sys.stdout.flush()


if __name__ == "__main__":
    main()
