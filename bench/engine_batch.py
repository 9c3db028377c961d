"""The overhead of a tiny cell in `weir-io batch` beyond its own I/O; a launch of its own takes 130 to 360
ms."""

import argparse
import json
import os
import statistics
import tempfile
from pathlib import Path

from bench.engine_table import ROOT, run

GOAL_MS = 5.0
SHAPE = ["-w", "-r", "-g", "-t", "4096", "-b", "16384"]


def cells(folder: Path, count: int, ranks: int) -> list[list[str]]:
    """POSIX and MPI-IO in turn, each cell with a folder of its own, as weir run does it."""
    found = []
    for number in range(count):
        place = folder / f"{number:06d}"
        place.mkdir()
        arguments = ["ior", "-a", ("POSIX", "MPIIO")[number % 2], *SHAPE, "-o", str(folder / "data")]
        summary = [f"--json={place / 'summary.json'}"]
        found.append([f"cell{number}", str(ranks), str(place), *arguments, *summary])
    return found


def beyond_ms(program: str, folder: Path, count: int, ranks: int) -> list[float]:
    """The time of each cell from its begin to its end, less the phases that it measured."""
    requested, status = folder / "list", folder / "status"
    requested.write_text("".join("\t".join(arguments) + "\n" for arguments in cells(folder, count, ranks)))
    run(ranks, [program, "batch", str(requested), str(status)])
    costs = []
    for number, line in enumerate(status.read_text().splitlines()):
        _, code, cell_s = line.split("\t")
        assert code == "0", line
        results = json.loads((folder / f"{number:06d}" / "summary.json").read_text())["results"]
        costs.append(1e3 * (float(cell_s) - sum(result["total_s"] for result in results)))
    return costs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=1000)
    parser.add_argument("--folder", default="/dev/shm", help="for the data and the documents")
    parser.add_argument("--program", default=str(ROOT / "build/weir-io"))
    requested = parser.parse_args()
    print(f"{requested.cells} cells; load {os.getloadavg()[0]:.1f}; ms beyond their I/O, goal {GOAL_MS:g}")
    print("ranks  mean  median  p90")
    for ranks in (1, 2):
        with tempfile.TemporaryDirectory(dir=requested.folder) as name:
            costs = sorted(beyond_ms(requested.program, Path(name), requested.cells, ranks))
        p90 = costs[int(0.9 * len(costs))]
        print(
            f"{ranks:5} {statistics.mean(costs):5.2f} {statistics.median(costs):7.2f} {p90:4.2f}", flush=True
        )


if __name__ == "__main__":
    main()
