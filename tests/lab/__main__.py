"""make lab: real file systems on this machine, measured as clients see them; make lab-down: none of them.

python -m tests.lab measure [--suites quick] [NAME...]   start what does not run, measure a suite on each
python -m tests.lab prove [--rounds 10] [NAME...]        what the suite proves, as root and as nobody: a table
python -m tests.lab programs [--only PATTERN] [NAME...]  what weir prove counts of 20 programs: a table
python -m tests.lab cost [--pairs 150] [--within DIRECTORY] [NAME...]   what observing costs a phase, %
python -m tests.lab up [NAME...]                         start only
python -m tests.lab status                               what runs
python -m tests.lab shell [KIND]                         a shell that sees the mounts
python -m tests.lab down                                 end everything, delete the data of the servers
"""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.lab.cost import cost
from tests.lab.filesystem import SITE, FileSystem, file_systems, up
from tests.lab.guest import Guest
from tests.lab.machine import ROOT, LabError, Machine, environment_of
from tests.lab.programs import run_programs
from tests.lab.proven import prove
from tests.lab.weir_runs import weir

FOLDER = ROOT / "build" / "lab"
HOST = Machine.__name__.lower()
_GUEST_S = 1800


def kinds(names: Sequence[str]) -> dict[str, list[FileSystem]]:
    """The named file systems, or all, that can be started here, by their kind of machine."""
    known = file_systems()
    if unknown := set(names) - known.keys():
        raise LabError(f"{', '.join(sorted(unknown))}: no such file system; known: {', '.join(known)}")
    found: dict[str, list[FileSystem]] = {}
    for name in names or known:
        if reason := known[name].missing():
            print(f"{name}: skipped, {reason}")
        else:
            found.setdefault(known[name].machine.__name__.lower(), []).append(known[name])
    return found


def machines() -> dict[str, Machine]:
    """All that were started, whatever became of them."""
    classes = {each.machine.__name__.lower(): each.machine for each in file_systems().values()}
    return {kind: make(FOLDER / kind) for kind, make in classes.items() if (FOLDER / kind).exists()}


def start(names: Sequence[str]) -> dict[str, Machine]:
    found = kinds(names)
    if not found:
        raise LabError("no file system can be started here")
    running = machines()
    for kind, chosen in found.items():
        if kind in running and running[kind].pid() is not None:
            continue
        print(f"starting {', '.join(each.description for each in chosen)}", flush=True)
        running[kind] = up(FOLDER / kind, chosen)
    return {kind: running[kind] for kind in found}


def status() -> None:
    for kind, machine in machines().items():
        processes = list(machine.processes())
        print(f"{kind}: {len(processes)} processes" if processes else f"{kind}: ended; hint: make lab-down")
        if processes:
            print(machine.run("findmnt", "--list", "--noheadings", "--submounts", "/mnt").stdout, end="")


def measure(names: Sequence[str], suites: str) -> int:
    """One study of all: what a guest has measured is there when the page is made."""
    running = start(names)
    for machine in running.values():
        if isinstance(machine, Guest):
            measure_in(machine, suites)
    command = [str(ROOT / ".venv/bin/weir"), "report", "--site", SITE, "--suites", suites, "--page-only"]
    host = running.get(HOST)
    before = host.entering() if host else []
    environment = environment_of("root", host.home) if host else None
    return subprocess.run([*before, *command], cwd=ROOT, env=environment, check=False).returncode


def measure_in(guest: Guest, suites: str) -> None:
    """Its runs lie where those of this machine do."""
    results = ROOT / "results" / SITE
    results.mkdir(parents=True, exist_ok=True)
    guest.out("mount", "-t", "hostfs", "none", results, "-o", results)
    plan = guest.home / "plan.json"
    targets = [
        name for each in file_systems().values() if each.machine is type(guest) for name in each.targets
    ]
    chosen = [*(f"--suite={name}" for name in suites.split(",")), *(f"--target={name}" for name in targets)]
    print(f"measuring {', '.join(targets)} in the guest", flush=True)
    try:
        weir(guest, "root", "plan", "--site", SITE, *chosen, "--out", plan)
        print(weir(guest, "root", "run", "--plan", plan, "--results", results, limit_s=_GUEST_S), end="")
    finally:
        guest.out("umount", results)


def shell() -> int:
    machine = machines().get(HOST)
    if machine is None:
        raise LabError("nothing runs; hint: make lab")
    return subprocess.run([*machine.entering(), "bash"], check=False).returncode


def down() -> None:
    for machine in machines().values():
        machine.stop()
    if FOLDER.exists():
        FOLDER.rmdir()


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lab", description=__doc__)
    parser.add_argument(
        "action", choices=("measure", "prove", "programs", "cost", "up", "status", "shell", "down")
    )
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--suites", default="quick")
    parser.add_argument("--only", default="", help="pattern in the names of the programs")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--pairs", type=int, default=150)
    parser.add_argument("--within", type=Path, default=ROOT / "build", help="where the data of servers lie")
    chosen = parser.parse_intermixed_args(arguments)
    try:
        if chosen.action == "measure":
            return measure(chosen.names, chosen.suites)
        if chosen.action == "shell":
            return shell()
        if chosen.action == "prove":
            failed = prove(chosen.names, chosen.suites, chosen.rounds)
            if failed:
                raise LabError(f"failed: {', '.join(failed)}; the rows of the others are in the table")
            return 0
        if chosen.action == "cost":
            cost(chosen.names, chosen.pairs, chosen.within)
            return 0
        if chosen.action == "programs":
            run_programs(chosen.names, chosen.only)
            return 0
        {"up": lambda: start(chosen.names), "status": status, "down": down}[chosen.action]()
    except LabError as error:
        print(f"lab: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nlab: interrupted; make lab goes on, make lab-down ends what runs", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
