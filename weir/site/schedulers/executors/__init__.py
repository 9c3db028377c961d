"""Jobs that weir submits by itself, by the methods of a scheduler: for Snakemake and for ReFrame alike.

A job leaves its exit code in a file beside its log: many batch systems forget that, and others cannot always
be reached from a login node.
"""

import os
import shlex
import time
from collections.abc import Sequence
from pathlib import Path

from weir.base.errors import WeirError
from weir.base.files import text_of
from weir.site.schedulers import ENDED, STUCK, JobFiles, JobState, Request, Scheduler, ended

# So long a file of a job that has ended may not be visible yet on a shared file system.
SEEN_LATE_S = 30.0
# Exit codes of a shell above it tell the signal that ended a program; a script so ended has left no file.
_BY_SIGNAL = 128


def exit_file(log: Path) -> Path:
    return log.with_name(f"{log.name}.exit-code")


def messages_file(log: Path) -> Path:
    """The file with what the batch system itself prints into a job, such as that its time is over."""
    return log.with_name(f"{log.name}.queue")


def job_script(lines: Sequence[str], log: Path, folder: Path) -> str:
    """A script that runs these lines in the folder, started again after a failed node, too."""
    code = shlex.quote(str(exit_file(log)))
    return "\n".join(
        [
            "#!/bin/bash",
            f"exec >>{shlex.quote(str(log))} 2>&1 </dev/null",
            own_path(),
            f"rm -f {code}",
            f"cd {shlex.quote(str(folder))} || exit",
            "(",
            *lines,
            ")",
            "ended=$?",
            f"echo $ended >{code}.new && mv {code}.new {code}",
            "exit $ended",
            "",
        ]
    )


def own_path() -> str:
    """Programs are found where they are now: PBS starts a login shell, which sets another PATH."""
    return f"export PATH={shlex.quote(os.environ.get('PATH', os.defpath))}"


def submit(system: Scheduler, request: Request, files: JobFiles) -> str:
    """The id of the job; the error of a refusal is that of the batch system."""
    for left in (exit_file(files.log), messages_file(files.log)):
        left.unlink(missing_ok=True)  # of an earlier job with this log: this one may never come to its script
    command = system.submission(request, files)
    done = ended(command)
    job = system.submitted(done.stdout) if done.returncode == 0 else ""
    if not job:
        raise WeirError(
            f"{command[0]} refuses the job: {_last_lines(done.stderr + done.stdout) or 'no message'}",
            key="scheduler_options",
            value=shlex.join(request.options),
            hint=f"command: {shlex.join(command)}",
        )
    return job


class Submitted:
    """A job that was submitted, until it has ended."""

    def __init__(self, system: Scheduler, job: str, log: Path, tells_its_end: bool = True) -> None:
        self.system, self.job, self.log = system, job, log
        self.tells_its_end = tells_its_end  # in the file beside its log
        self.state: JobState | None = None
        self.news = ""  # what there is to tell about a job that does not end
        self._ended_at = 0.0

    def failure(self) -> str | None:
        """The reason of a failure: None while the job waits or runs; empty after success."""
        self.state = state = self.system.state(self.job)
        if state is None:
            self.news = f"{self.system.name} does not tell the state of job {self.job}; asking again"
            return None
        if state.phase == STUCK:
            self.system.cancel_job(self.job)
            return f"job {self.job} could not start, and was cancelled: {state.reason}"
        if state.phase != ENDED:
            self.news = f"job {self.job} is {state.phase}: {state.reason}" if state.reason else ""
            return None
        return self._end(state)

    def _end(self, state: JobState) -> str | None:
        self._ended_at = self._ended_at or time.monotonic()
        code, told = self._own_exit_code(), state.exit_code
        may_come = self.tells_its_end and time.monotonic() - self._ended_at < SEEN_LATE_S
        if code is None and not state.reason and not told and may_come:
            return None
        if code == 0 or (not self.tells_its_end and not state.reason):
            return ""
        if code is None and told and told <= _BY_SIGNAL:
            code = told
        if code is not None and not state.reason:
            return f"job {self.job} ended with exit code {code}"
        signal = f"signal {told - _BY_SIGNAL} ended it" if told and told > _BY_SIGNAL else ""
        messages = _last_lines(text_of(messages_file(self.log))) or signal
        if told is None:
            messages = "; ".join(filter(None, ["it knows nothing of this job any more", messages]))
        reason = state.reason or messages or "it does not tell why"
        return f"job {self.job} was ended by {self.system.name}: {reason}"

    def _own_exit_code(self) -> int | None:
        text = text_of(exit_file(self.log)).strip()
        return int(text) if text.isdigit() else None


def _last_lines(text: str) -> str:
    return "; ".join(line.strip() for line in text.splitlines() if line.strip())[-400:]
