"""Files that a batch leaves for whoever started it, beside each other in the folder of the study."""

import contextlib
import json
import os
import re
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weir.base.errors import WeirError, error_data
from weir.base.files import fault_of, json_of, read_object, read_shaped, text_of, write_atomically
from weir.base.mounts import noexec_hint
from weir.base.processes import is_the_same

FOLDER = "batches"
MEASURED_PLAN = (
    "plan-measured.json"  # by weir.workflow.study.hand_over; collect keeps it as plan.json beside the records
)
HOLDER_FILE = "weir-workflow.json"  # below .snakemake: who runs the workflow of the checkout
PLAN_FILES = (MEASURED_PLAN, "plan.json")

# The phases before a job runs; the reason of a later one is that its batch is not through.
_NOT_STARTED = re.compile(
    r"^ +\* Failing phase: (?:setup|compile|run)$\n(?:^ +\* Rerun.*\n)?^ +\* Reason: (.*)$", re.MULTILINE
)
_DENIED = "Permission denied"
_HOLDER = {"host": str, "pid": int, "started_ticks?": int}
_IN_TURNS = {"started": float, "with": str, "receipt": dict}
_RECEIPT = {
    "batches": [
        {
            "batch": str,
            "unavailable?": str,
            "unavailable_cells?": {"*": str},
            "kept": int,
            "failed": [str],
            "executions": int,
        }
    ]
}
_MOST_ERRORS = 5  # the last errors of ReFrame, or of a job
_JOB_LOGS = ("slurm-logs/rule_measure", "queue-logs")  # below results/: of profiles/slurm and profiles/queue
_END_BYTES = 65536
_STARTED = "WEIR_STARTED"  # a parameter of a job would measure it again


def note_start() -> None:
    """Notes the start of a workflow for its jobs."""
    os.environ[_STARTED] = str(time.time())


def start_of_workflow() -> float | None:
    """The start of the workflow in seconds since 1970; None where no workflow started this process."""
    noted = os.environ.get(_STARTED)
    return float(noted) if noted else None


def holder_of(file: Path) -> dict[str, Any] | None:
    """Host, process and its start, as a workflow notes them."""
    content: dict[str, Any] = json_of(file)
    return None if fault_of(content, _HOLDER) or "started_ticks" not in content else content


def workflow_runs(study: Path) -> bool:
    """Whether a workflow of the study's checkout is alive: a failed batch then goes back into the queue.

    That of another machine is known by its locks."""
    folder = study.parents[2] / ".snakemake"
    holder = holder_of(folder / HOLDER_FILE)
    if holder is None or holder["host"] != socket.gethostname():
        return any((folder / "locks").glob("*"))
    return is_the_same(holder["pid"], holder["started_ticks"])


@dataclass(frozen=True)
class Handover:
    """Named after the batch: two batches that fail keep their own reasons."""

    receipt: Path  # the counts; written when the batch is through

    @classmethod
    def of(cls, study_folder: Path, batch: str) -> "Handover":
        return cls(study_folder / FOLDER / f"{batch}.json")

    @property
    def errors(self) -> Path:
        """Why the batch could not be measured, as `weir run --errors` writes it."""
        return self.receipt.with_suffix(".errors.json")

    @property
    def progress(self) -> Path:
        """A line for each execution."""
        return self.receipt.with_suffix(".progress")

    @property
    def log(self) -> Path:
        """All output of ReFrame."""
        return self.receipt.with_suffix(".log")

    @property
    def in_turns(self) -> Path:
        """The receipt of a batch whose rounds the job of another one has measured, until its own job takes
        it: Snakemake deletes the receipt itself when that job starts."""
        return self.receipt.with_suffix(".in-turns")

    def note_in_turns(self, receipt: Mapping[str, Any], by: str) -> None:
        """Note that the job of batch `by` has measured this batch. Without a workflow there is no other
        job."""
        if (started := start_of_workflow()) is not None:
            note = {"started": started, "with": by, "receipt": receipt}
            write_atomically(self.in_turns, json.dumps(note) + "\n")

    def take_in_turns(self) -> bool:
        """Take the receipt of another job of this workflow; False where there is none."""
        try:
            note = read_shaped(self.in_turns, _IN_TURNS, hint="")
        except (FileNotFoundError, WeirError):
            return False
        finally:
            self.in_turns.unlink(missing_ok=True)
        if note["started"] != start_of_workflow():
            return False
        log = self.log.with_name(f"{note['with']}.log")
        self.log.write_text(f"measured in turns with {note['with']}: {log}\n", encoding="utf-8")
        write_atomically(self.receipt, json.dumps(note["receipt"], indent=1) + "\n")
        return True

    def forget_in_turns(self) -> None:
        """The jobs of all other batches start ReFrame: the one that measured them logged no values."""
        for file in self.receipt.parent.glob("*.in-turns"):
            file.unlink(missing_ok=True)

    def counts(self) -> dict[str, Any]:
        """The counts of the batch in its receipt; FileNotFoundError without one."""
        hint = f"delete it, then start the workflow again: rm {self.receipt}"
        batches = read_shaped(self.receipt, _RECEIPT, hint)["batches"]
        found: list[dict[str, Any]] = [one for one in batches if one["batch"] == self.receipt.stem]
        if len(found) != 1:
            message = f"is damaged: {self.receipt.stem} is in it {len(found)} times"
            raise WeirError(message, file=str(self.receipt), key="batches", hint=hint)
        return found[0]

    def reasons(self) -> list[str]:
        """The messages in the file of errors, each with its hint; else the errors of ReFrame, or of the batch
        system."""
        try:
            errors = read_object(self.errors, "run the batch again")["errors"]
            return [_shown(error) for error in errors]
        except FileNotFoundError:
            found = self._errors_of_reframe() or self._errors_of_the_job()
            return found or [self._without_message()]
        except (WeirError, KeyError, TypeError) as error:
            return [f"the reason is not readable: {error}"]

    def _without_message(self) -> str:
        """Snakemake makes an empty log before it submits a job, and alone has the reply of the batch
        system."""
        try:
            has_begun = self.log.stat().st_size > 0
        except OSError:
            has_begun = False
        return (
            "it was ended without an error message"
            if has_begun
            else "its job started nothing: snakemake's messages about it, above, tell whether it was refused"
        )

    def _errors_of_reframe(self) -> list[str]:
        """The lines of ReFrame's log that begin with ERROR, such as those of a configuration that it
        refuses; else why it could not start the batch."""
        text = text_of(self.log)
        found = [line.removeprefix("ERROR: ") for line in text.splitlines() if line.startswith("ERROR: ")]
        if not found and (failure := _NOT_STARTED.search(text)):
            hint = noexec_hint(self.receipt.parent) if _DENIED in failure[1] else ""
            found = [f"{failure[1]}\n    {hint}" if hint else failure[1]]
        return [f"ReFrame: {message}" for message in dict.fromkeys(found[-_MOST_ERRORS:])]

    def _errors_of_the_job(self) -> list[str]:
        """The errors in the newest log of the job: if its prologue fails, nothing of the job runs."""
        results = [*self.receipt.parents][3:4]
        logs = [
            log
            for above in results
            for folder in _JOB_LOGS
            for log in (above / folder / self.receipt.stem).glob("*.log")
        ]
        try:
            newest = max(logs, key=lambda log: log.stat().st_mtime)
            lines = newest.read_bytes()[-_END_BYTES:].decode(errors="replace").splitlines()
        except (OSError, ValueError):  # there is none
            return []
        found = [line for line in lines if " error: " in line]
        return [f"{line} ({newest})" for line in dict.fromkeys(found[-_MOST_ERRORS:])]


def write_errors(error: WeirError, file: Path | None) -> None:
    """The reason of a batch, in a file of its own; a full disk must not hide it from stderr."""
    if file is None:
        return
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, json.dumps(error_data(error), indent=1, default=str) + "\n")


def _shown(error: Mapping[str, str]) -> str:
    return error["message"] + (f"\n    {error['hint']}" if "hint" in error else "")
