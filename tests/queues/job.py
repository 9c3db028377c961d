"""One job of a private batch system, submitted and followed by weir's own methods on the login node.

    python -m tests.queues.job FOLDER SCHEDULER SECONDS EXIT_CODE OPTION...

It prints the job's id, each new state, and how the job ended. The job notes the id of its process and waits
while FOLDER/hold is there.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from tests.queues.nodes import Cluster
from tests.queues.system import System
from weir.schedulers import scheduler
from weir.schedulers.base import JobFiles, Request
from weir.schedulers.submitting import Submitted, job_script, submit

NODES, CORES = 2, 4
_LONGEST_S = 120
_MARK = "WEIR_TEST_JOB"


class Job:
    def __init__(
        self, system: System, cluster: Cluster, folder: Path, time_s: float = 600, code: int = 0
    ) -> None:
        self.cluster, self.folder = cluster, folder
        self.mark = f"{_MARK}={folder}"
        self.hold.touch()
        options = [word for word in system.options.split(", ") if word]
        given = [folder, system.scheduler, time_s, code, *options]
        self.process = subprocess.Popen(
            [*cluster.on("login"), "env", self.mark, sys.executable, "-m", __name__, *map(str, given)],
            env=cluster.environment,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.printed: list[str] = []
        self.number = self.until("submitted ").split()[-1]

    @property
    def hold(self) -> Path:
        return self.folder / "hold"

    def until(self, text: str) -> str:
        """The line that has it; it ends by itself when nothing happens for long."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.printed.append(line)
            if text in line:
                return line
        raise AssertionError(f"no '{text}' in: {''.join(self.printed)}")

    def until_it_runs(self) -> str:
        """The id of its process, as the nodes see it."""
        self.until("running")
        return self._wait_for(self.folder / "process")

    def end(self) -> str:
        self.hold.unlink(missing_ok=True)
        return self.until("over: ")

    def left(self) -> list[str]:
        """Processes with the mark in their environment, on all nodes, some seconds after its end at most."""
        until = time.monotonic() + _LONGEST_S
        self.process.wait()
        while (found := list(self._processes())) and time.monotonic() < until:
            time.sleep(0.2)
        return found

    def _processes(self) -> list[str]:
        found = []
        for pid in self.cluster.machine.processes():
            try:
                if self.mark.encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                    found.append(Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " "))
            except OSError:
                continue
        return found

    def _wait_for(self, file: Path) -> str:
        until = time.monotonic() + _LONGEST_S
        while not file.exists():
            assert time.monotonic() < until, f"the job wrote no {file}"
            time.sleep(0.1)
        return file.read_text().strip()


def main() -> int:
    folder, name, time_s, code, *options = sys.argv[1:]
    system, log, script = scheduler(name), Path(folder, "job.log"), Path(folder, "job.sh")
    lines = [
        "echo $$ >process.new && mv process.new process",
        "while [ -e hold ]; do sleep 0.2; done",
        f"exit {code}",
    ]
    script.write_text(job_script(lines, log, Path(folder)))
    script.chmod(0o755)
    request = Request(NODES, float(time_s), CORES, options=options)
    submitted = Submitted(system, submit(system, request, JobFiles("weir_fault", script, log)), log)
    print(f"submitted {submitted.job}", flush=True)
    until, printed = time.monotonic() + _LONGEST_S, ""
    while (failure := submitted.failure()) is None and time.monotonic() < until:
        told = submitted.news or (submitted.state.phase if submitted.state else "")
        if told != printed:
            print(told, flush=True)
        printed = told
        time.sleep(0.3)
    print(f"over: {'nothing for long' if failure is None else failure or 'done'}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
