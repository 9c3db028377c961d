"""What observing costs a phase on each file system of the lab: bench/evidence.py on its first target.

    python -m tests.lab cost [--pairs 150] [--within DIRECTORY] [NAME...]

Each file system runs alone, on an idle machine. With servers in memory (not CephFS, whose OSDs need O_DIRECT)
fewer pairs suffice, here in a namespace whose mount ends with the command:

    unshare --mount sh -c 'mount -t tmpfs -o size=8g lab /srv && exec "$@"' - \\
        .venv/bin/python -m tests.lab cost --within /srv moosefs
"""

from collections.abc import Sequence
from pathlib import Path

from bench.evidence import build_blind
from tests.lab.filesystem import alone, chosen
from tests.lab.machine import ROOT, LabError
from tests.lab.weir_runs import python_for

_CELLS = 10  # of a batch: seconds, so that both batches of a pair meet the same load
_PAIR_S = 120  # at most, on a busy machine
_SCRIPT = ROOT / "bench/evidence.py"


def cost(names: Sequence[str], pairs: int, within: Path) -> None:
    build_blind()
    for file_system in chosen(names):
        with alone(file_system, within) as machine:
            python = python_for(machine, "root") or []
            folder = f"/mnt/{next(iter(file_system.targets))}/root"
            options = ["--built", "--cells-only", "--pairs", str(pairs), "--cells", str(_CELLS)]
            command = [*python, _SCRIPT, *options, "--block", "64m", "--folder", folder]
            done = machine.run(*command, limit_s=pairs * _PAIR_S)
            print(f"{done.stdout}{done.stderr}", end="", flush=True)
            if done.returncode != 0:
                raise LabError(f"{file_system.name}: {_SCRIPT.name} ended with exit code {done.returncode}")
