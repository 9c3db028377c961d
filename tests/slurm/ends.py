"""Signals to `snakemake --profile slurm` at random moments: its jobs and ranks end, and nothing is left.

    python -m tests.slurm.ends [--rounds N] [--kinds KIND,...] [--seed N] [--out FILE.csv]

A measurement of some ten seconds on a private Slurm; each moment lies up to ten seconds behind the start of
the ranks or, in a fifth of the rounds, of the command. What a killed Snakemake leaves in the queue is waited
for (test_faults.py), so KILL is not among the kinds.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.slurm.checkout import Checkout
from tests.slurm.private_slurm import new_cluster
from tests.slurm.test_faults import rank_ids
from tests.workflow.interrupts import ENDS_S, PROMISED_S, Tally, options, write_table
from tests.workflow.processes import until

CELLS, CELL_S = 7, 3
LATEST_S, STARTS_S = 10.0, 180.0
KINDS = {"interrupt": signal.SIGINT, "terminate": signal.SIGTERM, "hang-up": signal.SIGHUP}


def _measures(checkout: Checkout) -> bool:
    return bool(rank_ids(checkout)) or checkout.cluster.out("squeue", "-h") != ""


def _left(checkout: Checkout, process: subprocess.Popen[str]) -> list[str]:
    jobs = checkout.cluster.out("squeue", "-h").splitlines()
    files = [str(file) for file in checkout.target.iterdir()]
    return [*jobs, *map(str, rank_ids(checkout)), *files, *(["snakemake"] if process.poll() is None else [])]


def _clear(checkout: Checkout, process: subprocess.Popen[str]) -> None:
    """So that a problem is counted once."""
    checkout.end()
    checkout.cluster.run("scancel", "--me")
    until(lambda: not _left(checkout, process), ENDS_S)


def one_round(checkout: Checkout, number: signal.Signals, draw: random.Random, tally: Tally) -> None:
    for folder in (checkout.results, checkout.folder / ".snakemake"):
        shutil.rmtree(folder, ignore_errors=True)
    process = checkout.start(*checkout.snakemake_words())
    if draw.random() < 0.8:
        until(lambda: bool(rank_ids(checkout)) or process.poll() is not None, STARTS_S)
    time.sleep(draw.uniform(0, LATEST_S))
    if process.poll() is not None:
        tally.problems.append(f"it had ended by itself: {process.communicate()[0][-1500:]}")
        return
    ended = checkout.finished()
    os.killpg(process.pid, number)
    began = time.monotonic()
    tally.late += not until(lambda: not _measures(checkout), PROMISED_S)
    until(lambda: not _measures(checkout), ENDS_S)
    tally.longest_s = max(tally.longest_s, time.monotonic() - began)
    print(f"  {len(ended)} executions: {time.monotonic() - began:.2f} s", flush=True)
    tally.rounds += 1
    tally.measuring += bool(ended)
    if not until(lambda: not _left(checkout, process), ENDS_S):
        tally.ignored += _measures(checkout)
        tally.problems.append(f"{ENDS_S:g} s later there is {_left(checkout, process)}")
        _clear(checkout, process)
    printed, _ = process.communicate()
    if ended - checkout.finished():
        tally.problems.append("executions were lost")
    if "Traceback" in printed:
        tally.problems.append(printed[-1500:])


def main() -> int:
    args = options(__doc__, KINDS)
    draw, tallies = random.Random(args.seed), {name: Tally() for name in args.kinds.split(",")}
    cluster = new_cluster()
    cluster.up("--nodes", "4")
    folder = Path(tempfile.mkdtemp(prefix="weir-ends-", dir="/var/tmp"))
    try:
        checkout = Checkout.make(folder / "weir", cluster)
        checkout.slow_down(CELL_S)
        checkout.suite([2], [1], cells=CELLS)
        for _ in range(args.rounds):
            for name, tally in tallies.items():
                seen = len(tally.problems)
                one_round(checkout, KINDS[name], draw, tally)
                for problem in tally.problems[seen:]:
                    print(f"{name}, round {tally.rounds}: {problem}", flush=True)
    finally:
        cluster.down()
        shutil.rmtree(folder)
        shutil.rmtree(cluster.folder, ignore_errors=True)
    write_table(tallies, args.out)
    return 1 if any(tally.problems for tally in tallies.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
