"""How long planning takes: a suite of 10,000 cells, from YAML to plan.json, each step on its own."""

from __future__ import annotations

import argparse
import tempfile
import time
from itertools import pairwise
from pathlib import Path

from weir.config import load_config
from weir.plan import make_plan, read_plan, write_plan

GOAL_S = 10.0
SUITE = """\
suite: many
question: How long does it take to plan ten thousand cells?
experiments:
  all:
    tool: ior
    nodes: [{counts}]
    ppn: [{counts}]
    space:
      api: [POSIX, MPIIO]
      layout: [shared, file-per-process]
      order: [sequential, random]
      xfer: [16 KiB, 64 KiB, 100 KiB, 256 KiB, 1 MiB, 2 MiB, 4 MiB, 10 MiB]
    fixed:
      block: "= 100 * xfer"
    where:
      - exclude: api == 'MPIIO' and layout == 'file-per-process'
        because: MPI-IO exists for shared files
    repetitions: {{rounds: 5, iterations: 2}}
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
TARGET = """\
target: {name}
kind: parallel
description: A parallel file system
path: /scratch/{name}/weir
"""


def checkout(folder: Path, counts: int) -> Path:
    """A checkout that holds only what planning reads."""
    numbers = ", ".join(str(number) for number in range(1, counts + 1))
    targets = folder / "config" / "sites" / "large" / "targets"
    targets.mkdir(parents=True)
    (folder / "config" / "suites").mkdir()
    (folder / "config" / "config.yaml").write_text("site: large\nsuites: [many]\n")
    (folder / "config" / "suites" / "many.yaml").write_text(SUITE.format(counts=numbers))
    (targets.parent / "site.yaml").write_text(SITE)
    for name in ("fast", "slow"):
        (targets / f"{name}.yaml").write_text(TARGET.format(name=name))
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--counts", type=int, default=11, help="values of nodes and of ppn; 11 give 11,616 cells"
    )
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="weir-bench-plan-") as name:
        root = checkout(Path(name), args.counts)
        marks = [time.perf_counter()]
        config = load_config(root=root, environment={})
        marks.append(time.perf_counter())
        plan = make_plan(config)
        marks.append(time.perf_counter())
        write_plan(plan, root / "plan.json")
        marks.append(time.perf_counter())
        read_plan(root / "plan.json")
        marks.append(time.perf_counter())
        size_mib = (root / "plan.json").stat().st_size / 2**20
    steps = [after - before for before, after in pairwise(marks)]
    print(f"{plan.cost.points:,} combinations, {plan.cost.cells:,} cells, {len(plan.batches):,} batches")
    for what, step_s in zip(
        ("read and check", "plan", "write plan.json", "read it back"), steps, strict=True
    ):
        print(f"  {what:16} {step_s:6.2f} s")
    print(f"  {'all':16} {sum(steps):6.2f} s; goal {GOAL_S:g} s; plan.json {size_mib:.1f} MiB")


if __name__ == "__main__":
    main()
