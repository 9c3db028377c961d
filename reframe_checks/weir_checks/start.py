"""Starts ReFrame on one batch for the job of a workflow, and ends what it started when the job is ended."""

import contextlib
import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from weir.base.errors import WeirError, error_data
from weir.base.files import read_object
from weir.base.plugins import install_hint
from weir.base.processes import (
    EXIT_INTERRUPTED,
    adopt_orphans,
    caught_signals,
    children,
    die_with_parent,
    wait_for_children,
    waits_in,
    without_terminal,
)
from weir.measure.clean_up.directories import own_folder, private_directory, user_directory
from weir.measure.clean_up.starter import follow_the_starter
from weir.measure.handover import Handover
from weir.site.schedulers import Scheduler, scheduler, surrounding

CHECKS = Path(__file__).resolve().parents[1]
POLL_S = 0.2
# A target that does not answer is waited for, for 30 s.
CLEAN_UP_S = 60.0
PLAIN = re.compile(r"[\w./@%+=:,-]+", re.ASCII)
# The id of the job that ReFrame submits, if it submits one.
JOB_NAME_VARIABLE = "WEIR_JOB_NAME"
# Signals that ended this process. They interrupt nothing: an exception may come where Python drops it.
STOPPED: list[str] = []


def run_reframe(system: str, batch: str, plan: Path, handover: Handover) -> int:
    """ReFrame's exit code; where there is no ReFrame, the reason is handed over."""
    for number in caught_signals():
        signal.signal(number, lambda number, _: STOPPED.append(signal.Signals(number).name))
    follow_the_starter()
    if shutil.which("reframe") is not None:
        return _run(system, batch, plan, handover)
    hint = f"spack install weir, or: {install_hint('reframe')}; a checkout of weir: make setup"
    error = WeirError("reframe is not on the PATH", hint=hint)
    handover.errors.write_text(json.dumps(error_data(error)), encoding="utf-8")
    handover.log.write_text(f"{error}\n", encoding="utf-8")
    handover.receipt.unlink(missing_ok=True)
    return 1


def _run(system: str, batch: str, plan: Path, handover: Handover) -> int:
    """Start ReFrame, pass on the lines of progress, and end what it started when this process is ended."""
    results = plan.parent.parent  # of the site, or of a campaign at it
    command = ["reframe", "--nocolor", "-C", str(CHECKS / "settings.py"), "-c", str(CHECKS / "measure.py")]
    command += ["--system", system, "--prefix", str(results / "reframe"), "--performance-report", "--run"]
    command += ["--name", f"^measure%batch=.*:{re.escape(batch)}$"]
    logs = results / "reframe" / "logs" / batch  # ReFrame leaves a log in TMPDIR each time
    shutil.rmtree(logs, ignore_errors=True)
    logs.mkdir(parents=True)
    # Else each batch leaves a report below HOME, and fails where that cannot be written. One is a format.
    formatted = str(results / "reframe" / "perflogs").replace("%", "%%")
    environment = {"RFM_REPORT_FILE": str(logs / "report.json"), "RFM_PERFLOG_DIR": formatted, **os.environ}
    environment |= {"WEIR_PLAN": str(plan), "WEIR_RESULTS": str(results), "WEIR_BATCH": batch}
    environment |= {"TMPDIR": str(logs), "WEIR_TMPDIR": os.environ.get("TMPDIR", "")}
    around = surrounding(os.environ)
    if around is not None:  # within a job ReFrame does not submit another one
        environment["WEIR_IN_ALLOCATION"] = around.job(os.environ) or ""
    environment[JOB_NAME_VARIABLE] = name = f"weir-{secrets.token_hex(6)}"
    adopt_orphans()
    with handover.log.open("w", encoding="utf-8") as log, stage_directory(results) as stage:
        # Its own session: of two that end its job on Ctrl-C, one kills what the other lets clean up.
        process = subprocess.Popen(
            [*command, "--stage", str(stage)],
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
            preexec_fn=partial(die_with_parent, signal.SIGKILL),
        )
        if not follow(process, handover.progress):
            end(process)
            if around is None:  # ReFrame may have submitted a job
                scheduler_of(system, plan).cancel(name)
            print(f"weir: {batch}: ended by {STOPPED[0]}; finished runs are kept", file=sys.stderr)
            raise SystemExit(EXIT_INTERRUPTED)
    return process.returncode


@contextlib.contextmanager
def stage_directory(results: Path) -> Iterator[Path]:
    """The directory in which ReFrame starts its script; meanwhile it is elsewhere if its path has a space, at
    which ReFrame splits it."""
    stage = results / "reframe" / "stage"
    if PLAIN.fullmatch(str(stage)):
        yield stage
        return
    folders = user_directory() / "stages"
    private_directory(folders)
    with own_folder(folders, "tmp") as elsewhere:
        try:
            yield elsewhere
        finally:
            shutil.copytree(elsewhere, stage, dirs_exist_ok=True)


def follow(process: subprocess.Popen[bytes], progress: Path) -> bool:
    """Copy what is appended to the file to stderr until the process has ended; False if a signal came."""
    seen = 0
    ended = False
    while not ended and not STOPPED:
        ended = process.poll() is not None
        if progress.exists():
            with progress.open("rb") as stream:
                stream.seek(seen)
                text = stream.read()
            seen += len(text)
            with contextlib.suppress(BrokenPipeError), without_terminal():
                sys.stderr.buffer.write(text)
                sys.stderr.flush()
        time.sleep(0 if ended else POLL_S)
    return not STOPPED


def scheduler_of(system: str, plan: Path) -> Scheduler:
    """The scheduler of one system alone, since another batch system that does not answer would be waited
    for."""
    site = read_object(plan, "plan again")["site"]
    return scheduler(site["partitions"][system.partition(":")[2]]["scheduler"])


def end(process: subprocess.Popen[bytes]) -> None:
    """End what ReFrame started on this machine, because it follows ReFrame, whose own way to end a job kills
    it after 2 s, in its clean-up."""
    daemons = children() - {process.pid}  # of a target, which its clean-up ends
    process.kill()
    left = wait_for_children(daemons, CLEAN_UP_S)
    for pid in left:
        print(f"weir: process {pid} does not end: it waits, {waits_in(pid)}", file=sys.stderr)
