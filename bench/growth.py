"""The growth of planning and collecting with cells and records: time and peak memory of each command.

The runs are copies of one real document of weir-io."""

import argparse
import os
import subprocess
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from bench.batches import ROOT, Cost, cost_of, weir
from weir.collect.judged import rows_text
from weir.measure.command import before
from weir.measure.launch import RunEnd, after
from weir.measure.machine.host import host_facts
from weir.measure.session import Execution
from weir.plan import Plan, read_plan
from weir.runs.ledger import end_run

DOCUMENT = ROOT / "tests" / "golden" / "ior" / "weir-io-mpiio.json"
RECORDS_OF_A_RUN = 4  # two iterations of write and read
_BLANKS = str.maketrans("01", " \n")
GOALS = {"plan": (20.0, 300.0), "collect": (10.0, 300.0), "judge again": (30.0, 300.0)}
SUITE = """\
suite: many
question: How does it grow?
experiments:
  all:
    tool: ior
    nodes: [1]
    ppn: [2]
    space:
      api: [MPIIO]
      segments: "SEGMENTS"
      xfer: [16 KiB, 64 KiB, 100 KiB, 256 KiB, 1 MiB, 2 MiB, 4 MiB, 10 MiB]
    fixed:
      block: "= 100 * xfer"
    repetitions: {rounds: 1, iterations: 2}
"""
SITE = """\
site: large
description: A cluster that reaches every cell
partitions:
  compute: {nodes: 1000, cores_per_node: 128, launcher: srun, scheduler: slurm, stacks: [system]}
stacks:
  system:
    programs:
      ior: [weir-io, ior]
"""
TARGET = "target: fast\nkind: parallel\ndescription: A parallel file system\npath: /scratch/weir\n"


def write_configuration(folder: Path, cells: int) -> None:
    """A configuration with so many cells, to a multiple of eight."""
    targets = folder / "sites" / "large" / "targets"
    targets.mkdir(parents=True)
    (folder / "suites").mkdir()
    (folder / "config.yaml").write_text("site: large\nsuites: [many]\n")
    segments = f"[{', '.join(map(str, range(1, cells // 8 + 1)))}]"
    (folder / "suites" / "many.yaml").write_text(SUITE.replace('"SEGMENTS"', segments))
    (targets.parent / "site.yaml").write_text(SITE)
    (targets / "fast.yaml").write_text(TARGET)


def write_runs(plan: Plan, results: Path, first: int, last: int) -> None:
    """Finished runs of some cells of the plan, as `weir run` leaves them."""
    target = plan.site.targets["fast"]
    host = host_facts(results)
    for number, cell in enumerate(plan.cells[first:last], start=first):
        folder = results / "runs" / cell.cell / "000"
        folder.mkdir(parents=True)
        # No two runs print the same, or they are copies.
        (folder / "summary.json").write_bytes(
            DOCUMENT.read_bytes() + f"{number:b}".translate(_BLANKS).encode()
        )
        (folder / "stdout.txt").touch()
        (folder / "stderr.txt").touch()
        known = before(Execution(cell, 0, 0), target, 1, ["srun", "weir-io", "ior"], {}) | {"host": host}
        ending = RunEnd(0, False, datetime(2026, 1, 1, tzinfo=UTC), 1.5)
        end_run(folder, after(known, ending, folder), rows_text)


def plan_cells(size: int, folder: Path) -> dict[str, Cost]:
    """The cost of a plan of so many cells, from YAML to plan.json."""
    config, planned = folder / "many", folder / "plan.json"
    write_configuration(config, size)
    costs = {"plan": cost_of(weir("plan", "--config-dir", str(config), "--out", str(planned)), folder)}
    planned.unlink()
    return costs


def grow(size: int, folder: Path) -> dict[str, Cost]:
    """The cost of a plan of so many cells, and of collecting so many records of another."""
    costs = plan_cells(size, folder)
    runs = size // RECORDS_OF_A_RUN
    few, results = folder / "few", folder / "large"
    write_configuration(few, runs)
    plan_file = results / "study" / "plan.json"
    cost_of(weir("plan", "--config-dir", str(few), "--out", str(plan_file)), folder)
    plan = read_plan(plan_file)
    collect = weir("collect", "--plan", str(plan_file), "--results", str(results))
    collect += ["--out", str(plan_file.with_name("records.csv"))]
    write_runs(plan, results, 0, runs)
    costs["collect"] = cost_of(collect, folder)
    costs["judge again"] = cost_of([*collect, "--judge-again"], folder)
    return costs


def table(costs: Sequence[tuple[str, int, Cost]]) -> str:
    """The file that the figure is drawn from."""
    lines = [
        f"{what},{size},{cost.time_s:.2f},{cost.cpu_s:.2f},{cost.peak_mib:.0f},{GOALS[what][0]:g},{GOALS[what][1]:g}"
        for what, size, cost in costs
    ]
    return "\n".join(["what,size,time_s,cpu_s,peak_mib,goal_s,goal_mib", *lines]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    sizes = [1_000, 10_000, 100_000]
    parser.add_argument("--sizes", type=int, nargs="+", default=sizes, help="numbers of cells and of records")
    parser.add_argument("--only", choices=["plan"], help="no records: for a million cells")
    parser.add_argument("--figure", type=Path, help="draw it there, as SVG; a table goes beside it")
    parser.add_argument("--before", type=Path, help="such a table of an earlier version, drawn with it")
    args = parser.parse_args()
    print(
        f"{'':14} {'cells or records':>16} {'time':>9} {'of CPUs':>9} {'peak memory':>12}   goal at 100,000"
        f"   load {os.getloadavg()[0]:.1f}"
    )
    costs: list[tuple[str, int, Cost]] = []
    for size in args.sizes:
        with tempfile.TemporaryDirectory(prefix="weir-bench-growth-") as name:
            for what, cost in (plan_cells if args.only else grow)(size, Path(name)).items():
                goal_s, goal_mib = GOALS[what]
                line = (
                    f"{what:14} {size:16,} {cost.time_s:7.1f} s {cost.cpu_s:7.1f} s {cost.peak_mib:8.0f} MiB"
                )
                print(f"{line}   {goal_s:g} s, {goal_mib:g} MiB", flush=True)
                costs.append((what, size, cost))
    if args.figure:
        args.figure.parent.mkdir(parents=True, exist_ok=True)
        csv = args.figure.with_suffix(".csv")
        csv.write_text(table(costs))
        files = [csv, args.figure, *filter(None, [args.before])]
        subprocess.run(["Rscript", "bench/growth.R", *map(Path.resolve, files)], cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
