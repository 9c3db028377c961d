"""A workflow that is killed ends, and the next one takes the lock that it left, once its process is gone."""

import atexit
import contextlib
import json
import os
import signal
import socket
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any

from weir.base.errors import open_closed_streams
from weir.base.files import write_atomically
from weir.base.processes import EXIT_INTERRUPTED, Interrupt, caught_signals, is_the_same, started
from weir.measure.clean_up.directories import held_open, is_own_directory, remove_entry
from weir.measure.clean_up.starter import Starter, follow_the_starter
from weir.measure.handover import HOLDER_FILE, holder_of

TEMPORARY = "weir-temporary"
_RUNS = "runs_workflow"  # in the note of a process that submits the jobs
PREFIX = "snakemake"  # begins the names of temporary directories of Snakemake and its steps
_INTERRUPTS: list[Interrupt] = []  # one, of a workflow that runs jobs


def take_over_from_a_killed_workflow(folder: Path) -> None:
    """Remove the locks below folder (.snakemake) if the workflow of this machine that made them has ended.

    A living workflow keeps its locks, and so does one of another machine: Snakemake then refuses the second.
    One that measures another study has locks of its own beside those of the holder.
    """
    _remove_temporary(folder)
    note, holder = _another_workflow(folder) or (None, holder_of(folder / HOLDER_FILE))
    own = {"host": socket.gethostname(), "pid": os.getpid(), "started_ticks": started(os.getpid())}
    if noted := holder_of(_note(folder)):
        with contextlib.suppress(OSError):
            write_atomically(_note(folder), json.dumps({**noted, _RUNS: True}) + "\n")
        atexit.register(forget_temporary, folder.resolve())  # another node cannot tell that it has ended
    if holder is not None:
        locks = list((folder / "locks").glob("*"))
        if locks and note and holder["host"] != own["host"]:
            about = f"process {holder['pid']} on {holder['host']} may run; if it does not, delete {note}"
            print(f"weir: the locks of another workflow stay: {about}", file=sys.stderr)
        if holder["host"] != own["host"] or is_the_same(holder["pid"], holder["started_ticks"]):
            return
        for lock in locks:
            with contextlib.suppress(OSError):
                lock.unlink()
        if locks:
            print(
                f"weir: process {holder['pid']}, which ran this workflow, is gone: going on", file=sys.stderr
            )
    with contextlib.suppress(OSError):  # without it Snakemake's own message tells what to do
        folder.mkdir(exist_ok=True)
        write_atomically(folder / HOLDER_FILE, json.dumps(own) + "\n")


def _another_workflow(folder: Path) -> tuple[Path, dict[str, Any]] | None:
    """The note of another workflow with its content: a living one of this machine, or one of another machine,
    which may live. The notes of the dead of this machine are gone."""
    files = set((folder / TEMPORARY).glob("*.json")) - {_note(folder)}
    found = [(file, noted) for file in files if (noted := holder_of(file)) and noted.get(_RUNS)]
    return max(found, key=lambda each: each[1]["host"] == socket.gethostname(), default=None)


def end_the_jobs_with_the_workflow() -> None:
    """Snakemake itself lets them run to their end after TERM, and after an INT or HUP of its own."""
    starters: list[Starter] = []

    def let_go() -> None:
        for starter in starters:
            starter.let_go()

    _INTERRUPTS.append(Interrupt(let_go))
    follow_the_starter()  # before its name in the environment is replaced
    starters.append(Starter())


def exit_if_interrupted() -> None:
    """Snakemake's own exit code is 1 then."""
    if any(interrupt.cause for interrupt in _INTERRUPTS):
        raise SystemExit(EXIT_INTERRUPTED)


def note_temporary(folder: Path, temporary: Path) -> None:
    """Each process of Snakemake makes a directory, which a kill leaves; the next workflow removes it. TERM
    and HUP while Snakemake reads the Snakefile leave none. A closed stdout is none of its jobs'."""
    open_closed_streams()
    sys.excepthook = _without_interrupts
    for number in caught_signals():
        signal.signal(number, signal.default_int_handler)
    note_temporary_of(folder, temporary)


def note_temporary_of(folder: Path, temporary: Path) -> None:
    """Notes the temporary directory of this process."""
    noted = {"temporary": str(temporary), "host": socket.gethostname(), "pid": os.getpid()}
    with contextlib.suppress(OSError):
        (folder / TEMPORARY).mkdir(parents=True, exist_ok=True)
        started_ticks = started(os.getpid())
        write_atomically(_note(folder), json.dumps({**noted, "started_ticks": started_ticks}) + "\n")


def forget_temporary(folder: Path) -> None:
    """This process has removed its own."""
    with contextlib.suppress(OSError):
        _note(folder).unlink()


_LEAST_CACHE = 2**20  # more than the files of a Snakefile with its captions


def provide_cache(folder: Path) -> None:
    """Snakemake ends with a traceback where it can keep nothing below the home, as on a full or read-only
    one: its cache is in the folder then."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "snakemake"
    try:
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=home) as file:  # a full one may take directories still
            file.write(bytes(_LEAST_CACHE))
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        os.environ["XDG_CACHE_HOME"] = str(folder.resolve() / "cache")


def _note(folder: Path) -> Path:
    return folder / TEMPORARY / f"{os.getpid()}.json"


def _without_interrupts(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Whoever interrupts a program knows why it ends."""
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)


def _remove_temporary(folder: Path) -> None:
    for file in (folder / TEMPORARY).glob("*.json"):
        noted = holder_of(file)
        if noted is None or is_the_same(noted["pid"], noted["started_ticks"]):
            continue
        if noted["host"] != socket.gethostname():
            continue
        left = Path(str(noted.get("temporary", "")))
        with contextlib.suppress(OSError), held_open(left.parent) as above:
            if left.name.startswith(PREFIX) and is_own_directory(left.name, above):
                remove_entry(left.name, above)
        with contextlib.suppress(OSError):
            file.unlink()
