"""The duties of the guardian of a batch: small errands on the target, and all clean-up once weir is
gone."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from weir.base.errors import WeirError
from weir.base.files import write_atomically
from weir.measure.clean_up.prepare import PREPARE_TOKEN, clean_up
from weir.measure.clean_up.shared_memory import remove_orphans, remove_sessions
from weir.measure.clean_up.workspace import Workspace, fault, files_of_launches, missing, temporary_directory
from weir.measure.execute import GRACE_S, POLL_S, end_processes, processes_with_token
from weir.measure.lock import LOCK_IN_TARGET, Holder, Lock
from weir.measure.session import PlannedBatch
from weir.terms.model import Target

# Time from the end of the guardian's pipe to the end of its process.
WEIR_ENDS_S = 30.0


def facts_of(planned: PlannedBatch, token: str, own: Holder, lock: Lock) -> dict[str, Any]:
    """Facts that a guardian gets at its start, and stores for the next start."""
    target = planned.target
    return {
        "target": {
            "name": target.name,
            "kind": target.kind,
            "path": target.path,
            "cleanup": target.cleanup,
            "environment": dict(target.environment),
        },
        "results": str(planned.results),
        "batch": planned.batch,
        "launches": str(planned.launch_folder),
        "token": token,
        "holder": asdict(own),
        "machine_lock": str(lock.path),
        "note": str(lock.note),
        "since": time.time(),
        "temporary": str(temporary_directory()[1]),
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
    note: Path
    since: float  # in seconds since 1970
    temporary: Workspace  # of the programs
    workspace: Workspace
    lock: Lock | None = None  # in the target
    claimed: bool = False  # the workspace, which a holder on another node may have else

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Custody:
        target = facts["target"]
        cleanup = tuple(tuple(command) for command in target["cleanup"])
        results = Path(facts["results"])
        note = Path(facts["note"])
        write_atomically(note, json.dumps(facts) + "\n")
        return cls(
            Target(**target | {"cleanup": cleanup}),
            results,
            Path(facts["launches"]),
            facts["token"],
            Holder(**facts["holder"]),
            Path(facts["machine_lock"]),
            note,
            facts["since"],
            files_of_launches(Path(facts["temporary"]), results, facts["batch"]),
            Workspace(Path(target["path"]), results, facts["batch"]),
        )

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        match request["do"]:
            case "claim":
                return self._claim()
            case "adopt":  # the workspace that a killed guardian of this batch has claimed
                self._lock_the_target()
                self.claimed = True
            case "temporary":
                return {"folder": self._make_temporary()}
            case "look":
                with contextlib.suppress(OSError):
                    os.statvfs(self.target.path)
                    os.lstat(self.workspace.folder)
            case "fault":
                return {"fault": fault(self.workspace, self.results)}
            case "remove":
                for folder in request["folders"]:
                    self.workspace.remove_run(Path(folder))
            case "clean":
                self._remove_files_of_launches()
                if request["is_whole"] and (gone := missing(self.workspace)):
                    raise WeirError(gone, hint="mount it again; the next start removes what is left there")
                if self.claimed:
                    self._empty_the_target()
            case "take over":
                neighbour = self._lock_the_target()
                if neighbour:
                    raise WeirError(
                        f"target {self.target.name} may be measured by {neighbour}",
                        hint=f"if it is gone, delete {self.target.path}/{LOCK_IN_TARGET}, and clean up again",
                    )
                return self._clean_up_after_a_kill()
        return {}

    def _make_temporary(self) -> str | None:
        if not self.temporary.target_folder.is_dir():
            return None
        self.temporary.claim()
        return str(self.temporary.folder)

    def _claim(self) -> dict[str, Any]:
        """The lock that other nodes see, then the workspace."""
        neighbour = self._lock_the_target()
        self.claimed = True
        self.workspace.claim()
        return {"neighbour": str(neighbour) if neighbour else None}

    def _lock_the_target(self) -> Holder | None:
        """A holder on another node that may still measure there; this node cannot check it."""
        lock = Lock(Path(self.target.path) / LOCK_IN_TARGET)
        with contextlib.suppress(OSError):  # no file can be made there: claiming the workspace will tell
            if (holder := lock.take(self.own)) is not None:
                raise WeirError(
                    f"target {self.target.name} is being measured by {holder}",
                    hint=f"wait for it, or end it on {holder.host}; if it is gone, delete {lock.path}",
                )
            self.lock = lock
        return lock.neighbour

    def _remove_files_of_launches(self) -> None:
        remove_orphans(self.since)
        folder = self.temporary.target_folder
        if folder.is_dir():
            remove_sessions(self.since, folder)
            self.temporary.remove()

    def _empty_the_target(self) -> None:
        try:
            if Path(self.target.path).is_dir():
                self.workspace.remove()
        finally:
            if self.lock is not None:
                self.lock.release()

    def end(self, forget: bool) -> None:
        """Nothing is left on the target. A preflight, and a batch that stops before it claims its workspace,
        leave the directory for the files of launches. The note stays if that cannot be removed."""
        try:
            if self.temporary.is_here():
                self._remove_files_of_launches()
        except (WeirError, OSError):
            return
        if forget:
            self.note.unlink(missing_ok=True)

    def take_over(self) -> None:
        """weir is gone: end its launch, keep what has run, leave nothing."""
        over = time.monotonic() + WEIR_ENDS_S
        while (
            self.own.is_alive() and time.monotonic() < over
        ):  # the commands of a target do not touch what it uses
            time.sleep(POLL_S)
        if not self._clean_up_after_a_kill()["complaints"]:
            self.note.unlink(missing_ok=True)  # else the next start tries again
        with contextlib.suppress(OSError):
            self.machine_lock.unlink()

    def _clean_up_after_a_kill(self) -> dict[str, Any]:
        """Cleans up; returns how many processes were ended, and what could not be cleaned up."""
        self._wait_for_the_launcher()
        ended = end_processes(self.token)
        complaints = []
        for step in (self._settle, self._remove_files_of_launches, self._empty_the_target):
            try:
                step()
            except (WeirError, OSError) as error:
                complaints.append(str(error))
        complaints += clean_up(self.target)
        if left := end_processes(f"{PREPARE_TOKEN}{self.token}"):
            complaints += clean_up(self.target)
        return {"processes": ended + left, "complaints": complaints}

    def _settle(self) -> None:
        from weir.measure.status import settle  # needed after a kill alone, and each batch waits for imports

        settle(self.launches, self.results)

    def _wait_for_the_launcher(self) -> None:
        """Waits for the launcher, which got SIGTERM when weir ended, and ends ranks on other nodes, too."""
        over = time.monotonic() + GRACE_S
        while processes_with_token(self.token) and time.monotonic() < over:
            time.sleep(POLL_S)
