"""Cost of libweir-witness for a read and a write, as rows of bench/results/witness.csv.

python bench/witness.py [--seconds 3] [--disk DIRECTORY] [--only PATTERN] > bench/results/witness.csv

Within one process that has the library preloaded, blocks of calls through it and past it take turns, so that
both meet the same machine within milliseconds; what a call takes outside of the C library is timed alone
(witness.c, witness_behind.c). files: as in a suite; mounts: as under `weir prove`. Medians of 20 processes
with 95 % intervals: added ns of a transfer, its share of a transfer without the library, and the same by the
whole time of both. instructions: those that the library adds, by valgrind, which does not see the kernel's
clock. To stderr: the processor time of the library's own thread. 5 minutes, on an idle machine.
"""

import argparse
import csv
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from weir.statistics.median import median_interval
from weir.witness.document import LIBRARY

ROOT = Path(__file__).resolve().parents[1]
KIB, MIB = 1 << 10, 1 << 20
SIZES = (4 * KIB, 64 * KIB, 256 * KIB, MIB, 4 * MIB)
MODES = {"files": {}, "mounts": {"WEIR_WITNESS_MOUNTS": "1"}}
PROCESSES = 20  # one after another: addresses, by which the library chooses its looks, are of a process
MOST_COUNTED = 64 * KIB
COUNTED = 512  # transfers, and twice as many: what the library does once does not count
HEAD = (
    *("counts", "access", "transfer", "on", "ns without", "added ns", "added %", "by whole times %"),
    *("pairs", "instructions"),
)


@dataclass(frozen=True)
class Case:
    """Transfers of one size, as witness.c makes them."""

    transfer_bytes: int
    file_bytes: int
    on: str
    options: tuple[str, ...] = ()

    @property
    def is_stored(self) -> bool:
        return not {"direct", "sync"}.isdisjoint(self.options)

    @property
    def size(self) -> str:
        kib = self.transfer_bytes // KIB
        return f"{kib} KiB" if kib < KIB else f"{kib // KIB} MiB"


CASES = (
    *(Case(size, min(256 * size, 64 * MIB), "page cache") for size in SIZES),
    Case(4 * KIB, MIB, "page cache, several threads", ("threads",)),
    *(Case(size, 64 * MIB, "disk, O_DIRECT", ("direct", "random")) for size in SIZES),
    *(Case(size, 64 * MIB, "disk, fsync", ("sync",)) for size in SIZES),
)


@dataclass(frozen=True)
class Bench:
    """The program, and where its files are."""

    program: Path
    behind: Path
    disk: Path

    def command(self, case: Case, folder: Path, *options: str) -> list[str]:
        shape = [str(folder / "file"), str(case.transfer_bytes), str(case.file_bytes)]
        return [str(self.program), *shape, *options, *case.options]

    def variables(self, folder: Path, mode: str) -> dict[str, str]:
        own = {
            "LD_PRELOAD": f"{LIBRARY}:{self.behind}",
            "WITNESS_BEHIND": str(self.behind),
            "WEIR_WITNESS": str(self.program.with_name("reports")),
            "WEIR_WITNESS_ROOT": str(folder),
        }
        return {**os.environ, **own, **MODES[mode]}

    def place(self, case: Case) -> Path:
        return self.disk if case.is_stored else self.program.parent

    def lines(self, case: Case, mode: str, seconds: float) -> Iterator[list[list[str]]]:
        """The lines of each process."""
        with tempfile.TemporaryDirectory(dir=self.place(case)) as name:
            command = self.command(case, Path(name), str(seconds / PROCESSES))
            variables = self.variables(Path(name), mode)
            for _ in range(PROCESSES):
                done = subprocess.run(command, env=variables, check=True, stdout=subprocess.PIPE, text=True)
                yield [line.split() for line in done.stdout.splitlines()]

    def counted(self, case: Case, mode: str, access: str, way: str) -> float:
        """Instructions of a transfer, exact at any load."""
        found = []
        for transfers in (COUNTED, 2 * COUNTED):
            with tempfile.TemporaryDirectory(dir=self.place(case)) as name:
                command = self.command(case, Path(name), "count", str(transfers), access, way)
                counter = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
                variables = self.variables(Path(name), mode)
                done = subprocess.run(
                    [*counter, *command], env=variables, check=True, capture_output=True, text=True
                )
            found.append(int(re.findall(r"Collected : (\d+)", done.stderr)[-1]))
        return (found[1] - found[0]) / COUNTED

    def instructions(self, case: Case, mode: str, access: str) -> str:
        if case.is_stored or case.transfer_bytes > MOST_COUNTED or not shutil.which("valgrind"):
            return ""
        added = self.counted(case, mode, access, "through") - self.counted(case, mode, access, "past")
        return f"{added:.0f}"


def middle(values: Sequence[float]) -> float:
    """The mean without the tenth at either end: in some blocks the library looks at the descriptor more
    often, and some meet another process."""
    left_out = len(values) // 10
    return statistics.fmean(sorted(values)[left_out : len(values) - left_out])


def text(values: Sequence[float], digits: int) -> str:
    """The median of processes, with its interval."""
    low, high = median_interval(values) or (min(values), max(values))
    return "{:.{d}f} ({:.{d}f} to {:.{d}f})".format(statistics.median(values), low, high, d=digits)


def rows(bench: Bench, case: Case, mode: str, seconds: float) -> Iterator[list[object]]:
    found: dict[str, dict[str, list[float]]] = {}
    pairs: dict[str, int] = {}
    thread_us: list[float] = []
    for lines in bench.lines(case, mode, seconds):
        spent: dict[tuple[str, str], list[tuple[float, float]]] = {}
        thread_us.append(float(lines.pop()[1]))
        for access, kind, *numbers in lines:
            spent.setdefault((access, kind), []).append((float(numbers[0]), float(numbers[1])))
        for (access, kind), some in spent.items():
            one = found.setdefault(access, {"added": [], "plain": [], "whole": []})
            if kind == "outside":
                one["added"].append(middle([through - past for past, through in some]))
            else:
                one["plain"].append(statistics.median(past for past, _ in some))
                one["whole"].append(100 * middle([math.log(through / past) for past, through in some]))
            pairs[access] = pairs.get(access, 0) + len(some)
    own = f"{statistics.median(thread_us):.0f} us of a second in its own thread"
    print(f"{case.on}, {case.size}, {mode}: {own}", file=sys.stderr)
    for access, one in found.items():
        share = [100 * added / plain for added, plain in zip(one["added"], one["plain"], strict=True)]
        yield [
            *(mode, access, case.size, case.on, f"{statistics.median(one['plain']):.0f}"),
            *(text(one["added"], 1), text(share, 2), text(one["whole"], 2)),
            *(pairs[access], bench.instructions(case, mode, access)),
        ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=3, help="of each case, for reads and for writes")
    parser.add_argument("--disk", type=Path, default=ROOT / "build", help="directory of a disk")
    parser.add_argument("--only", default="", help="pattern in `on, size`")
    given = parser.parse_args()
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(HEAD)
    with tempfile.TemporaryDirectory(dir="/dev/shm", prefix="weir-bench-") as name:
        program, behind = Path(name) / "witness", Path(name) / "behind.so"
        for source, built, options in (("", program, ()), ("_behind", behind, ("-shared", "-fPIC"))):
            flags = ["-O2", "-std=gnu11", "-D_GNU_SOURCE", "-pthread", *options]
            subprocess.run(["cc", ROOT / f"bench/witness{source}.c", *flags, "-o", built, "-ldl"], check=True)
        bench = Bench(program, behind, given.disk.resolve())
        for mode in MODES:
            for case in CASES:
                if re.search(given.only, f"{case.on}, {case.size}"):
                    table.writerows(rows(bench, case, mode, given.seconds))
                    sys.stdout.flush()


if __name__ == "__main__":
    main()
