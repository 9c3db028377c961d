"""One job of a private batch system, submitted and followed by weir's own methods on the login node.

    python -m tests.queues.job FOLDER SCHEDULER SECONDS EXIT_CODE OPTION...

It prints the job's id, each new state, and how the job ended. The job notes the id of its process and its
node, waits while FOLDER/stuck is there, and measures what is missing of the plan in FOLDER.
"""

import secrets
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.programs import write_program
from tests.queues.checkout import QueueCheckout
from tests.queues.system import System
from tests.workflow.processes import until
from weir.site.schedulers import JobFiles, Request, scheduler
from weir.site.schedulers.executors import Submitted, job_script, submit

NODES, CORES = 2, 4
_LONGEST_S = 240
_MARK = "WEIR_TEST_JOB"
PLAN, RESULTS = "plan.json", "results/sandbox"


class Job:
    """Of the checkout's plan; it has two cells, of which the second waits while checkout.hold is there."""

    def __init__(self, system: System, checkout: QueueCheckout, time_s: float = 900, code: int = 0) -> None:
        self.checkout, self.cluster, self.folder = checkout, checkout.cluster, checkout.folder
        self.mark = f"{_MARK}={secrets.token_hex(8)}"
        (self.folder / "process").unlink(missing_ok=True)
        options = [word for word in system.options.split(", ") if word]
        given = [self.folder, system.scheduler, time_s, code, *options]
        self.process = checkout.start("env", self.mark, sys.executable, "-m", __name__, *map(str, given))
        self.printed: list[str] = []
        self.number = self.until("submitted ").split()[-1]

    def until(self, text: str) -> str:
        """The line that has it; it ends by itself when nothing happens for long."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.printed.append(line)
            if text in line:
                return line
        raise AssertionError(f"no '{text}' in: {''.join(self.printed)}")

    @property
    def log(self) -> str:
        return (self.folder / "job.log").read_text()

    def until_it_runs(self) -> tuple[str, str]:
        """The id of its process as the nodes see it, and its node."""
        self.until("running")
        self._wait_for("the process", (self.folder / "process").exists)
        number, node = (self.folder / "process").read_text().split()
        return number, node

    def until_one_run_has_ended(self) -> None:
        """And the other is in flight."""
        self._wait_for("a run", self.checkout.runs)

    def end(self) -> str:
        self.checkout.hold.unlink(missing_ok=True)
        return self.until("over: ")

    def left(self) -> list[str]:
        """Processes with the mark in their environment, on all nodes, some seconds after its end at most."""
        self.process.wait()
        until(lambda: self._processes() == [], _LONGEST_S)
        return self._processes()

    def _processes(self) -> list[str]:
        found = []
        for pid in self.cluster.machine.processes():
            try:
                if self.mark.encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                    found.append(Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " "))
            except OSError:
                continue
        return found

    def _wait_for(self, what: str, condition: Callable[[], object]) -> None:
        until(lambda: bool(condition()) or self.process.poll() is not None, _LONGEST_S)
        assert condition(), f"{what} did not come; {''.join(self.printed)}{self.log}"


def main() -> int:
    folder, name, time_s, code, *options = sys.argv[1:]
    system, log, script = scheduler(name), Path(folder, "job.log"), Path(folder, "job.sh")
    lines = [
        "echo $$ $(hostname) >process.new && mv process.new process",
        "while [ -e stuck ]; do sleep 0.2; done",
        f"weir run --plan {PLAN} --results {RESULTS} && exit {code}",
    ]
    write_program(script, job_script(lines, log, Path(folder)))
    request = Request(NODES, float(time_s), CORES, options=options)
    submitted = Submitted(system, submit(system, request, JobFiles("weir_fault", script, log)), log)
    print(f"submitted {submitted.job}", flush=True)
    over, printed = time.monotonic() + _LONGEST_S, ""
    while (failure := submitted.failure()) is None and time.monotonic() < over:
        told = submitted.news or (submitted.state.phase if submitted.state else "")
        if told != printed:
            print(told, flush=True)
        printed = told
        time.sleep(0.3)
    print(f"over: {'nothing for long' if failure is None else failure or 'done'}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
