"""A guest's time of day is set by ten minutes, forth and back, while weir measures in it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.lab.conftest import started
from tests.lab.filesystem import SITE
from tests.lab.machine import ROOT, Machine
from tests.lab.test_stopped_machine import GUEST
from tests.lab.weir_runs import measured, weir

pytestmark = pytest.mark.weekly
STEP_S = 600
SUITE: dict[str, Any] = {
    "suite": "lab-steps",
    "question": "Does anything go by the time of day?",
    "experiments": {
        "ior": {
            "tool": "ior",
            "nodes": [1],
            "ppn": [1],
            "space": {"xfer": ["1 MiB", "2 MiB"]},
            # One or two seconds for each access.
            "fixed": {"access": ["write", "read"], "block": "8 MiB", "sync": True, "rate": 4, "api": "POSIX"},
            "repetitions": {"rounds": 3},
        }
    },
}
# Sets the clock forth or back, and back again, until the file is gone; a line for each: uptime, and by what.
STEPS = """\
off=0
while [ -e "$1" ]; do
    sleep 1
    if [ "$off" = 0 ]; then off=$2; else off=$((-off)); fi
    date --set="@$(($(date +%s) + off))" >/dev/null && echo "$(cut -d ' ' -f 1 /proc/uptime) $off"
    sleep 1
    date --set="@$(($(date +%s) - off))" >/dev/null && echo "$(cut -d ' ' -f 1 /proc/uptime) $((-off))"
done >"$3"
"""


@dataclass(frozen=True)
class Steps:
    """The records, the steps that were made, and the run files in the order of the ledger."""

    records: list[dict[str, str]]
    offs_s: list[int]
    documents: list[dict[str, Any]]
    verified: str


def configure(machine: Machine) -> Path:
    config = machine.home / "config"
    site = yaml.safe_load((ROOT / "config/sites" / SITE / "site.yaml").read_text())
    target = {"target": "memory", "kind": "memory", "description": "tmpfs of the guest", "apis": ["POSIX"]}
    target |= {"path": "/dev/shm/weir-root/steps", "prepare": [["mkdir", "-p", "/dev/shm/weir-root/steps"]]}
    machine.write(config / "suites" / f"{SUITE['suite']}.yaml", yaml.safe_dump(SUITE))
    machine.write(config / "sites" / SITE / "site.yaml", yaml.safe_dump(site))
    machine.write(config / "sites" / SITE / "targets" / "memory.yaml", yaml.safe_dump(target))
    return config


@pytest.fixture(scope="module")
def steps() -> Iterator[Steps]:
    with started(GUEST) as machine:
        config, runs = configure(machine), machine.home / "runs"
        machine.write(runs, "")
        machine.write(machine.home / "steps.sh", STEPS)
        command = ["sh", machine.home / "steps.sh", runs, str(STEP_S), machine.home / "steps"]
        machine.out("sh", "-c", 'setsid "$@" </dev/null >/dev/null 2>&1 &', "sh", *command)
        _, records = measured(machine, "root", config, SUITE["suite"], ["memory"])
        results = machine.home / f"root-{SUITE['suite']}" / "results"
        machine.out("rm", runs)
        ledger = [json.loads(line) for line in machine.read(results / "ledger.jsonl").splitlines()]
        files = [results / "runs" / one["cell"] / f"{one['run']:03d}" / "run.json" for one in ledger]
        documents = [json.loads(machine.read(file)) for file in files]
        made = [int(line.split()[1]) for line in machine.read(machine.home / "steps").splitlines()]
        yield Steps(records, made, documents, weir(machine, "root", "verify", results.parent))


def test_the_clock_was_set_forth_and_back_while_it_measured(steps: Steps) -> None:
    assert steps.offs_s.count(STEP_S) >= 3
    assert steps.offs_s.count(-STEP_S) >= 3
    assert sum(one["elapsed_s"] for one in steps.documents) > 9


def test_no_run_failed_or_met_its_limit(steps: Steps) -> None:
    assert [one["status"] for one in steps.documents] == ["done"] * 6
    assert all(0 < one["elapsed_s"] < 60 for one in steps.documents)


def test_runs_began_in_the_order_of_the_ledger_within_the_time_that_it_took(steps: Steps) -> None:
    began = [datetime.fromisoformat(one["began"]) for one in steps.documents]
    assert began == sorted(began)
    assert (began[-1] - began[0]).total_seconds() < STEP_S / 2


def test_no_verdict_goes_by_the_clock(steps: Steps) -> None:
    assert len(steps.records) == 12
    assert [row["reasons"] for row in steps.records if "clock" in row["reasons"]] == []
    assert {row["verdict"] for row in steps.records} == {"VALID"}, [row["reasons"] for row in steps.records]


def test_the_study_is_as_it_was_collected(steps: Steps) -> None:
    assert "files compared, 0 differ" in steps.verified
