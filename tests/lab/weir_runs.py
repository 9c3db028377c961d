"""weir in a machine of the lab, as root or as an ordinary user."""

import csv
import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.lab.filesystem import SITE
from tests.lab.machine import ROOT, LabError, Machine

_SYSTEM_PYTHON = Path("/usr/bin/python3")
_PLAN_S, _RUN_S = 300, 900
LIMIT = "180 s"  # servers and clients share the cores with all other tests


def suite(name: str, question: str, **experiments: dict[str, Any]) -> dict[str, Any]:
    return {"suite": name, "question": question, "experiments": experiments}


def ior(
    block: str, apis: Sequence[str] = ("POSIX",), access: Sequence[str] = ("write", "read"), **fixed: bool
) -> dict[str, Any]:
    """An experiment of two ranks, which synchronise what they write."""
    moved = {"access": [*access], "xfer": "1 MiB", "block": block, "sync": True}
    shape = {"tool": "ior", "nodes": [1], "ppn": [2], "timeout": LIMIT}
    return shape | {"space": {"api": [*apis]}, "fixed": moved | fixed}


def python_for(machine: Machine, user: str) -> list[str] | None:
    """The environment's interpreter, or that of the system with its packages."""
    version = "{}.{}".format(*sys.version_info)
    packages = ROOT / ".venv/lib" / f"python{version}" / "site-packages"
    own = ["env", f"PYTHONPATH={ROOT}", str(ROOT / ".venv/bin/python")]
    other = ["env", f"PYTHONPATH={ROOT}:{packages}", str(_SYSTEM_PYTHON)]
    # By a shell: the first program that setpriv starts has rights that the next one has not.
    check = "import sys, weir.cli; sys.exit(sys.argv[1] != '{}.{}'.format(*sys.version_info))"
    for command in (own, other):
        arguments = ["sh", "-c", '"$@"', "sh", *command, "-c", check, version]
        if machine.run(*arguments, user=user).returncode == 0:
            return command
    return None


def weir(machine: Machine, user: str, *arguments: str | Path, limit_s: float = _RUN_S) -> str:
    """What a subcommand prints that has to succeed."""
    python = python_for(machine, user)
    if python is None:
        raise LabError(
            f"{ROOT / '.venv'}: user {user} may not run its interpreter, nor has {_SYSTEM_PYTHON} its version"
        )
    done = machine.run(*python, "-m", "weir", *arguments, user=user, limit_s=limit_s)
    if done.returncode != 0:
        raise LabError(
            f"weir {arguments[0]} as {user}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
        )
    return done.stdout


def where(config: Path, site: str, suite: str, targets: Sequence[str], results: Path) -> list[str | Path]:
    """Options of weir plan."""
    chosen = [word for target in targets for word in ("--target", target)]
    return ["--config-dir", config, "--site", site, "--suite", suite, *chosen, "--results", results]


def records_of(machine: Machine, table: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(machine.read(table))))


def measured(
    machine: Machine,
    user: str,
    config: Path,
    suite: str,
    targets: Sequence[str],
    again: bool = False,
    limit_s: float = _RUN_S,
    run: Sequence[str] = (),
) -> tuple[int, list[dict[str, str]]]:
    """Planned cells, and the records of plan, run and collect; again: of new runs; run: options of it."""
    folder = machine.home / f"{user}-{suite}{'-again' if again else ''}"
    machine.out("install", "-d", "-o", user, folder)
    plan = folder / "plan.json"
    weir(machine, user, "plan", *where(config, SITE, suite, targets, folder), "--out", plan, limit_s=_PLAN_S)
    weir(machine, user, "run", "--plan", plan, "--results", folder / "results", *run, limit_s=limit_s)
    table = folder / "records.csv"
    weir(machine, user, "collect", "--plan", plan, "--results", folder / "results", "--out", table)
    batches = json.loads(machine.read(plan))["batches"]
    return sum(len(batch["cells"]) for batch in batches), records_of(machine, table)
