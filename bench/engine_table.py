"""The table of docs/engine/speed.md: weir-io beside the originals, in alternating order, medians and ratios.

IOR=PROGRAM BENCHTOOL=PROGRAM MDTEST=PROGRAM name them; else ior, benchtool and mdtest on the PATH are found.
The originals have no warm-up, so weir-io runs without its own. A ratio is the median over the pairs of
neighbouring launches, because a shared machine drifts, with the least and the greatest; above 1 is in favour
of weir-io.
"""

import argparse
import datetime
import json
import os
import re
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from weir.tools.netcdf_bench import TOOL as NETCDF_BENCH

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",  # as the site local has it
}
LAUNCH = ["--mca", "pml", "ob1", "--mca", "btl", "self,vader", "--bind-to", "none", "--oversubscribe"]
MIB = 2**20
RANK_BYTES = 64 * MIB
NULL_OPERATIONS = 2**20
ITERATIONS = 3
SIZES = {"16 KiB": 16 * 1024, "100 KiB": 100 * 1024, "1 MiB": MIB, "10 MiB": 10 * MIB}
GEOMETRY = "25:100:200:50"
IOR_ROW = re.compile(r"^(write|read) +" + r"(\S+) +" * 9 + r"\d+ *$", re.M)
MDTEST_ROW = re.compile(r"^ +File (creation|stat|read|removal) +(\S+) +(\S+) +(\S+) +(\S+)", re.M)
MDTEST_WORDS = {"creation": "create", "stat": "stat", "read": "read", "removal": "remove"}

# access, number
Measured = Iterator[tuple[str, float]]


@dataclass(frozen=True)
class Case:
    """One line of the table for each access; both get the folder they may fill."""

    what: str
    unit: str
    ranks: int
    ours: Callable[[Path], Measured]
    theirs: Callable[[Path], Measured] | None
    less_is_better: bool = False


def run(ranks: int, options: Sequence[str]) -> str:
    mpirun = shutil.which("mpirun.openmpi") or "mpirun"
    launcher = [mpirun, *LAUNCH, "-n", str(ranks)]
    done = subprocess.run(
        [*launcher, *options],
        env={**os.environ, **ENVIRONMENT},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return done.stdout


def original(name: str, variable: str) -> str | None:
    return os.environ.get(variable) or shutil.which(name)


def results(summary: Path) -> list[dict[str, float | str]]:
    found: list[dict[str, float | str]] = json.loads(summary.read_text())["results"]
    return found


def loop_case(program: str, ior: str | None, traced: bool) -> Case:
    shape = ["-w", "-r", "-t", "4096", "-b", str(4096 * NULL_OPERATIONS), "-i", str(ITERATIONS), "-o", "none"]

    def ours(folder: Path) -> Measured:
        summary = folder / "summary.json"
        trace = [f"--trace={folder / 'trace'}", f"--trace-records={NULL_OPERATIONS}"] if traced else []
        run(1, [program, "ior", "-a", "NULL", *shape, *trace, f"--json={summary}"])
        for result in results(summary):
            yield str(result["access"]), 1e6 * float(result["io_s"]) / NULL_OPERATIONS

    def theirs(folder: Path) -> Measured:
        for row in IOR_ROW.findall(run(1, [str(ior), "-a", "DUMMY", *shape])):
            yield row[0], 1e6 * float(row[7]) / NULL_OPERATIONS

    what = "null, histogram and trace on" if traced else "null, histogram on"
    return Case(what, "us", 1, ours, theirs if ior else None, less_is_better=True)


def ior_case(program: str, ior: str | None, api: str, size: str, ranks: int) -> Case:
    xfer_bytes = SIZES[size]
    block_bytes = max(RANK_BYTES // xfer_bytes, 1) * xfer_bytes
    shape = [
        "-a",
        api,
        "-w",
        "-r",
        "-g",
        "-t",
        str(xfer_bytes),
        "-b",
        str(block_bytes),
        "-i",
        str(ITERATIONS),
    ]

    def ours(folder: Path) -> Measured:
        summary = folder / "summary.json"
        arguments = [*shape, "--no-warm-up", "-o", str(folder / "data"), f"--json={summary}"]
        run(ranks, [program, "ior", *arguments])
        for result in results(summary):
            yield str(result["access"]), float(result["bw_mib_s"])

    def theirs(folder: Path) -> Measured:
        for row in IOR_ROW.findall(run(ranks, [str(ior), *shape, "-o", str(folder / "data")])):
            yield row[0], float(row[1])

    return Case(f"{api} {size}", "MiB/s", ranks, ours, theirs if ior else None)


def netcdf_case(program: str, benchtool: str | None, mode: str, ranks: int) -> Case:
    shape = ["-n=1", f"-p={ranks}", f"-d={GEOMETRY}", f"-t={mode}", "-w", "-r"]

    def ours(folder: Path) -> Measured:
        summary = folder / "summary.json"
        arguments = [*shape, "--no-warm-up", f"-f={folder / 'data.nc'}", f"--json={summary}"]
        run(ranks, [program, "netcdf-bench", *arguments])
        for result in results(summary):
            yield str(result["access"]), float(result["bw_mib_s"])

    def theirs(folder: Path) -> Measured:
        (folder / "data.nc").unlink(missing_ok=True)  # as weir-io does before a write
        (parsed,) = NETCDF_BENCH.parse_log(run(ranks, [str(benchtool), *shape, f"-f={folder / 'data.nc'}"]))
        for row in parsed.rows:
            yield row["access"], row["bw_mib_s"]

    return Case(f"NetCDF-4 {mode}", "MiB/s", ranks, ours, theirs if benchtool else None)


def mdtest_case(program: str, mdtest: str | None, ranks: int) -> Case:
    shape = ["-n", "20000", "-F", "-u", "-C", "-T", "-E", "-r"]

    def ours(folder: Path) -> Measured:
        return rates(run(ranks, [program, "mdtest", *shape, "-d", str(folder / "tree")]))

    def theirs(folder: Path) -> Measured:
        return rates(run(ranks, [str(mdtest), *shape, "-d", str(folder / "tree")]))

    return Case("mdtest -F -u", "op/s", ranks, ours, theirs if mdtest else None)


def rates(text: str) -> Measured:
    """The rates in the table that both print: operation, max, min, mean, deviation."""
    for operation, _, _, mean, _ in MDTEST_ROW.findall(text.partition("SUMMARY rate")[2]):
        yield MDTEST_WORDS[operation], float(mean)


def cases(program: str) -> Iterator[Case]:
    ior = original("ior", "IOR")
    for traced in (False, True):
        yield loop_case(program, ior, traced)
    for api in ("POSIX", "MPIIO"):
        for size in SIZES:
            for ranks in (1, 2):
                yield ior_case(program, ior, api, size, ranks)
    for mode in ("ind", "coll"):
        yield netcdf_case(program, original("benchtool", "BENCHTOOL"), mode, 2)
    if re.search(r"^  mdtest ", run(1, [program, "--help"]), re.M):
        yield mdtest_case(program, original("mdtest", "MDTEST"), 2)
    else:
        print("mdtest: this weir-io does not have it; skipped")


def measure(case: Case, runs: int, folder: str) -> dict[str, dict[str, list[float]]]:
    """Medians of the launches by access, then by program; the one that goes first changes with every run."""
    found: dict[str, dict[str, list[float]]] = {}
    turns = [("weir-io", case.ours)] + ([("original", case.theirs)] if case.theirs else [])
    for number in range(runs):
        for name, program in turns if number % 2 == 0 else turns[::-1]:
            with tempfile.TemporaryDirectory(dir=folder) as place:
                values: dict[str, list[float]] = {}
                for access, value in program(Path(place)):
                    values.setdefault(access, []).append(value)
            for access, repeated in values.items():
                found.setdefault(access, {}).setdefault(name, []).append(statistics.median(repeated))
    return found


def lines(case: Case, found: dict[str, dict[str, list[float]]]) -> Iterator[str]:
    digits = 4 if case.less_is_better else 0
    for access, values in found.items():
        mine, theirs = values["weir-io"], values.get("original", [])
        shown = [f"{statistics.median(one):.{digits}f}" if one else "" for one in (mine, theirs)]
        ratios = sorted(m / t for m, t in zip(mine, theirs, strict=False))
        if case.less_is_better:
            ratios = [1 / ratio for ratio in reversed(ratios)]
        middle = f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})" if ratios else ""
        options = [case.what, str(case.ranks), access, *shown, middle, case.unit]
        yield f"| {' | '.join(options)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7, help="launches of each program; each repeats 3 times")
    parser.add_argument("--only", default="", help="cases whose name holds this")
    parser.add_argument("--folder", default="/dev/shm", help="a tmpfs")
    parser.add_argument("--program", default=str(ROOT / "build/weir-io"))
    requested = parser.parse_args()
    today, load = datetime.date.today(), os.getloadavg()[0]
    print(
        f"{today}, {os.cpu_count()} cores, load {load:.1f} at the start; medians, {requested.runs} launches\n"
    )
    print("| what | ranks | access | weir-io | original | ratio | unit |\n|---|---|---|---|---|---|---|")
    for case in cases(requested.program):
        if requested.only in case.what:
            for line in lines(case, measure(case, requested.runs, requested.folder)):
                print(line, flush=True)
    print(f"\nload {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()
