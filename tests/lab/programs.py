"""What weir prove counts of programs on each file system of the lab: bench/results/prove_programs.csv.

    python -m tests.lab programs [--only PATTERN] [NAME...]

Each file system runs alone, and ends before the next one starts. `python -m bench.tables` puts rows of the
table into docs/how-to/prove.md.
"""

import csv
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.prove_programs import HEAD, KEYS, RESULTS, prepare
from bench.tables import replace_rows
from tests.lab.filesystem import FileSystem, alone, chosen
from tests.lab.machine import ROOT, Machine
from tests.lab.weir_runs import python_for

_LIMIT_S = 3600  # of all programs on a target
_SCRIPT = ROOT / "bench/prove_programs.py"


def run_programs(names: Sequence[str], only: str) -> None:
    for file_system in chosen(names):
        with (
            alone(file_system) as machine,
            tempfile.TemporaryDirectory(prefix="lab-inputs-", dir=ROOT / "build") as inputs,
        ):
            prepare(Path(inputs))  # here, since a guest is slow
            for target in _one_of_each_type(machine, file_system):
                _on(machine, target, Path(inputs), only)


def _one_of_each_type(machine: Machine, file_system: FileSystem) -> list[str]:
    """The table has one row of a type: exports that differ in a setting alone are not told apart there."""
    types: dict[str, str] = {}
    for target in file_system.targets:
        type_ = machine.out("findmnt", "--noheadings", "--output=FSTYPE", f"/mnt/{target}")
        types.setdefault(type_, target)
    return list(types.values())


def _on(machine: Machine, target: str, inputs: Path, only: str) -> None:
    table = machine.folder / f"{target}.csv"  # which a guest shares
    python = python_for(machine, "root") or []
    options = ["--only", only, "--table", table, "--inputs", inputs, f"/mnt/{target}/root"]
    done = machine.run(*python, _SCRIPT, *options, limit_s=_LIMIT_S)
    print(f"{target}:\n{done.stdout}{done.stderr}", end="", flush=True)
    if table.is_file():  # some program was there, and ended well
        with table.open(newline="") as stream:
            replace_rows(list(csv.DictReader(stream)), RESULTS, KEYS, HEAD)
