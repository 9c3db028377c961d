"""Runs a step of the workflow whose programs keep files in TMPDIR: R and latexmk leave theirs after a signal.

    python3 -m weir.workflow.step COMMAND...

The step ends with the workflow, also if that is killed, and its files go with it. What a kill of this process
leaves, the next workflow removes.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from weir.base.interrupts import EXIT_INTERRUPTED, caught_signals
from weir.base.processes import die_with_parent
from weir.measure.clean_up.starter import follow_the_starter
from weir.workflow.takeover import PREFIX, forget_temporary, note_temporary_of

FOLDER = Path(".snakemake")
_ENDS_S, _LOOK_S = 5.0, 0.2


def main(command: Sequence[str]) -> int:
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
        return _run(command, temporary, stopped)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        forget_temporary(FOLDER)


def _run(command: Sequence[str], temporary: str, stopped: Sequence[int]) -> int:
    """Runs the command in a session of its own, so that an interrupt reaches all its processes once, by this
    one."""
    process = subprocess.Popen(
        command,
        env={**os.environ, "TMPDIR": temporary},
        start_new_session=True,
        preexec_fn=partial(die_with_parent, signal.SIGKILL),
    )
    while process.poll() is None and not stopped:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_LOOK_S)
    if stopped:
        _end(process)
        return EXIT_INTERRUPTED
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


def _end(process: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGINT, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_ENDS_S)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
