"""The same cell launched alone, as the first of a batch and as a later one: ratios of the whole bandwidth.

Each round launches every back end alone and in a batch of three, with the warm-up and without it. Printed are
the medians of the ratios within a round, later over alone and later over first, each with an interval that
covers it with 95 %; the goal is 0.97 to 1.03.
"""

import argparse
import json
import os
import statistics
import tempfile
from pathlib import Path

from bench.engine_queue import interval
from bench.engine_table import ROOT, run

SHAPE = ["-w", "-r", "-g", "-t", "16k"]
APIS = ("POSIX", "MMAP", "MPIIO", "HDF5", "NETCDF4", "PNETCDF", "URING")
CELLS = 3


def cell(folder: Path, api: str, block: str, warm: bool) -> list[str]:
    folder.mkdir(parents=True, exist_ok=True)
    arguments = ["ior", "-a", api, *SHAPE, "-b", block, *([] if warm else ["--no-warm-up"])]
    return [*arguments, "-o", str(folder.parent / "data"), f"--json={folder / 'summary.json'}"]


def total_s(folder: Path) -> float:
    results = json.loads((folder / "summary.json").read_text())["results"]
    return float(sum(result["total_s"] for result in results))


def once(program: str, folder: Path, api: str, block: str, warm: bool) -> tuple[float, float, float]:
    """Seconds alone, of the first cell and of the last cell of a batch."""
    run(2, [program, *cell(folder / "alone", api, block, warm)])
    places = [folder / f"cell{number}" for number in range(CELLS)]
    lines = ["\t".join([place.name, "2", str(place), *cell(place, api, block, warm)]) for place in places]
    (folder / "list").write_text("\n".join(lines) + "\n")
    run(2, [program, "batch", str(folder / "list"), str(folder / "status")])
    return total_s(folder / "alone"), total_s(places[0]), total_s(places[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--folder", default="/dev/shm", help="for the data and the documents")
    parser.add_argument("--block", default="8m", help="bytes of each of the two ranks")
    parser.add_argument("--warm-only", action="store_true", help="not without the warm-up")
    parser.add_argument("--program", default=str(ROOT / "build/weir-io"))
    requested = parser.parse_args()
    where = f"in {requested.folder}, {requested.block} a rank"
    print(f"{requested.rounds} rounds {where}; load {os.getloadavg()[0]:.1f}")
    print("| back end | warm-up | later / alone | 95 % | later / first | 95 % |")
    print("|---|---|---|---|---|---|")
    times: dict[tuple[str, bool], list[tuple[float, float, float]]] = {}
    for _ in range(requested.rounds):
        for api in APIS:
            for warm in (True,) if requested.warm_only else (True, False):
                with tempfile.TemporaryDirectory(dir=requested.folder) as name:
                    found = once(requested.program, Path(name), api, requested.block, warm)
                times.setdefault((api, warm), []).append(found)
    for (api, warm), rows in times.items():
        columns = []
        for reference in (0, 1):
            ratios = [row[2] / row[reference] for row in rows]
            columns += [f"{statistics.median(ratios):.2f}", interval(ratios)]
        print(f"| {api} | {'yes' if warm else 'no'} | {' | '.join(columns)} |")


if __name__ == "__main__":
    main()
