"""All personalities alone and in a batch, and the emulator, in a build with the thread sanitizer.

    python -m tests.engine.thread_sanitizer

`make tsan` builds them first. The MPI library is not built with the sanitizer: its calls are ignored.
"""

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.engine.personalities import every_personality
from tests.engine.runs import QUIET_MPI, ROOT, mpirun, open_mpi
from tests.programs import ran

BUILD = ROOT / "build" / "tsan"
OPTIONS = "exitcode=66:halt_on_error=0:ignore_noninstrumented_modules=1:second_deadlock_stack=1"
RANKS = 2


def run(name: str, command: Sequence[object], folder: Path, variables: dict[str, str]) -> bool:
    environment = {**os.environ, **open_mpi(), "TSAN_OPTIONS": OPTIONS, **variables}
    done = ran(command, env=environment, cwd=folder, errors="replace", timeout=600)
    printed = done.stdout + done.stderr + "".join(p.read_text() for p in folder.glob("*/stderr.txt"))
    races = printed.count("WARNING: ThreadSanitizer")
    print(f"{name:40} exit code {done.returncode}, {races} reports", flush=True)
    if done.returncode or races:
        print(printed[-6000:])
    return done.returncode == 0 and races == 0


def engine_runs(folder: Path) -> bool:
    """Each cell of the list with a launch of its own, then all in one."""
    launcher = [mpirun(), *QUIET_MPI, "-n", RANKS, BUILD / "weir-io"]
    every_personality(folder)
    good = True
    for line in (folder / "list").read_text().splitlines():
        name, _, place, *arguments = line.split("\t")
        good &= run(name, [*launcher, *arguments], Path(place), {})
    return run("batch", [*launcher, "batch", folder / "list", folder / "status"], folder, {}) and good


def emulator_runs(folder: Path) -> bool:
    """Processes of several threads on one file, in a tier that has to drain and evict meanwhile."""
    config = folder / "ime.conf"
    lines = [f"fast = {folder}/fast", f"backing = {folder}/backing", "capacity = 2 MiB", "drain = auto"]
    config.write_text("\n".join(lines) + "\n")
    variables = {"IM_CLIENT_CFG_FILE": str(config)}
    programs = BUILD / "ime"
    stress = [programs / "ime-stress", "--path", "ime://shared", "--rounds", 5, "--threads", 4]
    good = run("imectl create", [programs / "imectl", "create"], folder, variables)
    good = good and run("ime-stress", stress, folder, variables)
    return run("imectl destroy", [programs / "imectl", "destroy"], folder, variables) and good


def main() -> int:
    with (
        tempfile.TemporaryDirectory(dir="/dev/shm") as engine,
        tempfile.TemporaryDirectory(dir="/dev/shm") as emulator,
    ):
        good = engine_runs(Path(engine))
        return 0 if emulator_runs(Path(emulator)) and good else 1


if __name__ == "__main__":
    sys.exit(main())
