"""An attacker with write access to the target replaces directories by links to a victim while weir deletes.

    python -m tests.swap_attack [--rounds N]

The attacker is a process of its own. It runs against two deletions: weir's, and for comparison one by paths,
which checks the marker and then deletes. The second one shows that the attack works.
"""

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.workflow.processes import until
from weir.base.errors import WeirError
from weir.measure.clean_up.directories import MARKER, Workspace

# What is exchanged: the workspace, or the folder of one run below it.
AIMS = ("workspace", "run")
_ATTACK = """
import os, sys
aim, aside, victim, swaps = sys.argv[1:]
count = 0
seen = os.open(swaps, os.O_WRONLY | os.O_CREAT, 0o600)
while os.path.exists(victim):
    try:
        os.rename(aim, aside)
        os.symlink(victim, aim)
        count += 1
        os.pwrite(seen, count.to_bytes(8, "little"), 0)
    except OSError: pass
    try: os.unlink(aim)
    except OSError: pass
    try: os.rename(aside, aim)
    except OSError: pass
"""
_ENDS_S = 60.0
_MOST_ROUNDS = 100  # times as many rounds as requested, where the attacker gets no processor in between


@dataclass(frozen=True)
class Result:
    """victims: rounds after which the victim's file was gone; swaps: links that the attacker put in place."""

    rounds: int
    swaps: int
    victims: int


def by_descriptors(workspace: Workspace) -> None:
    """What weir does."""
    folder = workspace.folder / "cell-000"
    with contextlib.suppress(OSError, WeirError):
        workspace.remove_run(folder)
    with contextlib.suppress(OSError, WeirError):
        workspace.remove()


def by_paths(workspace: Workspace) -> None:
    """The comparison: a check of the marker, and a deletion that looks the same path up again."""
    with contextlib.suppress(OSError, ValueError):
        folder = workspace.folder
        if not folder.is_symlink() and json.loads((folder / MARKER).read_text())["owner"]:
            for path in (folder / "cell-000", folder):
                for entry in os.listdir(path):
                    with contextlib.suppress(OSError):
                        (path / entry).unlink()
            shutil.rmtree(folder, ignore_errors=True)


def attacked(rounds: int, aim: str, delete: Callable[[Workspace], None]) -> Result:
    """Create and delete a workspace with data in each round."""
    with tempfile.TemporaryDirectory(prefix="weir-swap-") as name:
        victim, target, swaps = Path(name, "victim"), Path(name, "target"), Path(name, "swaps")
        victim.mkdir()
        target.mkdir()
        workspace = Workspace(target, Path(name, "results"), "b")
        exchanged = workspace.folder if aim == "workspace" else workspace.folder / "cell-000"
        aside = target / "aside" if aim == "workspace" else workspace.folder / "aside"
        victims = 0
        with _attacker(exchanged, aside, victim, swaps):
            done = 0
            while done < rounds or (not _count(swaps) and done < _MOST_ROUNDS * rounds):
                done += 1
                (victim / "data").write_text("years of work")
                (victim / MARKER).write_text(json.dumps({"owner": workspace._owner}))  # copied from us
                with contextlib.suppress(OSError, WeirError):
                    workspace.claim()
                    folder = workspace.run_folder("cell", 0)
                    (folder / "data").write_bytes(b"x")
                delete(workspace)
                victims += not (victim / "data").exists()
                shutil.rmtree(target / "aside", ignore_errors=True)
        return Result(done, _count(swaps), victims)


def _count(swaps: Path) -> int:
    return int.from_bytes(swaps.read_bytes(), "little")


@contextlib.contextmanager
def _attacker(exchanged: Path, aside: Path, victim: Path, swaps: Path) -> Iterator[None]:
    command = [sys.executable, "-c", _ATTACK, *map(str, (exchanged, aside, victim, swaps))]
    process = subprocess.Popen(command)
    try:
        until(swaps.exists)
        yield
    finally:
        shutil.rmtree(victim, ignore_errors=True)
        process.wait(_ENDS_S)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=10_000, help="rounds of each kind (default: 10000)")
    args = parser.parse_args()
    lost = 0
    for aim in AIMS:
        for name, delete in (("weir", by_descriptors), ("by paths", by_paths)):
            result = attacked(args.rounds, aim, delete)
            lost += result.victims if delete is by_descriptors else 0
            print(
                f"{name:9} {aim:10} {result.rounds} rounds, {result.swaps} swaps, {result.victims} victims",
                flush=True,
            )
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
