"""The overhead of a cell on a cluster beyond its own input and output, by how many cells share a job and a
launch.

On a private Slurm (tests/slurm/sandbox), two virtual nodes with one rank each, in one run, alternating:
a job for each cell; one allocation with a launch for each cell; one allocation, many cells in a launch.
Ratios are those of one round, since what else the machine does changes from round to round.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SANDBOX = ROOT / "tests" / "slurm" / "sandbox" / "sandbox"
GOAL_S = 0.050

SITE = """\
site: bench
description: Two virtual nodes
hosts: []
partitions:
  debug:
    nodes: 2
    cores_per_node: 4
    launcher: srun
    scheduler: slurm
    access: [--exclusive]
    time_limit: 30 min
    launch: 500 ms
    stacks: [together, apart]
stacks:
  together: {{programs: {{ior: ["{root}/build/weir-io", ior]}}, environment: {environment}}}
  # Where weir does not see the personality behind weir-io, it gives each cell a launch of its own.
  apart:
    programs: {{ior: [sh, -c, 'exec "$0" ior "$@"', "{root}/build/weir-io"]}}
    environment: {environment}
"""
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_pml": "cm",
    "OMPI_MCA_mtl": "ofi",
    "OMPI_MCA_mtl_ofi_provider_include": "tcp;ofi_rxm",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}
SUITE = """\
suite: {name}
question: How much does a cell cost?
experiments:
  only:
    tool: ior
    nodes: [2]
    ppn: [1]
    space: {{segments: {segments}, xfer: [4 KiB, 8 KiB]}}
    fixed: {{api: POSIX, access: [write, read], block: 64 KiB}}
    repetitions: {{rounds: 1, iterations: 1}}
"""


@dataclass(frozen=True)
class Way:
    """One way to run cells; run gives the wall time for that many."""

    name: str
    cells: int
    run: Callable[[int], float]


class Bench:
    def __init__(self, folder: Path) -> None:
        self.folder, self.root, self.cluster = folder, folder / "root", folder / "slurm"
        target = folder / "target"
        target.mkdir()
        site = self.root / "config" / "sites" / "bench"
        (site / "targets").mkdir(parents=True)
        (self.root / "config" / "suites").mkdir()
        (site / "site.yaml").write_text(SITE.format(root=ROOT, environment=json.dumps(ENVIRONMENT)))
        text = f"target: memory\nkind: memory\ndescription: tmpfs\npath: {target}\n"
        (site / "targets" / "memory.yaml").write_text(text)
        self.environment = dict(os.environ) | {
            "PATH": f"{self.cluster}/bin:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
        }

    def call(self, *arguments: str | Path) -> str:
        done = subprocess.run(
            [str(word) for word in arguments],
            cwd=self.root,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(map(str, arguments))}: {done.stderr}{done.stdout}")
        return done.stdout

    def weir(self, *arguments: str | Path) -> list[str | Path]:
        return [sys.executable, "-m", "weir", *arguments]

    def plan(self, name: str, stack: str, first: int, cells: int) -> Path:
        """A plan of so many cells that differ in their number of segments."""
        segments = list(range(first, first + max(1, cells // 2)))
        text = SUITE.format(name=name, segments=segments)
        if cells == 1:
            text = text.replace("[4 KiB, 8 KiB]", "[4 KiB]")
        (self.root / "config" / "suites" / f"{name}.yaml").write_text(text)
        config = self.root / "config" / "config.yaml"
        config.write_text(f"site: bench\nsuites: [{name}]\nstacks: [{stack}]\n")
        file = self.root / f"{name}.json"
        self.call(*self.weir("plan", "--out", file))
        return file

    def in_an_allocation(self, plan: Path, results: Path) -> float:
        began = time.perf_counter()
        self.call(
            "salloc", "-Q", "-N2", "--exclusive", *self.weir("run", "--plan", plan, "--results", results)
        )
        return time.perf_counter() - began

    def job_per_cell(self, cells: int) -> float:
        plans = [self.plan(f"job-{number}", "together", number + 1, 1) for number in range(cells)]
        results = self.folder / "jobs"
        return sum(self.in_an_allocation(plan, results) for plan in plans)

    def launch_per_cell(self, cells: int) -> float:
        return self.in_an_allocation(self.plan("apart", "apart", 1, cells), self.folder / "launches")

    def together(self, cells: int) -> float:
        return self.in_an_allocation(self.plan("together", "together", 1, cells), self.folder / "together")

    def own_s(self) -> dict[str, list[float]]:
        """Time of opening, moving and closing in each run, as the program itself reports."""
        found: dict[str, list[float]] = {}
        for folder in ("jobs", "launches", "together"):
            files = (self.folder / folder).glob("runs/*/*/summary.json")
            documents = [json.loads(file.read_text()) for file in files]
            found[folder] = [sum(row["total_s"] for row in each["results"]) for each in documents]
        return found

    def clear(self) -> None:
        for folder in ("jobs", "launches", "together"):
            shutil.rmtree(self.folder / folder, ignore_errors=True)


def measure(bench: Bench, cells: Mapping[str, int], rounds: int) -> dict[str, list[float]]:
    """Overhead per cell in seconds, for each method and round."""
    ways = (
        Way("jobs", cells["jobs"], bench.job_per_cell),
        Way("launches", cells["launches"], bench.launch_per_cell),
        Way("together", cells["together"], bench.together),
    )
    overheads: dict[str, list[float]] = {way.name: [] for way in ways}
    for number in range(rounds):
        bench.clear()
        walls_s = {way.name: way.run(way.cells) for way in (ways if number % 2 else reversed(ways))}
        own_s = bench.own_s()
        for way in ways:
            done = len(own_s[way.name])
            if done != way.cells:
                raise SystemExit(f"{way.name}: {done} of {way.cells} cells were measured")
            overheads[way.name].append((walls_s[way.name] - sum(own_s[way.name])) / way.cells)
        print(f"round {number + 1} of {rounds}: load {os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)
    return overheads


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cells", type=int, default=1000, help="cells that share a launch (default 1000)")
    parser.add_argument("--rounds", type=int, default=2)
    args = parser.parse_args()
    if shutil.which("slurmctld", path=f"{os.environ['PATH']}:/usr/sbin") is None:
        print("skipped: slurmctld is not installed; on Debian: apt-get install slurm-wlm munge")
        return
    cells = {"jobs": 4, "launches": 20, "together": args.cells}
    titles = {
        "jobs": "one job per cell",
        "launches": "one allocation, a launch per cell",
        "together": "one allocation, cells share launches",
    }
    folder = Path(tempfile.mkdtemp(prefix="weir-bench-", dir="/dev/shm"))
    bench = Bench(folder)
    load_before = os.getloadavg()[0]
    try:
        bench.call(SANDBOX, "up", bench.cluster, "--nodes", "2")
        overheads = measure(bench, cells, args.rounds)
        jobs = len(json.loads((bench.root / "together.json").read_text())["batches"])
    finally:
        subprocess.run([SANDBOX, "down", bench.cluster], check=False, stdout=subprocess.DEVNULL)
        shutil.rmtree(folder, ignore_errors=True)
    load = f"load {load_before:.1f} before, {os.getloadavg()[0]:.1f} after, on {os.cpu_count()} cores"
    print(
        f"overhead per cell beyond its own I/O, median of {args.rounds} rounds, all between brackets; {load}"
    )
    for name, values in overheads.items():
        each = ", ".join(f"{1e3 * value:.1f}" for value in values)
        print(f"  {titles[name]:38} {1e3 * statistics.median(values):8.1f} ms  [{each}]  {cells[name]} cells")
    for name in ("jobs", "launches"):
        ratios = [one / other for one, other in zip(overheads[name], overheads["together"], strict=True)]
        between = f"[{min(ratios):.0f} to {max(ratios):.0f}]"
        print(f"  {titles[name]} costs {statistics.median(ratios):.0f} times a cell that shares {between}")
    print(f"{args.cells} cells are {jobs} job{'s' * (jobs > 1)} where half an hour is the longest")
    met = statistics.median(overheads["together"]) <= GOAL_S
    print(f"goal of {1e3 * GOAL_S:.0f} ms with cells that share launches: {'met' if met else 'missed'}")


if __name__ == "__main__":
    main()
