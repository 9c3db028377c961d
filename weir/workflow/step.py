"""Runs a step of the workflow whose programs keep files in TMPDIR: R and latexmk leave theirs after a signal.

    python3 -m weir.workflow.step [--log LOG] COMMAND...

With a log, all that is printed goes there, and every ten seconds a line on the terminal shows the progress.
The step ends with the workflow, also if that is killed, and its files go with it. What a kill of this process
leaves, the next workflow removes.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from weir.base.processes import EXIT_INTERRUPTED, caught_signals, die_with_parent
from weir.base.units import about_duration
from weir.measure.clean_up.starter import follow_the_starter
from weir.workflow.takeover import PREFIX, forget_temporary, note_temporary_of

FOLDER = Path(".snakemake")
_ENDS_S, _LOOK_S, _TELL_S = 5.0, 0.2, 10.0
_TO_DO = re.compile(r"^to draw: (\d+) parts$", re.MULTILINE)  # by analysis/R/render.R, as the next one
_DONE = re.compile(r"^drawn: ", re.MULTILINE)


def main(arguments: Sequence[str], tell_s: float = _TELL_S) -> int:
    """The exit code of the command."""
    log = Path(arguments[1]) if arguments[:1] == ["--log"] else None
    command = arguments[2 if log else 0 :]
    tell = partial(_tell, log, _take_the_streams(log)) if log else None
    stopped: list[int] = []  # signals interrupt nothing: one that comes in the midst of a start would lose it
    for each in caught_signals():
        signal.signal(each, lambda number, _: stopped.append(number))
    follow_the_starter()
    if stopped:
        return EXIT_INTERRUPTED
    temporary = tempfile.mkdtemp(prefix=PREFIX)
    try:
        note_temporary_of(FOLDER, Path(temporary))
        return _run(command, temporary, stopped, tell, tell_s)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        forget_temporary(FOLDER)


def _take_the_streams(log: Path) -> int:
    """Send the output of this process and of the command to the log; returns the terminal's descriptor."""
    terminal = os.dup(sys.stderr.fileno())
    with log.open("wb") as output:
        for stream in (sys.stdout, sys.stderr):
            os.dup2(output.fileno(), stream.fileno())
    return terminal


def _tell(log: Path, terminal: int, elapsed_s: float) -> None:
    """A closed terminal, or a log that somebody removed, ends no step."""
    with contextlib.suppress(OSError):
        text = log.read_text(encoding="utf-8", errors="replace")
        os.write(terminal, f"{log.stem}: {progress(text, elapsed_s)}\n".encode())


def _run(
    command: Sequence[str],
    temporary: str,
    stopped: Sequence[int],
    tell: Callable[[float], None] | None,
    tell_s: float,
) -> int:
    """Runs the command in a session of its own, so that an interrupt reaches all its processes once, by this
    one."""
    process = subprocess.Popen(
        command,
        env={**os.environ, "TMPDIR": temporary},
        start_new_session=True,
        preexec_fn=partial(die_with_parent, signal.SIGKILL),
    )
    began = told = time.monotonic()
    while process.poll() is None and not stopped:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_LOOK_S)
        if tell and time.monotonic() - told >= tell_s:
            told = time.monotonic()
            tell(told - began)
    if stopped:
        _end(process)
        return EXIT_INTERRUPTED
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


def progress(log: str, elapsed_s: float) -> str:
    """The counts in the log with the time left; without counts, the time that has passed."""
    to_do, done = _TO_DO.search(log), len(_DONE.findall(log))
    if not to_do or done in (0, int(to_do[1])):
        return about_duration(elapsed_s)
    left_s = elapsed_s * (int(to_do[1]) - done) / done
    return f"{done} of {to_do[1]} parts, about {about_duration(left_s)} left"


def _end(process: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGINT, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_ENDS_S)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
