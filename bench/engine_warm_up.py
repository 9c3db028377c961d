"""The same cell launched alone, as the first of a batch and as a later one: ratios of the whole bandwidth.

Each round launches every back end alone and in a batch of three, with the warm-up and without it. Printed are
the ratios of the median times, alone over later and first over later; the goal is 0.97 to 1.03.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
LAUNCH = ["--mca", "pml", "ob1", "--mca", "btl", "self,vader", "--bind-to", "none", "--oversubscribe"]
SHAPE = ["-w", "-r", "-g", "-t", "16k", "-b", "8m"]
APIS = ("POSIX", "MMAP", "MPIIO", "HDF5", "NETCDF4", "PNETCDF", "URING")
CELLS = 3


def launch(program: str, arguments: list[str]) -> None:
    mpirun = shutil.which("mpirun.openmpi") or "mpirun"
    command = [mpirun, *LAUNCH, "-n", "2", program, *arguments]
    subprocess.run(command, env={**os.environ, **ENVIRONMENT}, check=True, capture_output=True)


def cell(folder: Path, api: str, warm: bool) -> list[str]:
    folder.mkdir(parents=True, exist_ok=True)
    arguments = [
        "ior",
        "-a",
        api,
        *SHAPE,
        *([] if warm else ["--no-warm-up"]),
        "-o",
        str(folder.parent / "data"),
    ]
    return [*arguments, "-O", f"summaryFile={folder / 'summary.json'}"]


def total_s(folder: Path) -> float:
    results = json.loads((folder / "summary.json").read_text())["results"]
    return float(sum(result["total_s"] for result in results))


def once(program: str, folder: Path, api: str, warm: bool) -> tuple[float, float, float]:
    """Seconds alone, of the first cell and of the last cell of a batch."""
    launch(program, cell(folder / "alone", api, warm))
    places = [folder / f"cell{number}" for number in range(CELLS)]
    lines = ["\t".join([place.name, "2", str(place), *cell(place, api, warm)]) for place in places]
    (folder / "list").write_text("\n".join(lines) + "\n")
    launch(program, ["batch", str(folder / "list"), str(folder / "status")])
    return total_s(folder / "alone"), total_s(places[0]), total_s(places[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--folder", default="/dev/shm", help="for the data and the documents")
    parser.add_argument("--program", default=str(ROOT / "build/weir-io"))
    requested = parser.parse_args()
    print(f"{requested.rounds} rounds in {requested.folder}; load {os.getloadavg()[0]:.1f}")
    print("| back end | warm-up | alone / later | first / later |\n|---|---|---|---|")
    times: dict[tuple[str, bool], list[tuple[float, float, float]]] = {}
    for _ in range(requested.rounds):
        for api in APIS:
            for warm in (True, False):
                with tempfile.TemporaryDirectory(dir=requested.folder) as name:
                    found = once(requested.program, Path(name), api, warm)
                times.setdefault((api, warm), []).append(found)
    for (api, warm), rows in times.items():
        alone, first, later = (statistics.median(row[i] for row in rows) for i in range(3))
        print(f"| {api} | {'yes' if warm else 'no'} | {later / alone:.2f} | {later / first:.2f} |")


if __name__ == "__main__":
    main()
