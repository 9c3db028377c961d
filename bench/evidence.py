"""Overhead of what weir-io observes for the audit, against a build without observations.

python bench/evidence.py [--pairs N] [--cells N] [--folder FOLDER]

Runs both builds in pairs of alternating order, which short batches keep close together: 40 pairs of 50 cells
(16 MiB in transfers of 1 MiB, written and read), so 2,000 of each build, wall time and CPU time; and the time
of a 4 KiB operation in a phase of 256 MiB. Medians with their 95 % interval, 4 min. The median of the batch
should grow by less than 1 %, or an operation by less than 20 ns. --built: both builds are there.
On the network file systems of the lab: python -m tests.lab cost.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.engine_table import ENVIRONMENT, ROOT
from weir.statistics.median import median_interval

BLIND = ROOT / "build" / "blind"
PROGRAMS = {True: ROOT / "build" / "weir-io", False: BLIND / "weir-io"}
CELL = ["-w", "-r", "-g", "-t", "1m"]
OPERATIONS = 65536

Values = tuple[float, ...]


def build_blind() -> None:
    BLIND.mkdir(parents=True, exist_ok=True)
    flags = ["-DCMAKE_C_FLAGS=-DWEIR_BLIND", "-DWEIR_EMULATOR=OFF", "-G", "Ninja"]
    subprocess.run(["cmake", "-S", ROOT, "-B", BLIND, *flags], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", BLIND, "--target", "weir-io"], check=True, stdout=subprocess.DEVNULL)


def cpu_s(arguments: Sequence[str], log: Path) -> float:
    """CPU time of a program and of what it started."""
    with log.open("w") as stream:
        output = [(os.POSIX_SPAWN_DUP2, stream.fileno(), 1)]
        pid = os.posix_spawn(arguments[0], arguments, {**os.environ, **ENVIRONMENT}, file_actions=output)
    _, status, used = os.wait4(pid, 0)
    if status != 0:
        raise RuntimeError(f"{' '.join(arguments)}: {log.read_text()}")
    return used.ru_utime + used.ru_stime


def batch_s(program: Path, folder: Path, cells: int, block: str) -> Values:
    """Time of the cells together, without the start of MPI; CPU time of the whole; time of its phases,
    without the rests before them."""
    lines = []
    for number in range(cells):
        place = folder / f"{number:06d}"
        place.mkdir()
        arguments = ["ior", "-a", ("POSIX", "MPIIO")[number % 2], *CELL, "-b", block]
        arguments += ["-o", str(folder / "data"), f"--json={place / 'summary.json'}"]
        lines.append("\t".join([f"cell{number}", "1", str(place), *arguments]))
    (folder / "list").write_text("\n".join(lines) + "\n")
    used = cpu_s([str(program), "batch", str(folder / "list"), str(folder / "status")], folder / "log")
    status = (folder / "status").read_text().splitlines()
    documents = [json.loads(file.read_text()) for file in folder.glob("*/summary.json")]
    phases_s = sum(float(phase["total_s"]) for document in documents for phase in document["results"])
    return sum(float(line.split("\t")[2]) for line in status), used, phases_s


def operation_ns(program: Path, folder: Path) -> Values:
    """Time per operation of a write and a read phase."""
    arguments = [str(program), "ior", "-w", "-r", "-t", "4096", "-b", str(4096 * OPERATIONS)]
    cpu_s([*arguments, "-o", str(folder / "data"), f"--json={folder / 'doc.json'}"], folder / "log")
    results = json.loads((folder / "doc.json").read_text())["results"]
    return tuple(1e9 * float(result["total_s"]) / OPERATIONS for result in results)


def paired(pairs: int, root: str, measure: Callable[[Path, Path], Values]) -> list[tuple[Values, Values]]:
    """Pairs of values without and with observations, in alternating order."""
    found = []
    for pair in range(pairs):
        values = {}
        for watched in (True, False) if pair % 2 else (False, True):
            with tempfile.TemporaryDirectory(dir=root, prefix="weir-bench-") as name:
                values[watched] = measure(PROGRAMS[watched], Path(name))
        found.append((values[False], values[True]))
    return found


def median_text(values: list[float], unit: str) -> str:
    """Median with its 95 % interval; of fewer than six pairs with the least and the greatest."""
    low, high = median_interval(values, 0.0) or (min(values), max(values))
    return f"{statistics.median(values):+.1f} {unit} [{low:+.1f}, {high:+.1f}]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--cells", type=int, default=50)
    parser.add_argument("--folder", default="/dev/shm", help="for the data and the documents")
    parser.add_argument("--block", default="16m", help="written and read by a cell")
    parser.add_argument("--cells-only", action="store_true", help="no operations of 4 KiB")
    parser.add_argument("--built", action="store_true", help="compile nothing")
    given = parser.parse_args()
    if not given.built:
        build_blind()
    print(f"{given.pairs} pairs in {given.folder}; load {os.getloadavg()[0]:.1f}", flush=True)
    found = paired(
        given.pairs, given.folder, lambda program, at: batch_s(program, at, given.cells, given.block)
    )
    for which, name in enumerate(("time of the cells", "CPU time", "time of the phases")):
        plain = statistics.median(without[which] for without, _ in found)
        shares = [100 * (with_[which] / without[which] - 1) for without, with_ in found]
        each = [1e6 * (with_[which] - without[which]) / given.cells for without, with_ in found]
        print(f"batch of {given.cells} cells, {name}: {plain:.2f} s, {median_text(shares, '%')}, ", end="")
        print(median_text(each, "us a cell"), flush=True)
    if not given.cells_only:
        _print_operations(given.pairs, given.folder)
    print(f"load at the end {os.getloadavg()[0]:.1f}")


def _print_operations(pairs: int, folder: str) -> None:
    found = paired(pairs, folder, operation_ns)
    for which, name in enumerate(("write", "read")):
        plain = statistics.median(without[which] for without, _ in found)
        grown = [with_[which] - without[which] for without, with_ in found]
        print(f"{name} of 4 KiB: {plain:.0f} ns, {median_text(grown, 'ns')}", flush=True)


if __name__ == "__main__":
    main()
