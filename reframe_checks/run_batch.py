#!/usr/bin/env python3
"""Measures one batch of a plan by ReFrame: run_batch.py SITE:PARTITION BATCH PLAN RECEIPT

ReFrame's exit code also reports cells that failed. Those are in the records with their reason and do not stop
the workflow; what decides is the receipt, which `weir run` writes when the batch is through. Progress, errors
and receipt pass through ReFrame as files that lie beside each other.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from weir.errors import WeirError, error_data
from weir.extras import install_hint
from weir.handover import Handover
from weir.schedulers import surrounding

HERE = Path(__file__).resolve().parent
POLL_S = 0.2
# After an interrupt ReFrame ends its job within seconds; the guardian of the batch may need longer.
CLEAN_UP_S = 60.0


def main(system: str, batch: str, plan: str, receipt: str) -> int:
    handover = Handover(Path(receipt).resolve())
    for file in (handover.errors, handover.progress):
        file.unlink(missing_ok=True)
    if shutil.which("reframe") is None:
        hint = f"spack install weir, or: {install_hint('reframe')}; a checkout of weir: make setup"
        error = WeirError("reframe is not on the PATH", hint=hint)
        handover.errors.write_text(json.dumps(error_data(error)), encoding="utf-8")
        handover.log.write_text(f"{error}\n", encoding="utf-8")
        return failed(batch, handover)
    status = run_reframe(system, batch, Path(plan).resolve(), handover)
    if status != 0 and handover.receipt.exists():
        print(
            f"{batch}: some executions failed; the report lists them; details: {handover.log}",
            file=sys.stderr,
        )
    return 0 if handover.receipt.exists() else failed(batch, handover)


def failed(batch: str, handover: Handover) -> int:
    for reason in handover.reasons():
        print(f"weir: {batch}: {reason}", file=sys.stderr)
    print(f"measuring {batch} failed; the whole log is {handover.log}", file=sys.stderr)
    return 1


def run_reframe(system: str, batch: str, plan: Path, handover: Handover) -> int:
    """Start ReFrame, pass on the lines of progress, and end it when this process is ended."""
    results = plan.parent.parent  # of the site, or of a campaign at it
    command = ["reframe", "--nocolor", "-C", str(HERE / "settings.py"), "-c", str(HERE / "measure.py")]
    command += ["--system", system, "--prefix", str(results / "reframe"), "--performance-report", "--run"]
    command += ["--name", f"^measure%batch=.*:{re.escape(batch)}$"]
    logs = results / "reframe" / "logs" / batch  # ReFrame leaves a log in TMPDIR each time
    shutil.rmtree(logs, ignore_errors=True)
    logs.mkdir(parents=True)
    environment = {**os.environ, "WEIR_PLAN": str(plan), "WEIR_RESULTS": str(results), "WEIR_BATCH": batch}
    environment |= {"TMPDIR": str(logs), "WEIR_TMPDIR": os.environ.get("TMPDIR", "")}
    around = surrounding(os.environ)
    if around is not None:  # within a job ReFrame does not submit another one
        environment["WEIR_IN_ALLOCATION"] = around.job(os.environ) or ""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with handover.log.open("w", encoding="utf-8") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=environment)
        try:
            follow(process, handover.progress)
        except KeyboardInterrupt:
            end(process, plan, batch)
            raise SystemExit(130) from None
    return process.returncode


def follow(process: subprocess.Popen[bytes], progress: Path) -> None:
    """Copy what is appended to the file to stderr until the process has ended."""
    seen = 0
    ended = False
    while not ended:
        ended = process.poll() is not None
        if progress.exists():
            with progress.open("rb") as stream:
                stream.seek(seen)
                text = stream.read()
            seen += len(text)
            sys.stderr.buffer.write(text)
            sys.stderr.flush()
        time.sleep(0 if ended else POLL_S)


def end(process: subprocess.Popen[bytes], plan: Path, batch: str) -> None:
    """ReFrame ends the job; this waits until nothing of it is left on the target."""
    for kind in (signal.SIGINT, signal.SIGTERM):
        signal.signal(kind, signal.SIG_IGN)
    process.send_signal(signal.SIGTERM)
    process.wait()
    from weir.measure.lock import is_busy  # with what reads a plan, most of the time of a start
    from weir.plan import read_plan

    contents = read_plan(plan)
    own = contents.batch(batch)
    targets = [contents.site.targets[each.target] for each in (own, *contents.in_turns(own))]
    over = time.monotonic() + CLEAN_UP_S
    while any(map(is_busy, targets)) and time.monotonic() < over:
        time.sleep(POLL_S)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
