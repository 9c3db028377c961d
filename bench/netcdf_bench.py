"""Bandwidth of weir-io netcdf-bench in memory: independent and collective, contiguous and with chunks.

BENCHTOOL=PROGRAM runs the original beside it, in alternating order, and prints ratios of the medians.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from weir.tools.netcdf_bench import TOOL

ROOT = Path(__file__).resolve().parents[1]
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
LAUNCH = ["--mca", "pml", "ob1", "--mca", "btl", "self,vader", "--bind-to", "none", "--oversubscribe"]
CASES = {"ind": ["-t=ind"], "coll": ["-t=coll"], "coll chunks": ["-t=coll", "-c=auto"]}
CDF5 = {"CDF-5 ind": ["-t=ind", "--format=cdf5"], "CDF-5 coll": ["-t=coll", "--format=cdf5"]}
MIB = 2**20
# access, what: MiB/s of the transfers alone (io) and with open and close (all)
Measured = Iterator[tuple[str, str, float]]


def run(program: list[str], ranks: int, geometry: str, arguments: list[str]) -> str:
    mpirun = shutil.which("mpirun.openmpi") or "mpirun"
    shape = ["-n=1", f"-p={ranks}", f"-d={geometry}"]
    command = [mpirun, *LAUNCH, "-n", str(ranks), *program, *shape, "-w", "-r", *arguments]
    done = subprocess.run(
        command, env={**os.environ, **AS_ROOT}, capture_output=True, text=True, check=True, timeout=300
    )
    return done.stdout


def ours(program: Path, ranks: int, geometry: str, arguments: list[str], folder: Path) -> Measured:
    summary = folder / "summary.json"
    run(
        [str(program), "netcdf-bench"],
        ranks,
        geometry,
        [*arguments, f"--json={summary}", f"-f={folder / 'ours.nc'}"],
    )
    for result in json.loads(summary.read_text())["results"]:
        yield result["access"], "io", result["moved_bytes"] / MIB / result["io_s"]
        yield result["access"], "all", result["bw_mib_s"]


def original(program: str, ranks: int, geometry: str, arguments: list[str], folder: Path) -> Measured:
    file = folder / "theirs.nc"
    file.unlink(missing_ok=True)  # as weir-io does before a write
    (parsed,) = TOOL.parse_log(run([program], ranks, geometry, [*arguments, f"-f={file}"]))
    for row in parsed.rows:
        yield row["access"], "io", row["requested_bytes"] / MIB / row["io_s"]
        yield row["access"], "all", row["bw_mib_s"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--geometry", default="25:100:200:50", help="100 MB")
    parser.add_argument("--folder", default="/dev/shm" if Path("/dev/shm").is_dir() else None)
    parser.add_argument("--program", type=Path, default=ROOT / "build/weir-io")
    requested = parser.parse_args()
    beside = os.environ.get("BENCHTOOL")
    print(f"{requested.geometry} int, {requested.ranks} ranks, {requested.runs} runs, medians in MiB/s")
    print("case         access  what   weir-io  benchtool  ratio")
    for case, arguments in {**CASES, **CDF5}.items():
        found: dict[tuple[str, str, str], list[float]] = {}
        for number in range(requested.runs):
            with tempfile.TemporaryDirectory(dir=requested.folder) as name:
                shape = (requested.ranks, requested.geometry, arguments, Path(name))
                turns = [("weir-io", ours(requested.program, *shape))]
                if beside and case in CASES:
                    turns.append(("benchtool", original(beside, *shape)))
                for program, measured in turns if number % 2 == 0 else turns[::-1]:
                    for access, what, bw_mib_s in measured:
                        found.setdefault((access, what, program), []).append(bw_mib_s)
        for access, what in dict.fromkeys((access, what) for access, what, _ in found):
            mine = statistics.median(found[access, what, "weir-io"])
            others = found.get((access, what, "benchtool"))
            their = (
                f"{statistics.median(others):10.0f} {mine / statistics.median(others):6.2f}" if others else ""
            )
            print(f"{case:12} {access:6}  {what:4} {mine:9.0f} {their}", flush=True)


if __name__ == "__main__":
    main()
