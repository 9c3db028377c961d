"""Runs a step of the workflow whose programs keep files in TMPDIR: R and latexmk leave theirs after a signal.

    python3 -m weir.workflow.step LOG COMMAND...

What the command prints goes to LOG; every ten seconds a line on the terminal shows its progress. The step
ends with the workflow, also if that is killed, and its files go with it. What a kill of this process leaves,
the next workflow removes.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from weir.base.interrupts import EXIT_INTERRUPTED, caught_signals
from weir.base.processes import die_with_parent
from weir.base.units import about_duration
from weir.measure.clean_up.starter import follow_the_starter
from weir.workflow.takeover import PREFIX, forget_temporary, note_temporary_of

FOLDER = Path(".snakemake")
_ENDS_S, _LOOK_S, _TELL_S = 5.0, 0.2, 10.0
_TO_DO = re.compile(r"^to draw: (\d+) parts$", re.MULTILINE)  # by analysis/R/render.R, as the next one
_DONE = re.compile(r"^drawn: ", re.MULTILINE)


def main(log: Path, command: Sequence[str]) -> int:
    """The exit code of the command."""
    stopped: list[int] = []  # signals interrupt nothing: one that comes in the midst of a start would lose it
    for each in caught_signals():
        signal.signal(each, lambda number, _: stopped.append(number))
    follow_the_starter()
    if stopped:
        return EXIT_INTERRUPTED
    temporary = tempfile.mkdtemp(prefix=PREFIX)
    try:
        note_temporary_of(FOLDER, Path(temporary))
        return _run(log, command, temporary, stopped)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        forget_temporary(FOLDER)


def _run(log: Path, command: Sequence[str], temporary: str, stopped: Sequence[int]) -> int:
    """Runs the command in a session of its own, so that an interrupt reaches all its processes once, by this
    one."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, "TMPDIR": temporary},
            start_new_session=True,
            preexec_fn=partial(die_with_parent, signal.SIGKILL),
        )
    began = told = time.monotonic()
    while process.poll() is None and not stopped:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_LOOK_S)
        if time.monotonic() - told >= _TELL_S:
            told = time.monotonic()
            text = log.read_text(encoding="utf-8", errors="replace")
            print(f"{log.stem}: {progress(text, told - began)}", file=sys.stderr, flush=True)
    if stopped:
        _end(process)
        return EXIT_INTERRUPTED
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


def progress(log: str, elapsed_s: float) -> str:
    """The counts in the log with the time left; without counts, the time that has passed."""
    to_do, done = _TO_DO.search(log), len(_DONE.findall(log))
    if not to_do or not done:
        return about_duration(elapsed_s)
    left_s = elapsed_s * (int(to_do[1]) - done) / done
    return f"{done} of {to_do[1]} figures and tables, about {about_duration(left_s)} left"


def _end(process: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGINT, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_ENDS_S)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
