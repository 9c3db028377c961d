"""The guardian: a process beside weir that touches the target for it, and cleans up when weir is gone.

weir may be killed, and a file system that does not answer stops every process that uses it. So a second
process, in a session of its own, deletes data and looks for faults, on request and with a time limit. When
the pipe from weir ends without the request to end, it ends the launch, settles what has run, empties the
target and releases the locks. weir's side of the pipe is in prepared_target.py.

python -m weir.measure.clean_up.guardian RESULTS BATCH reads a line of JSON with the facts of the batch, then
one for each request.
"""

import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from weir.base.errors import WeirError, hint_of
from weir.base.files import write_atomically
from weir.base.processes import INTERRUPTS
from weir.measure.clean_up.directories import Workspace, fault, files_of_launches, missing
from weir.measure.clean_up.prepared_target import PREPARE_TOKEN, clean_up
from weir.measure.clean_up.shared_memory import remove_orphans, remove_sessions
from weir.measure.execute import GRACE_S, POLL_S, end_processes, processes_with_token
from weir.measure.lock import LOCK_IN_TARGET, Holder, Lock, lock_of_launches, names_another
from weir.records.model import Target

# Time from the end of the guardian's pipe to the end of its process.
WEIR_ENDS_S = 30.0


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
    def of(cls, facts: Mapping[str, Any]) -> "Custody":
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
                if neighbour and self.lock is not None:  # another user has other files there
                    raise WeirError(
                        f"target {self.target.name} may be measured by {neighbour}",
                        hint=f"if it is gone, delete {self.target.path}/{LOCK_IN_TARGET}, and clean up again",
                    )
                self.claimed = True  # for all that is known
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
        return {"neighbour": neighbour}

    def _lock_the_target(self) -> str | None:
        """A holder on another node that may still measure there, which this node cannot check; or another
        user, whose lock only he can read."""
        lock = Lock(Path(self.target.path) / LOCK_IN_TARGET)
        try:
            if (holder := lock.take(self.own)) is not None:
                raise WeirError(
                    f"target {self.target.name} is being measured by {holder}",
                    hint=f"wait for it, or end it on {holder.host}; if it is gone, delete {lock.path}",
                )
            self.lock = lock
        except OSError as error:  # no file can be made there: claiming the workspace will tell
            if isinstance(error, PermissionError) and os.path.lexists(lock.path):
                return f"user {os.lstat(lock.path).st_uid}, who has made {lock.path}"
        return str(lock.neighbour) if lock.neighbour else None

    def _remove_files_of_launches(self) -> None:
        remove_orphans(self.since)
        folder = self.temporary.target_folder
        if folder.is_dir():
            remove_sessions(self.since, folder)
            self.temporary.remove()

    def _empty_the_target(self) -> None:
        try:
            if self.claimed and missing(self.workspace) and self.results.is_dir():
                # The target was unmounted, with what is on it: the next start, which sees this, removes it.
                self.launches.mkdir(parents=True, exist_ok=True)
            if Path(self.target.path).is_dir():
                self.workspace.remove()
            self.claimed = False
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
        # The commands of a target must not touch what weir still uses.
        while self.own.is_alive() and time.monotonic() < over:
            time.sleep(POLL_S)
        if not self._clean_up_after_a_kill()["complaints"]:
            self.note.unlink(missing_ok=True)  # else the next start tries again
        locks = [self.machine_lock] + ([] if self._another_measures() else [lock_of_launches(self.launches)])
        for lock in locks:
            with contextlib.suppress(OSError):
                lock.unlink()

    def _clean_up_after_a_kill(self) -> dict[str, Any]:
        """Cleans up; returns how many processes were ended, and what could not be cleaned up."""
        self._wait_for_the_launcher()
        ended = end_processes(self.token)
        complaints = []
        steps = [self._remove_files_of_launches]
        if not self._another_measures():
            steps = [self._settle, *steps, self._empty_the_target]
        for step in steps:
            try:
                step()
            except (WeirError, OSError) as error:
                complaints.append(str(error))
        complaints += clean_up(self.target)
        if left := end_processes(f"{PREPARE_TOKEN}{self.token}"):
            complaints += clean_up(self.target)
        return {"processes": ended + left, "complaints": complaints}

    def _another_measures(self) -> bool:
        """Whether launches and workspace are of a start on another node: a preflight, which has claimed
        nothing, does not hold their lock."""
        return not self.claimed and names_another(lock_of_launches(self.launches), self.own)

    def _settle(self) -> None:
        # It is needed after a kill alone, and each batch waits for the imports of its guardian.
        from weir.measure.clean_up.remains import settle

        settle(self.launches, self.results)

    def _wait_for_the_launcher(self) -> None:
        """Waits for the launcher, which got SIGTERM when weir ended, and ends ranks on other nodes, too."""
        over = time.monotonic() + GRACE_S
        while processes_with_token(self.token) and time.monotonic() < over:
            time.sleep(POLL_S)


def main() -> None:
    """Serves weir, then cleans up after it. The signals that end weir are blocked at its start."""
    for each in (*INTERRUPTS, signal.SIGPIPE):
        signal.signal(each, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTS)
    lines = sys.stdin
    first = lines.readline()
    if not first:
        return
    facts = json.loads(first)
    number = facts.pop("number")
    found: list[Custody] = []
    answer = _answer(lambda: found.append(Custody.of(facts)))
    _reply(number, answer)
    if not found:  # no note can be made, or it has not what this version needs
        return
    (custody,) = found
    for line in lines:
        request = json.loads(line)
        number = request["number"]
        if request["do"] == "end":
            custody.end(request["forget"])
            _reply(number, {})
            return
        _reply(number, _answer(partial(custody.answer, request)))
    custody.take_over()


def _answer(call: Callable[[], dict[str, Any] | None]) -> dict[str, Any]:
    """The answer to a call, also to a fault of weir itself, which would otherwise end the guardian without a
    message."""
    try:
        return call() or {}
    except WeirError as error:
        return {"error": error.problems[0].message, "hint": error.problems[0].hint}
    except OSError as error:
        return {"error": f"{error.filename or 'target'}: {error.strerror}", "hint": hint_of(error)}
    except Exception as error:
        return {"broken": f"cleaning up failed: {type(error).__name__}: {error}"}


def _reply(number: int, answer: Mapping[str, Any]) -> None:
    with contextlib.suppress(OSError):
        print(json.dumps({**answer, "number": number}), flush=True)


if __name__ == "__main__":
    main()
