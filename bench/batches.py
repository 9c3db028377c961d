"""The cost of batches beyond the programs: many planned, some measured by Snakemake, and some as checks.

python bench/batches.py [--planned 10000] [--measured 20] [--checks 20] writes bench/results/batches.csv. A
measured batch is one write of 64 KiB to tmpfs; the floor is a start of Python that imports weir. A check is a
batch of its own: `reframe -r` starts weir for each, while Snakemake's batches take turns in one.
"""

import argparse
import csv
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = Path(sys.executable).parent
RESULTS = ROOT / "bench/results/batches.csv"
HEAD = ["command", "batches", "seconds", "CPU-s", "per batch, s", "per batch, CPU-s", "peak, MiB"]
_SHAPES = 100  # numbers of ranks; each is a batch of a target
_TRIES = 3


@dataclass(frozen=True)
class Cost:
    """One command with its children."""

    time_s: float
    cpu_s: float
    peak_mib: float


def cost_of(command: Sequence[str], folder: Path, **variables: str) -> Cost:
    # Not the variables of whoever starts this, which may select another configuration.
    environment = {name: text for name, text in os.environ.items() if not name.startswith("WEIR_")}
    environment |= {"PATH": f"{PROGRAMS}:{environment['PATH']}", **variables}
    began_s = time.perf_counter()
    with (folder / "printed.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
        _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} failed:\n{(folder / 'printed.log').read_text()[-2000:]}")
    return Cost(time.perf_counter() - began_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def write(file: Path, content: Mapping[str, object]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(yaml.safe_dump(content, sort_keys=False))


def configure(folder: Path, data: Path, targets: int, ranks: Sequence[int]) -> None:
    """A study directory: each target has one tiny cell for each number of ranks."""
    for number in range(targets):
        name = f"ram-{number:04d}"
        (data / name).mkdir()
        facts = {"target": name, "kind": "memory", "description": "tmpfs", "path": str(data / name)}
        write(folder / f"config/sites/many/targets/{name}.yaml", facts)
    # As of the site "local": a stack of this machine.
    local = yaml.safe_load((ROOT / "config/sites/local/site.yaml").read_text())["stacks"]["debian"]
    stacks = {"system": {**local, "programs": {"ior": [str(ROOT / "build/weir-io"), "ior"]}}}
    partition = {"nodes": 1, "cores_per_node": max(ranks), "launcher": "mpirun", "scheduler": "local"}
    site = {
        "site": "many",
        "description": "One node",
        "partitions": {"node": {**partition, "stacks": ["system"]}},
    }
    write(folder / "config/sites/many/site.yaml", {**site, "stacks": stacks})
    cell = {"api": "POSIX", "xfer": "64 KiB", "block": "64 KiB", "access": ["write"], "sync": True}
    experiment = {"tool": "ior", "nodes": [1], "ppn": [*ranks], "fixed": cell}
    experiment["repetitions"] = {"rounds": 1, "iterations": 1}
    suite = {"suite": "tiny", "question": "What does a batch cost?", "experiments": {"one": experiment}}
    write(folder / "config/suites/tiny.yaml", suite)
    write(folder / "config/config.yaml", {"site": "many", "suites": ["tiny"]})


def weir(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "weir", *arguments]


def snakemake(*arguments: str) -> list[str]:
    return [
        sys.executable,
        "-m",
        "snakemake",
        "-s",
        str(ROOT / "Snakefile"),
        "--cores",
        "1",
        "--quiet",
        "all",
        *arguments,
    ]


def _two_digits(seconds: float) -> str:
    return f"{float(f'{seconds:.2g}'):f}".rstrip("0")


def row(command: str, batches: int, cost: Cost) -> list[str]:
    """One line of the table; without batches, the floor."""
    each = [_two_digits(whole_s / batches) if batches else "" for whole_s in (cost.time_s, cost.cpu_s)]
    whole = [f"{cost.time_s:.1f}", f"{cost.cpu_s:.1f}"]
    return [command, f"{batches:,}" if batches else "", *whole, *each, f"{cost.peak_mib:.0f}"]


def planned(folder: Path, data: Path, batches: int) -> list[list[str]]:
    configure(folder, data, batches // _SHAPES, range(1, _SHAPES + 1))
    study = folder / "results/many/tiny"
    study.mkdir(parents=True)
    plan = cost_of(weir("plan", "--config-dir", "config", "--out", str(study / "plan.json")), folder)
    watched = cost_of(weir("watch", "--once", str(study)), folder)
    shutil.rmtree(folder / "results")
    dry = cost_of(snakemake("--dry-run"), folder)
    costs = {"`weir plan`": plan, "`weir watch --once`": watched, "`snakemake -n`": dry}
    return [row(command, batches, cost) for command, cost in costs.items()]


def measured(folder: Path, data: Path, batches: int) -> list[list[str]]:
    configure(folder, data, batches, [1])
    cost = cost_of(snakemake("--until", "measure", "--", "results/many/tiny/records.csv"), folder)
    receipts = len([*folder.glob("results/many/tiny/batches/*.json")])
    if receipts != batches:
        raise SystemExit(f"{receipts} of {batches} batches left a receipt")
    return [row("`snakemake`, one tiny cell a batch", batches, cost)]


def checked(folder: Path, data: Path, checks: int) -> list[list[str]]:
    configure(folder, data, checks, [1])
    plan, results = folder / "plan.json", folder / "results/many"
    cost_of(weir("plan", "--config-dir", "config", "--out", str(plan)), folder)
    command = [str(PROGRAMS / "reframe"), "-C", str(ROOT / "reframe_checks/settings.py"), "--system", "many"]
    command += ["-c", str(ROOT / "reframe_checks/measure.py"), "--prefix", str(folder / "reframe"), "--run"]
    cost = cost_of(command, folder, WEIR_PLAN=str(plan), WEIR_RESULTS=str(results))
    runs = len([*results.glob("runs/*/000/run.json")])
    if runs != checks:
        raise SystemExit(f"{runs} of {checks} checks left a run")
    return [row("`reframe -r`, one tiny cell a check", checks, cost)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--planned", type=int, default=10_000, help=f"batches, a multiple of {_SHAPES}")
    parser.add_argument("--measured", type=int, default=20, help="batches, each of one write of 64 KiB")
    parser.add_argument("--checks", type=int, default=20, help="the same as checks of ReFrame")
    parser.add_argument("--out", type=Path, default=RESULTS, help="file for the table")
    args = parser.parse_args()
    floors = [cost_of(weir("--version"), Path(tempfile.gettempdir())) for _ in range(_TRIES)]
    rows = [row("`python -m weir --version`", 0, min(floors, key=lambda cost: cost.time_s))]
    for measure, batches in ((planned, args.planned), (measured, args.measured), (checked, args.checks)):
        if not batches:
            continue
        with (
            tempfile.TemporaryDirectory(prefix="weir-bench-batches-") as folder,
            tempfile.TemporaryDirectory(prefix="weir-bench-batches-", dir="/dev/shm") as data,
        ):
            rows += measure(Path(folder), Path(data), batches)
            print(
                "\n".join(" | ".join(one) for one in rows[-3:]),
                f"| load {os.getloadavg()[0]:.1f}",
                flush=True,
            )
    with args.out.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([HEAD, *rows])


if __name__ == "__main__":
    main()
