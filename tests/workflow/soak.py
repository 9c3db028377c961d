"""Kills of every kind while cells share a launch: the next start resumes, nothing is lost, nothing is left.

    python -m tests.workflow.soak [--rounds N] [--seconds S] [--minute] [--kinds KIND,...] [--seed N]

In each round a measurement of some seconds, or of a minute, starts, one of its processes is killed at a
random moment, and the same command is started again, which meets the next kind of kill. In the end every
execution must have a run file, those that ended before a kill from a start before it; no record may be
INVALID; and no file, mount, process or shared memory may be left.
What a soak that was killed has left itself, the next one removes.
"""

import argparse
import io
import json
import os
import random
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.needs import fuse
from tests.own_folders import own_folder, remove
from tests.workflow.conftest import SUITE, TARGET, Checkout, copy_of_the_tree, tiny_configuration
from tests.workflow.processes import GUARDIAN, children, kill, named_below, processes_below, start, until
from weir.cli import main as weir

EXECUTIONS, RATE = 20, 320
OF_A_MINUTE = (120, 64)  # 0.5 s each
LIMIT_S = 300.0
ENDS_S = 30.0  # of a command that was ended: less than a measurement of a minute
WEIR = (sys.executable, "-m", "weir", "run", "--plan", "plan.json", "--results", "results/local")
MAKE = ("make", "--file", "soak.mk", "report")
# What `make report` starts to measure and collect, with the same processes in between.
MAKEFILE = (
    "report:\n\t@snakemake --cores all --quiet host progress reason -- results/local/tiny/records.csv\n"
)
Process = subprocess.Popen[str]
PLACES = (Path("/var/tmp"), Path("/dev/shm"))


@dataclass(frozen=True)
class Field:
    """A checkout with a target of its own behind an emulated burst buffer, mounted by FUSE."""

    checkout: Checkout
    memory: Path
    temporary: Path  # of the programs
    executions: int

    @property
    def results(self) -> Path:
        return self.checkout.root / "results/local"

    def done(self) -> set[str]:
        """Executions with a sound run file, and those that the launch of now reports as ended."""
        return set(self.run_files()) | {
            line.split("\t")[0]
            for file in self.results.glob("launches/*/status")
            for line in _text(file).splitlines()
            if line.split("\t")[1:2] == ["0"]
        }

    def run_files(self) -> dict[str, dict[str, object]]:
        found = {}
        for file in self.results.glob("runs/*/[0-9][0-9][0-9]/run.json"):
            document = json.loads(file.read_text())
            if document["status"] == "done":
                found[f"{file.parent.parent.name}-{file.parent.name}"] = document
        return found

    def left(self) -> list[str]:
        """Whatever a measurement must not leave."""
        processes = processes_below(self.checkout.root) + processes_below(self.memory)
        mounts = [line for line in _text(Path("/proc/mounts")).splitlines() if str(self.memory) in line]
        above = str(self.memory)
        fast = [  # os.walk passes over what is deleted meanwhile
            str(Path(folder, name))
            for folder, folders, files in os.walk(self.memory)
            for name in (*files, *(each for each in folders if "weir-" in f"{folder[len(above) :]}/{each}"))
        ]
        # Snakemake makes a directory before it reads the Snakefile: a kill in between leaves it, empty.
        temporary = [file for file in self.temporary.iterdir() if not _is_empty(file, "snakemake")]
        return processes + mounts + fast + [str(file) for file in temporary]


def _is_empty(folder: Path, prefix: str) -> bool:
    try:
        return folder.name.startswith(prefix) and not any(folder.iterdir())
    except OSError:
        return False


def _text(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""


@dataclass(frozen=True)
class Kind:
    """What is killed of what was started."""

    command: tuple[str, ...]
    attack: Callable[[Process, Field], None]
    goes_on: bool = False  # the measurement, which then ends by itself
    fails_a_cell: bool = False  # a program that was killed is a failed cell, which is measured again
    holds_mounts: bool = False  # a process in another mount namespace has a copy of all mounts meanwhile


def _of(text: str) -> Callable[[Process, Field], None]:
    return lambda process, _: kill(children(process.pid, text)[-1:])


def _of_store(name: str) -> Callable[[Process, Field], None]:
    return lambda _, field: kill(named_below(field.memory, name))


def _everything(process: Process, field: Field) -> None:
    pids = [*children(process.pid, GUARDIAN), *children(process.pid, "-m weir"), *children(process.pid, "")]
    kill([*pids, process.pid])


def _group(number: signal.Signals) -> Callable[[Process, Field], None]:
    def attack(process: Process, _: Field) -> None:
        with suppress(ProcessLookupError):  # it ended in the moment before
            os.killpg(process.pid, number)

    return attack


KINDS = {
    "group": Kind(MAKE, _group(signal.SIGKILL)),
    "snakemake": Kind(MAKE, lambda process, _: kill(children(process.pid, "snakemake")[:1])),
    "reframe": Kind(MAKE, lambda process, _: kill(children(process.pid, "reframe --nocolor")[:1])),
    "make-interrupt": Kind(MAKE, _group(signal.SIGINT)),
    "make-terminate": Kind(MAKE, _group(signal.SIGTERM)),
    "make-everything": Kind(MAKE, _everything),
    "weir": Kind(WEIR, lambda process, _: process.kill()),
    "weir-everything": Kind(WEIR, _everything),
    "weir-interrupt": Kind(WEIR, lambda process, _: process.send_signal(signal.SIGINT)),
    "weir-terminate": Kind(WEIR, lambda process, _: process.terminate()),
    "launcher": Kind(WEIR, _of("mpirun"), goes_on=True, fails_a_cell=True),
    "rank": Kind(WEIR, _of("batch list status"), goes_on=True, fails_a_cell=True),
    "guardian": Kind(WEIR, _of(GUARDIAN), goes_on=True),
    "drainer": Kind(WEIR, _of_store("ime-drainer"), goes_on=True, fails_a_cell=True),
    "mount": Kind(WEIR, _of_store("ime-fuse"), goes_on=True),
    "held-mount": Kind(WEIR, _everything, holds_mounts=True),
}


@contextmanager
def holder_of_mounts() -> Iterator[None]:
    """A process in a copy of all mounts, as a container or `unshare` makes it."""
    command = ["unshare", "--mount", "--propagation", "private", "sh", "-c", "echo holds; exec sleep 600"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd="/") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"holds\n"
        try:
            yield
        finally:
            process.kill()


@dataclass
class Tally:
    """What became of the rounds of one kind."""

    rounds: int = 0
    hits: int = 0  # rounds in which executions had ended before the kill, and others had not
    kept: int = 0
    problems: list[str] = field(default_factory=list)


@contextmanager
def own_folders() -> Iterator[list[Path]]:
    """One below each of PLACES."""
    folders = [own_folder("soak", place) for place in PLACES]
    try:
        yield folders
    finally:
        for folder in folders:
            remove(folder)  # with what Ctrl-C left in the midst of a round


@contextmanager
def soak_field(executions: int = EXECUTIONS, rate: int = RATE) -> Iterator[Field]:
    """Deleted afterwards, whatever is left there. rate: transfers in a second, 32 or 64 an execution."""
    with own_folders() as (folder, memory):
        temporary = folder / "tmp"
        temporary.mkdir()
        checkout = copy_of_the_tree(folder)
        tiny_configuration(checkout, memory)
        checkout.write("soak.mk", MAKEFILE)
        with checkout.edited(SUITE) as suite:
            experiment = suite["experiments"]["one"]
            experiment["repetitions"]["rounds"] = executions // 4
            experiment["fixed"] |= {"block": "= 4 * xfer", "rate": rate}
        checkout.write(TARGET, burst_buffer(checkout, memory))
        checkout.weir("plan", "--out", "plan.json", code=0)
        yield Field(checkout, memory, temporary, executions)


def burst_buffer(checkout: Checkout, memory: Path) -> dict[str, Any]:
    """The target `ram`, behind an emulated burst buffer below memory, mounted where /dev/fuse is usable."""
    script = str(checkout.root / "config/sites/local/burst-buffer")
    places = [str(checkout.root), str(memory / "fast"), str(memory / "base")]
    mounts = not fuse()
    target = {
        "target": "ram",
        "kind": "burst-buffer-fuse" if mounts else "disk",
        "description": "an emulated burst buffer of a test",
        "emulated": True,
        "path": f"{memory}/base/{'mount' if mounts else 'backing'}",
        "prepare": [[script, "mount" if mounts else "up", *places]],
        "cleanup": [[script, "down", *places]],
    }
    return target | ({"mount": target["path"]} if mounts else {})


def measurements(kinds: list[str], draw: random.Random) -> Iterator[list[str]]:
    """Kinds that meet one measurement in turn: each next start goes on. A kind after which the measurement
    goes on by itself is the last one."""
    for command in dict.fromkeys(KINDS[name].command for name in kinds):
        own = [name for name in kinds if KINDS[name].command == command]
        ending = [name for name in own if not KINDS[name].goes_on]
        other = [name for name in own if KINDS[name].goes_on]
        draw.shuffle(ending)
        draw.shuffle(other)
        if ending:
            yield ending + other[:1]
        yield from ([name] for name in other[bool(ending) :])


def one_round(field: Field, names: list[str], draw: random.Random, tallies: dict[str, Tally]) -> None:
    """A measurement that meets these kinds, and one more start. Adds the problems to the tallies."""
    for folder in (field.results, *field.temporary.iterdir()):  # what a round left is its problem alone
        shutil.rmtree(folder, ignore_errors=True)
    moments = sorted(draw.randrange(field.executions - 2) for _ in names)
    more: list[str] = []
    with ExitStack() as stack:
        ended = [
            _start_and_attack(field, name, wanted, more, draw, tallies[name], stack)
            for name, wanted in zip(names, moments, strict=True)
        ]
        last = tallies[names[-1]]
        again = _start(field, KINDS[names[-1]], more, keep_output=True)
        output = _wait(again, field, last)
    if again.returncode != 0:
        last.problems.append(f"exit code {again.returncode}: {output[-2000:]}")
    runs = field.run_files()
    if len(runs) != field.executions:
        last.problems.append(f"{len(runs)} executions of {field.executions}")
    for starts, (name, before) in enumerate(zip(names, ended, strict=True), 1):
        tallies[name].kept += len(before & set(runs))
        seeds = {runs[each]["seed"] for each in before if each in runs}
        if before - set(runs) or len(seeds) > starts:  # each start has a seed of its own
            text = f"{len(before - set(runs))} of {len(before)} that had ended were lost; seeds {seeds}"
            tallies[name].problems.append(text)
    if not until(lambda: not field.left(), 60):
        last.problems.append(f"left: {field.left()}")
    last.problems += _false_verdicts(field)


def _start(field: Field, kind: Kind, more: list[str], keep_output: bool = False) -> Process:
    environment = {"TMPDIR": str(field.temporary)}
    return start(field.checkout, *kind.command, *more, environment=environment, keep_output=keep_output)


def _start_and_attack(
    field: Field, name: str, wanted: int, more: list[str], draw: random.Random, tally: Tally, stack: ExitStack
) -> set[str]:
    """After so many executions, or some seconds after a start that finds them. What had ended then."""
    kind = KINDS[name]
    measures_first = len(field.done()) < wanted
    process = _start(field, kind, more)
    until(lambda: len(field.done()) >= wanted or process.poll() is not None, LIMIT_S)
    time.sleep(draw.uniform(0, 0.3) if measures_first else draw.uniform(0, 8 if kind.command == MAKE else 2))
    ended = field.done()
    if kind.holds_mounts:
        stack.enter_context(holder_of_mounts())
    kind.attack(process, field)
    _wait(process, field, tally, LIMIT_S if kind.goes_on else ENDS_S)
    if kind.fails_a_cell:
        more.append("--retry-failed")
    tally.rounds += 1
    tally.hits += 0 < len(ended) < field.executions
    return ended


def _wait(process: Process, field: Field, tally: Tally, limit_s: float = LIMIT_S) -> str:
    """What it printed, if that is kept. One that hangs is a problem, and is killed with all that is left."""
    try:
        return process.communicate(timeout=limit_s)[0] or ""
    except subprocess.TimeoutExpired:
        alive = processes_below(field.checkout.root)
        tally.problems.append(f"{process.args} did not end within {limit_s:g} s; processes: {alive}")
        kill([int(line.split()[0]) for line in alive])
        return process.communicate()[0] or ""


def _false_verdicts(field: Field) -> list[str]:
    out, printed = field.results / "soak.csv", io.StringIO()
    plan = str(field.checkout.root / "plan.json")
    with redirect_stdout(printed), redirect_stderr(printed):
        code = weir(["collect", "--plan", plan, "--results", str(field.results), "--out", str(out)])
    if code != 0:
        return [printed.getvalue()]
    lines = out.read_text().splitlines()[1:]
    wrong = [line for line in lines if ",INVALID," in line]
    expected = field.executions * 4  # two iterations of write and read
    return (
        [f"{len(wrong)} INVALID of {len(lines)} records: {wrong[:1]}"]
        if wrong or len(lines) != expected
        else []
    )


def soak(
    kinds: list[str], rounds: int, seconds: float, seed: int, size: tuple[int, int] = (EXECUTIONS, RATE)
) -> dict[str, Tally]:
    """Rounds of all kinds in turn, so that a limit of time, or Ctrl-C, meets all alike."""
    tallies = {name: Tally() for name in kinds}
    with suppress(KeyboardInterrupt):
        _rounds(tallies, rounds, time.monotonic() + seconds, random.Random(seed), size)
    return tallies


def _rounds(
    tallies: dict[str, Tally], rounds: int, over: float, draw: random.Random, size: tuple[int, int]
) -> None:
    with soak_field(*size) as field:
        for _ in range(rounds):
            for names in measurements([*tallies], draw):
                if time.monotonic() > over:
                    return
                seen = {name: len(tallies[name].problems) for name in names}
                one_round(field, names, draw, tallies)
                print("killed in one measurement:", *names, flush=True)
                for name, count in seen.items():
                    for problem in tallies[name].problems[count:]:
                        where = f"{name}, round {tallies[name].rounds}, of {' '.join(names)}"
                        print(f"{where}: {problem}", flush=True)


def kinds_parser(about: str | None, kinds: Collection[str], rounds: int) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=rounds, help=f"of each kind (default: {rounds})")
    parser.add_argument(
        "--kinds", default=",".join(kinds), help=f"subset of {','.join(kinds)} (default: all)"
    )
    seed = secrets.randbelow(2**31)
    parser.add_argument("--seed", type=int, default=seed, help="seed of the moments (default: random)")
    return parser


def main() -> int:
    parser = kinds_parser(__doc__, KINDS, rounds=100)
    seconds = "start no round after this time (default: no limit)"
    parser.add_argument("--seconds", type=float, default=float("inf"), help=seconds)
    parser.add_argument("--minute", action="store_true", help="measurements of a minute")
    args = parser.parse_args()
    print(f"seed {args.seed}", flush=True)
    size = OF_A_MINUTE if args.minute else (EXECUTIONS, RATE)
    tallies = soak(args.kinds.split(","), args.rounds, args.seconds, args.seed, size)
    print(f"{'killed':16} {'rounds':>7} {'in flight':>10} {'kept':>6} {'problems':>9}")
    for name, tally in tallies.items():
        print(f"{name:16} {tally.rounds:7} {tally.hits:10} {tally.kept:6} {len(tally.problems):9}")
    return 1 if any(tally.problems for tally in tallies.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
