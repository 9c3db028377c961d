"""What the guardian of a batch does: small errands on the target, and all clean-up once weir is gone."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from weir.errors import WeirError
from weir.measure.execute import GRACE_S, POLL_S, processes_with_token
from weir.measure.faults import fault
from weir.measure.job import BatchJob
from weir.measure.lock import LOCK_IN_TARGET, Holder, Lock
from weir.measure.prepare import PREPARE_TOKEN, clean_up
from weir.measure.settle import settle
from weir.measure.shared_memory import remove_orphans
from weir.measure.workspace import Workspace
from weir.model import Target


def facts_of(job: BatchJob, token: str, own: Holder, machine_lock: Path) -> dict[str, Any]:
    """What a guardian is given at its start."""
    target = job.target
    return {
        "target": {
            "name": target.name,
            "kind": target.kind,
            "path": target.path,
            "cleanup": target.cleanup,
            "environment": dict(target.environment),
        },
        "results": str(job.results),
        "batch": job.batch,
        "launches": str(job.launch_folder),
        "token": token,
        "holder": asdict(own),
        "machine_lock": str(machine_lock),
    }


@dataclass
class Custody:
    """A batch in the care of its guardian."""

    target: Target
    results: Path
    launches: Path
    token: str
    own: Holder
    machine_lock: Path
    workspace: Workspace
    lock: Lock | None = None  # in the target
    since: float = field(default_factory=time.time)

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Custody:
        target = facts["target"]
        cleanup = tuple(tuple(command) for command in target["cleanup"])
        results = Path(facts["results"])
        return cls(
            Target(**target | {"cleanup": cleanup}),
            results,
            Path(facts["launches"]),
            facts["token"],
            Holder(**facts["holder"]),
            Path(facts["machine_lock"]),
            Workspace(Path(target["path"]), results, facts["batch"]),
        )

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        match request["do"]:
            case "claim":
                return self._claim()
            case "fault":
                return {"fault": fault(self.workspace, self.results)}
            case "remove":
                for folder in request["folders"]:
                    self.workspace.remove_run(Path(folder))
            case "clean":
                self._clean()
        return {}

    def _claim(self) -> dict[str, Any]:
        """The lock that other nodes see, then the workspace."""
        lock = Lock(Path(self.target.path) / LOCK_IN_TARGET)
        with contextlib.suppress(OSError):  # no file can be made there: claiming the workspace will tell
            if (holder := lock.take(self.own)) is not None:
                raise WeirError(
                    f"target {self.target.name} is being measured by {holder}",
                    hint=f"wait for it, or end it on {holder.host}; if it is gone, delete {lock.path}",
                )
            self.lock = lock
        self.workspace.claim()
        return {"neighbour": str(lock.neighbour) if lock.neighbour else None}

    def _clean(self) -> None:
        remove_orphans(self.since)
        try:
            if Path(self.target.path).is_dir():
                self.workspace.remove()
        finally:
            if self.lock is not None:
                self.lock.release()

    def take_over(self) -> None:
        """weir is gone: end its launch, keep what has run, leave nothing."""
        self._wait_for_the_launcher()
        self._end_processes(self.token)
        with contextlib.suppress(WeirError, OSError):
            settle(self.launches, self.results, faultless=False)
        with contextlib.suppress(WeirError, OSError):
            self._clean()
        clean_up(self.target)
        if self._end_processes(f"{PREPARE_TOKEN}{self.token}"):
            clean_up(self.target)
        with contextlib.suppress(OSError):
            self.machine_lock.unlink()

    def _wait_for_the_launcher(self) -> None:
        """It got SIGTERM when weir ended, and ends ranks on other nodes, too."""
        over = time.monotonic() + GRACE_S
        while processes_with_token(self.token) and time.monotonic() < over:
            time.sleep(POLL_S)

    def _end_processes(self, token: str) -> bool:
        pids = processes_with_token(token)
        for pid in pids:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        return bool(pids)
