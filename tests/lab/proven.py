"""What a suite proves on each file system of the lab, by user: bench/results/lab_quick.csv.

    python -m tests.lab prove [--suites quick] [--rounds 10] [NAME...]

Each file system runs alone, and ends before the next one starts. A row of the table is replaced when its
target and user are measured again; `python -m bench.tables` puts the table into docs/how-to/lab.md.
"""

import json
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import yaml

from bench.tables import replace_rows
from tests.lab.filesystem import FileSystem, Share, alone, chosen
from tests.lab.machine import ROOT, LabError, Machine
from tests.lab.weir_runs import measured

TABLE = ROOT / "bench/results/lab_quick.csv"
USERS = ("root", "nobody")
ACCESSES = {"write": "sent_bytes", "read": "received_bytes"}
HEAD = ("target", "client", "user", "rounds", "proven", *ACCESSES, "client's own counters")
KEYS = ("target", "user")
_LIMIT_S = 7200  # of a user
_OWN = ("payload", "traffic")  # of the mount, not of the node
_CONNECTIONS = "connections"
_NOTHING = "none"

Row = dict[str, str]


def prove(names: Sequence[str], suite: str, rounds: int) -> list[str]:
    """The file systems that failed: the others are measured all the same."""
    failed = []
    for file_system in chosen(names):
        try:
            with alone(file_system) as machine:
                for user in USERS:
                    began_s = time.monotonic()
                    replace_rows(_measured_rows(file_system, machine, user, suite, rounds), TABLE, KEYS, HEAD)
                    print(f"{file_system.name} as {user}: {time.monotonic() - began_s:.0f} s", flush=True)
        except LabError as error:
            print(f"{file_system.name}: {error}", file=sys.stderr, flush=True)
            failed.append(file_system.name)
    return failed


def _measured_rows(
    file_system: FileSystem, machine: Machine, user: str, suite: str, rounds: int
) -> list[Row]:
    """The suite with as many rounds of every cell, and one target after the other in each of them."""
    config = machine.home / "config"
    declared = yaml.safe_load((ROOT / f"config/suites/{suite}.yaml").read_text())
    for experiment in declared["experiments"].values():
        experiment["repetitions"] = {"rounds": rounds}
    machine.write(config / "suites" / f"{suite}.yaml", yaml.safe_dump(declared))
    _, records = measured(machine, user, config, suite, list(file_system.targets), limit_s=_LIMIT_S)
    results = machine.home / f"{user}-{suite}" / "results"
    found = []
    for target, share in file_system.targets.items():
        own = [row for row in records if row["target"] == target and row["access"] in ACCESSES]
        phases = [phase for row in own for phase in _phases(machine, results, row)]
        found.append(row_of(target, user, rounds, share, own, phases))
        print("  ".join(found[-1].values()), flush=True)
        for row in (row for row in own if not is_proven(row)):
            print(f"  {why_not(row)}", flush=True)
    return found


def _phases(machine: Machine, results: Path, record: Mapping[str, str]) -> list[Mapping[str, Any]]:
    """The one of the record; none where the program ended before it had a result."""
    document = json.loads(machine.read(results / record["source"]))
    return [
        phase
        for phase in document["results"]
        if phase["access"] == record["access"] and str(phase["iteration"]) == record["iteration"]
    ]


def is_proven(record: Mapping[str, str]) -> bool:
    return record["verdict"] == "VALID" and record["proof"] == "servers"


def why_not(record: Mapping[str, str]) -> str:
    """The verdict of a record that is not proven, and its reasons or the evidence that it lacks."""
    why = f"{record['reasons']} {record['evidence']}" if record["reasons"] else f"missing {record['missing']}"
    return f"{record['verdict']} {record['access']} {record['source']}: {why}"


def row_of(
    target: str,
    user: str,
    rounds: int,
    share: Share,
    records: Sequence[Mapping[str, str]],
    phases: Sequence[Mapping[str, Any]],
) -> Row:
    """Phases: of the documents of weir-io, one for each record that has a result."""
    proven = sum(map(is_proven, records))
    by_connections = {access: _range(ratios(phases, access, share, True)) for access in ACCESSES}
    by_client = [f"{access} {_range(ratios(phases, access, share, False))}" for access in ACCESSES]
    client = {one["observer"] for phase in phases for one in _observers(phase) if _counts(one, False)}
    values = (
        target,
        ", ".join(sorted(client)) or _NOTHING,
        user,
        str(rounds),
        f"{proven} of {len(records)}",
        *by_connections.values(),
        "; ".join(by_client) if client else _NOTHING,
    )
    return dict(zip(HEAD, values, strict=True))


def ratios(
    phases: Iterable[Mapping[str, Any]], access: str, share: Share, of_connections: bool
) -> list[float]:
    """Bytes counted for each byte claimed, less what the client adds to it (copies, parity)."""
    return [
        one[ACCESSES[access]] / phase["moved_bytes"] / getattr(share, access)
        for phase in phases
        if phase["access"] == access and phase["moved_bytes"]
        for one in _observers(phase)
        if _counts(one, of_connections)
    ]


def _observers(phase: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    return (phase["observed"].get("servers") or {}).get("observers") or ()


def _counts(one: Mapping[str, Any], of_connections: bool) -> bool:
    same = (one["observer"] == _CONNECTIONS) == of_connections
    return same and one["counted"] in _OWN and None not in (one["sent_bytes"], one["received_bytes"])


def _range(values: Sequence[float]) -> str:
    """Least, median and most."""
    if not values:
        return _NOTHING
    return ", ".join(f"{value:.3f}" for value in (min(values), median(values), max(values)))
