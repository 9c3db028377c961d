"""A scheduler and a launcher are one file each: added to a copy of the checkout, they carry a measurement."""

import json

import pytest

from tests.workflow.conftest import SITE, Checkout
from tests.workflow.reframe_results import measure

# A queue that notes what is submitted to it, and starts it at once.
SCHEDULER = """
import os
from pathlib import Path

from weir.site.schedulers import ENDED, RUNNING, JobState, Scheduler, answer

START = 'LEDGER_JOB=7 LEDGER_NODES="$1" setsid bash "$0" >"$2" 2>&1 & echo $!'


class Ledger(Scheduler):
    name = "ledger"
    description = "writes each job into a file"
    queued = True
    command = "bash"
    job_variable = "LEDGER_JOB"
    nodefile_variable = "LEDGER_NODES"

    def submission(self, request, files):
        with Path(os.environ["LEDGER"]).open("a") as stream:
            stream.write(" ".join(request.options) + chr(10))
        nodes = files.script.with_suffix(".nodes")
        nodes.write_text("ledger-node 4" + chr(10))
        return ["bash", "-c", START, str(files.script), str(nodes), f"{files.log}.queue"]

    def state(self, job):
        found = answer(["ps", "-o", "stat=", "-p", job])
        return JobState(ENDED if found[:1] in ("", "Z") else RUNNING)

    def placement(self, options, environment):
        return {"requested": {"options": list(options)}, "groups": []}


SCHEDULER = Ledger()
"""
LAUNCHER = """
from weir.site.launchers import Launcher
from weir.site.launchers.mpirun import LAUNCHER as MPIRUN


def command(nodes, ppn, options, environment):
    return ["env", "STARTED_BY=relay", *MPIRUN.command(nodes, ppn, options, environment)]


LAUNCHER = Launcher(command=command, environment=MPIRUN.environment)
"""


@pytest.mark.slow
def test_a_scheduler_and_a_launcher_are_one_file_each(tiny: Checkout) -> None:
    tiny.write("weir/site/schedulers/ledger.py", SCHEDULER)
    tiny.write("weir/site/launchers/relay.py", LAUNCHER)
    with tiny.edited(SITE) as site:
        (partition,) = site["partitions"].values()
        partition |= {"scheduler": "ledger", "launcher": "relay", "scheduler_options": ["--account=me"]}
    ledger = tiny.root / "ledger.txt"
    measure(tiny, environment={"LEDGER": str(ledger), "WEIR_SUITES": "tiny"}).ended("OK")
    assert ledger.read_text() == "--account=me\n"
    documents = [json.loads(file.read_text()) for file in tiny.root.glob("results/local/runs/*/*/run.json")]
    assert len(documents) == 4
    for document in documents:
        assert document["command"][:2] == ["env", "STARTED_BY=relay"]
        assert document["host"]["nodes"] == "ledger-node"
        assert document["host"]["placement"]["requested"] == {"options": ["--account=me"]}


@pytest.mark.slow
def test_a_scheduler_with_the_name_of_another_file_is_refused(tiny: Checkout) -> None:
    tiny.write("weir/site/schedulers/pbs.py", SCHEDULER)
    done = tiny.weir("plan", "--out", "plan.json", code=1)
    assert "the scheduler of weir/site/schedulers/pbs has the name 'ledger'" in done.stderr
    assert "write name = 'pbs'" in done.stderr
