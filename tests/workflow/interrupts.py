"""Signals and kills at random moments of a measurement that lasts a minute: it ends, and nothing is left.

    python -m tests.workflow.interrupts [--rounds N] [--kinds KIND,...] [--seed N] [--out FILE.csv]

The moments lie between the start of the command and some seconds after its first execution. What had ended
must have its run file, and no process, file or mount may be left. A measurement that goes on for a minute has
ignored its end. The last column is the longest time to the end of the measurement.
"""

import argparse
import csv
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.workflow.processes import Terminal, children, kill, processes_below, start, until
from tests.workflow.soak import LIMIT_S, OF_A_MINUTE, Field, Process, kinds_parser, soak_field

# make starts `weir report` as the Makefile does, without the set-up.
MAKE = ("make", "--file", "interrupts.mk", "report")
MAKEFILE = (
    "SHELL := bash\n.SHELLFLAGS := -eu -o pipefail -c\nreport:\n"
    "\t@WEIR_STARTER_PROCESS=$$PPID weir report --suites tiny --site local --page-only\n"
)
REFRAME = (
    *("reframe", "-C", "reframe_checks/settings.py", "-c", "reframe_checks/measure.py", "--run"),
    *("--system", "local:node", "--prefix", "results/local/reframe"),
)
PROMISED_S = 5.0
LATEST_S = 15.0  # of a moment, after the start or the first execution
ENDS_S = 60.0
HEAD = (
    "ended by",
    "rounds",
    "of these while measuring",
    "measured on",
    f"after more than {PROMISED_S:g} s",
    "lost or left",
    "longest time to the end (s)",
)


def _one(text: str, number: signal.Signals) -> Callable[[Process], None]:
    """A signal to one process, the uppermost with the text in its command line."""

    def attack(process: Process) -> None:
        if text:  # it starts later, on a busy machine much later
            until(lambda: children(process.pid, text) != [] or process.poll() is not None, LIMIT_S)
        pids = children(process.pid, text)[:1] if text else [process.pid]
        assert pids or process.poll() is not None, f"no '{text}' runs"
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    return attack


def _group(number: signal.Signals) -> Callable[[Process], None]:
    def attack(process: Process) -> None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)

    return attack


@dataclass(frozen=True)
class Kind:
    command: tuple[str, ...]
    attack: Callable[[Process], None] | None  # None: its terminal is closed


KINDS = {
    "interrupt": Kind(MAKE, _group(signal.SIGINT)),
    "terminate": Kind(MAKE, _group(signal.SIGTERM)),
    "hang-up": Kind(MAKE, _group(signal.SIGHUP)),
    "close-terminal": Kind(MAKE, None),
    "terminate-make": Kind(MAKE, _one("", signal.SIGTERM)),
    "interrupt-make": Kind(MAKE, _one("", signal.SIGINT)),
    "hang-up-make": Kind(MAKE, _one("", signal.SIGHUP)),
    "kill-make": Kind(MAKE, _one("", signal.SIGKILL)),
    "terminate-report": Kind(MAKE, _one("weir report", signal.SIGTERM)),
    "kill-report": Kind(MAKE, _one("weir report", signal.SIGKILL)),
    "terminate-snakemake": Kind(MAKE, _one("-m snakemake", signal.SIGTERM)),
    "interrupt-snakemake": Kind(MAKE, _one("-m snakemake", signal.SIGINT)),
    "kill-snakemake": Kind(MAKE, _one("-m snakemake", signal.SIGKILL)),
    "kill-run-batch": Kind(MAKE, _one("run_batch.py", signal.SIGKILL)),
    "interrupt-reframe": Kind(REFRAME, _group(signal.SIGINT)),
    "close-reframe": Kind(REFRAME, None),
    "terminate-reframe": Kind(REFRAME, _group(signal.SIGTERM)),
    "kill-reframe": Kind(REFRAME, _group(signal.SIGKILL)),
}


@dataclass
class Tally:
    rounds: int = 0
    measuring: int = 0  # rounds in which an execution had ended before
    ignored: int = 0  # rounds in which it measured on
    late: int = 0  # rounds in which it measured on for more than the time promised
    longest_s: float = 0.0
    problems: list[str] = field(default_factory=list)


def _measuring(place: Field) -> bool:
    """Whether a launch or its weir is there."""
    return any("weir-io" in line or "-m weir run" in line for line in processes_below(place.checkout.root))


def _starved() -> str:
    """How much processes wait for a processor, where the kernel tells."""
    with suppress(OSError, IndexError):
        return Path("/proc/pressure/cpu").read_text().splitlines()[0]
    return "of unknown pressure"


def _clear(place: Field, process: Process) -> None:
    """So that a problem is counted once."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    until(lambda: not _killed(place), ENDS_S)
    subprocess.run(["umount", "-l", str(place.memory / "base/mount")], capture_output=True, check=False)
    for folder in place.memory.iterdir():
        shutil.rmtree(folder, ignore_errors=True)


def _killed(place: Field) -> list[int]:
    pids = [int(line.split()[0]) for line in place.left() if line.split()[0].isdigit()]
    kill(pids)
    return pids


def one_round(place: Field, kind: Kind, draw: random.Random, tally: Tally) -> None:
    for folder in (place.results, *place.temporary.iterdir()):
        shutil.rmtree(folder, ignore_errors=True)
    environment = {"TMPDIR": str(place.temporary)}
    if kind.command == REFRAME:
        plan = place.checkout.root / "plan.json"
        environment |= {"WEIR_PLAN": str(plan), "WEIR_RESULTS": str(place.results)}
        # ReFrame leaves a log in TMPDIR.
        environment |= {"TMPDIR": str(place.checkout.root), "WEIR_TMPDIR": str(place.temporary)}
    terminal = None if kind.attack else Terminal()
    process = start(
        place.checkout, *kind.command, environment=environment, keep_output=not terminal, terminal=terminal
    )
    began = time.monotonic()
    if draw.random() < 0.5:  # in the measurement, else before it
        until(lambda: place.done() != set() or process.poll() is not None, LIMIT_S)
    after_s = time.monotonic() - began + draw.uniform(0, LATEST_S)
    until(lambda: time.monotonic() - began > after_s or process.poll() is not None, LIMIT_S)
    ended = place.done()
    if process.poll() is not None:  # nothing is left to end
        printed = process.communicate()[0] or ""
        tally.problems.append(f"after {after_s:.2f} s it had ended by itself: {printed[-1500:]}")
        return
    if kind.attack:
        kind.attack(process)
    elif terminal:
        terminal.close()
    attacked = time.monotonic()
    if not until(lambda: not _measuring(place), PROMISED_S):
        tally.late += 1
        print(f"after {after_s:.2f} s: {PROMISED_S:g} s later, CPU {_starved()}:", *place.left(), sep="\n  ")
    until(lambda: not _measuring(place), ENDS_S)
    took_s = time.monotonic() - attacked
    print(f"  {after_s:.2f} s, {len(ended)} executions: {took_s:.2f} s", flush=True)
    is_over = until(lambda: not place.left() and process.poll() is not None, ENDS_S)
    tally.rounds += 1
    tally.measuring += bool(ended)
    tally.longest_s = max(tally.longest_s, took_s)
    if not is_over:
        tally.ignored += _measuring(place)
        tally.problems.append(f"after {after_s:.2f} s: {took_s:.0f} s later there is {place.left()}")
        _clear(place, process)
    printed, _ = process.communicate()
    if lost := ended - set(place.run_files()):
        tally.problems.append(f"after {after_s:.2f} s: {len(lost)} executions were lost")
    if "Traceback" in (printed or "") and kind.command == MAKE:
        tally.problems.append(f"after {after_s:.2f} s: {printed[-1500:]}")


def interrupts(kinds: list[str], rounds: int, seed: int) -> dict[str, Tally]:
    draw, tallies = random.Random(seed), {name: Tally() for name in kinds}
    with soak_field(*OF_A_MINUTE) as place:
        place.checkout.write("interrupts.mk", MAKEFILE)
        for _ in range(rounds):
            for name, tally in tallies.items():
                seen = len(tally.problems)
                one_round(place, KINDS[name], draw, tally)
                for problem in tally.problems[seen:]:
                    print(f"{name}, round {tally.rounds}: {problem}", flush=True)
    return tallies


def write_table(tallies: Mapping[str, Tally], out: Path | None) -> None:
    """To the terminal and, if there is one, to the file."""
    rows = [
        [name, one.rounds, one.measuring, one.ignored, one.late, len(one.problems), f"{one.longest_s:.1f}"]
        for name, one in tallies.items()
    ]
    for stream in (sys.stdout, *([out.open("w", newline="")] if out else [])):
        csv.writer(stream, lineterminator="\n").writerows([HEAD, *rows])


def options(about: str | None, kinds: Collection[str]) -> argparse.Namespace:
    parser = kinds_parser(about, kinds, rounds=15)
    parser.add_argument("--out", type=Path, help="a table of all kinds")
    args = parser.parse_args()
    print(f"seed {args.seed}", flush=True)
    return args


def main() -> int:
    args = options(__doc__, KINDS)
    tallies = interrupts(args.kinds.split(","), args.rounds, args.seed)
    write_table(tallies, args.out)
    return 1 if any(tally.problems for tally in tallies.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
