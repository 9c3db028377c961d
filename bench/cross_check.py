"""Cross-check of weir-io and the original programs, per interface, on tmpfs and on a disk.

IOR=PROGRAM MDTEST=PROGRAM BENCHTOOL=PROGRAM name the originals; else ior, mdtest and benchtool on the PATH
are found. Both programs measure each cell in turns, as a stack with a `cross_check` does; the answer per
interface is the line that `weir collect` prints. A quiet machine is needed: noise leaves cells undecided.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from bench.engine_table import ENVIRONMENT, LAUNCH, ROOT, original
from weir.decide.compare.cross_check import agreements
from weir.plan import read_plan
from weir.records.model import Cell

VARIABLES = {"ior": "IOR", "mdtest": "MDTEST", "netcdf-bench": "BENCHTOOL"}
NAMES = {"ior": "ior", "mdtest": "mdtest", "netcdf-bench": "benchtool"}
ITERATIONS = 4  # of one launch, where the original has iterations: a launch takes as long as three of them


def experiments(rounds: int) -> dict[str, dict[str, Any]]:
    """The experiments of each interface. The disk is measured past the page cache: reads of MPI-IO, HDF5 and
    NetCDF-4 come from memory there, and have none."""
    memory = {"nodes": [1], "ppn": [1, 2], "targets": ["memory"]}
    disk = {"nodes": [1], "ppn": [2], "targets": ["disk"]}
    once = {"repetitions": {"rounds": rounds}}
    repeated = {"tool": "ior", "repetitions": {"rounds": rounds, "iterations": ITERATIONS}}
    shared = {"layout": "shared", "xfer": "1 MiB", "block": "64 MiB", "access": ["write", "read"]}
    names = {"items_per_rank": 20000, "access": ["create", "stat", "remove"]}
    arrays = {"geometry": "100:16:64:250", "sync": False, "access": ["write", "read"]}
    found: dict[str, dict[str, Any]] = {}
    for interface, api in (("posix", "POSIX"), ("mpi-io", "MPIIO"), ("hdf5", "HDF5")):
        on_disk = {"direct": True} if api == "POSIX" else {"access": ["write"]}
        found[f"{interface}-memory"] = {**memory, **repeated, "fixed": {"api": api, **shared}}
        found[f"{interface}-disk"] = {**disk, **repeated, "fixed": {"api": api, **shared, **on_disk}}
    for place, cells in (("memory", memory), ("disk", disk)):
        found[f"mdtest-{place}"] = {**cells, **once, "tool": "mdtest", "fixed": names}
        access = arrays if place == "memory" else {**arrays, "access": ["write"]}
        netcdf = {"tool": "netcdf-bench", "space": {"collective": [False, True]}, "fixed": access}
        found[f"netcdf-bench-{place}"] = {**disk, "targets": [place], **once, **netcdf}
    return found


def site(originals: dict[str, str]) -> dict[str, Any]:
    """This machine, with the originals whose numbers count and weir-io beside all cells."""
    weir_io = str(ROOT / "build/weir-io")
    stack = {
        "description": "The original programs and weir-io",
        "programs": {tool: [program] for tool, program in originals.items()},
        "cross_check": {"programs": {tool: [weir_io, tool] for tool in originals}, "cells": 99},
        "environment": ENVIRONMENT,
        "launcher_options": LAUNCH,
    }
    node = {"nodes": 1, "cores_per_node": 2, "launcher": "mpirun", "scheduler": "local", "stacks": ["both"]}
    return {
        "site": "here",
        "description": "This machine",
        "partitions": {"node": {**node, "launch": "400 ms"}},
        "stacks": {"both": stack},
    }


def configured(folder: Path, targets: dict[str, Path], rounds: int) -> None:
    """The configuration of the study below folder."""
    originals = {tool: original(NAMES[tool], VARIABLES[tool]) for tool in NAMES}
    missing = [NAMES[tool] for tool, program in originals.items() if not program]
    if missing:
        sys.exit(f"not found: {', '.join(missing)}; hint: {', '.join(VARIABLES.values())} name the programs")
    suite = {"suite": "originals", "question": "Do the programs agree?"}
    known = {tool: str(Path(program).resolve()) for tool, program in originals.items() if program}
    documents: dict[str, Any] = {
        "config.yaml": {"site": "here", "suites": ["originals"]},
        "suites/originals.yaml": {**suite, "experiments": experiments(rounds)},
        "sites/here/site.yaml": site(known),
    }
    for name, path in targets.items():
        target = {"target": name, "kind": name, "description": f"{name} of this machine", "path": str(path)}
        documents[f"sites/here/targets/{name}.yaml"] = {
            **target,
            "apis": ["POSIX", "MPIIO", "HDF5", "NETCDF4"],
        }
    for name, document in documents.items():
        file = folder / "config" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(yaml.safe_dump(document, sort_keys=False))


def weir(folder: Path, *arguments: str, limit_s: float | None = None) -> None:
    """One command of weir, ended after limit_s; what it measured until then is kept."""
    command = [sys.executable, "-m", "weir", *arguments]
    process = subprocess.Popen(command, cwd=folder)
    try:
        process.wait(limit_s)
    except subprocess.TimeoutExpired:
        process.terminate()
        process.wait()


def answers(study: Path) -> Iterator[str]:
    """The line of the cross-check of each interface and target, with the cells that do not agree."""
    plan = read_plan(study / "plan.json")
    groups: dict[str, list[Cell]] = {}
    for cell in plan.cells:
        groups.setdefault(cell.experiment, []).append(cell)
    for name, cells in groups.items():
        for found in agreements(cells, plan.site, study.parent):
            ratio = f", ratio {found.ratio:.3f} ({found.low:.3f} to {found.high:.3f})" if found.ratio else ""
            within = f"agree within {found.margin:.3g} % on {found.agree} of {found.cells} cells"
            yield f"{name:20} {found.second} and {found.first} {within}{ratio}"
            yield from (f"    differs    {one}" for one in found.differ)
            yield from (f"    undecided  {one}" for one in found.undecided)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=16)
    parser.add_argument("--minutes", type=float, default=7.0, help="then the measurement ends")
    parser.add_argument("--memory", type=Path, default=Path("/dev/shm/weir-cross-check"))
    parser.add_argument("--disk", type=Path, default=Path("/var/tmp/weir-cross-check/disk"))
    parser.add_argument("--results", type=Path, default=Path("/var/tmp/weir-cross-check/study"))
    requested = parser.parse_args()
    began = time.monotonic()
    shutil.rmtree(requested.results, ignore_errors=True)
    targets = {"memory": requested.memory, "disk": requested.disk}
    for path in targets.values():
        path.mkdir(parents=True, exist_ok=True)
    study = requested.results / "results/here/originals"
    study.mkdir(parents=True)
    configured(requested.results, targets, requested.rounds)
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    print(f"{load}, {requested.rounds} rounds, {ITERATIONS} iterations of IOR and mdtest", flush=True)
    plan = str(study / "plan.json")
    weir(requested.results, "plan", "--out", plan)
    weir(
        requested.results,
        "run",
        "--plan",
        plan,
        "--results",
        str(study.parent),
        "--interleave",
        limit_s=60 * requested.minutes,
    )
    weir(requested.results, "collect", "--plan", plan, "--out", str(study / "records.csv"))
    print(f"\nload {os.getloadavg()[0]:.1f} in the end, {time.monotonic() - began:.0f} s")
    for line in answers(study):
        print(line)


if __name__ == "__main__":
    main()
