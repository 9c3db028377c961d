"""One measurement at a time on a target: two would measure each other, and delete each other's files.

There are three locks. One lies on this machine, in /var/tmp/weir-UID/locks, and is taken before the target is
prepared; it keeps a user's checkouts apart. Another lies in the target, where jobs on other nodes see it. The
third lies in the results: two starts of one batch on two nodes have targets of one name. Each names its
holder. Where a file system has no locks, the name decides.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from weir.base.errors import WeirError
from weir.base.files import fault_of, from_json
from weir.base.processes import is_the_same, started
from weir.base.storage_calls import real_path
from weir.measure.clean_up.directories import private_directory, user_directory
from weir.records.model import Target
from weir.site.schedulers import surrounding

LOCK_IN_TARGET = ".weir-lock"
NOTE_SUFFIX = ".json"
_POLL_S = 0.5
# A weir that was killed has a guardian, which cleans up and holds the lock meanwhile.
GUARDIAN_S = 60.0


_HOLDER = {
    **dict.fromkeys(("host", "since", "results", "batch"), str),
    **dict.fromkeys(("pid", "started_ticks", "user"), int),
    **{"job?": str, "cleans?": bool},
}


@dataclass(frozen=True)
class Holder:
    """The process that measures on a target."""

    host: str
    pid: int
    started_ticks: int
    since: str
    user: int
    results: str
    batch: str
    job: str | None  # of the batch system
    cleans: bool = False  # up after a measurement that was killed, and measures nothing

    def __str__(self) -> str:
        job = f", job {self.job}" if self.job else ""
        return f"process {self.pid} on {self.host}{job}, since {self.since}, for {self.results}"

    @property
    def is_here(self) -> bool:
        return self.host == socket.gethostname()

    def is_alive(self) -> bool | None:
        """Whether the holder is alive; None if that cannot be known from here."""
        if self.is_here:
            return is_the_same(self.pid, self.started_ticks)
        scheduler = surrounding(os.environ)
        return scheduler.is_alive(self.job) if scheduler and self.job else None


def this_process(results: Path, batch: str) -> Holder:
    scheduler = surrounding(os.environ)
    return Holder(
        socket.gethostname(),
        os.getpid(),
        started(os.getpid()) or 0,
        datetime.now(UTC).isoformat(timespec="seconds"),
        os.geteuid(),
        str(results),
        batch,
        scheduler.job(os.environ) if scheduler else None,
    )


class Lock:
    """A file that one process holds; its content names the process."""

    def __init__(self, path: Path) -> None:
        self.path = path
        # A killed holder leaves there how to clean up after it: remains.
        self.note = path.with_suffix(NOTE_SUFFIX)
        self.descriptor = -1
        self.neighbour: Holder | None = None  # may measure here, too: nothing tells

    def take(self, own: Holder) -> Holder | None:
        """Become the holder; the one that is it already is returned."""
        while True:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            try:
                found = _holder(descriptor)
                busy = self._busy(descriptor, found)
            except BaseException:
                os.close(descriptor)
                raise
            if not busy and _is_current(descriptor, self.path):
                self.descriptor = descriptor
                self.name(own, found)
                return None
            os.close(descriptor)
            if busy:
                return found or own

    def _busy(self, descriptor: int, found: Holder | None) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:  # a file system without locks
            return found is not None and found.is_alive() is not False
        return False

    def name(self, own: Holder, found: Holder | None) -> None:
        """A holder on another node may still measure: some file systems lock within one node only."""
        of_this_job = found is not None and found.job is not None and found.job == own.job
        if found and not found.is_here and not of_this_job and found.is_alive() is not False:
            self.neighbour = found
        try:
            # In one write: whoever reads it meanwhile finds a holder.
            text, size = json.dumps(asdict(own)), os.fstat(self.descriptor).st_size
            os.pwrite(self.descriptor, (text.ljust(size - 1) + "\n").encode(), 0)
        except OSError as error:
            self.release()
            raise OSError(error.errno, error.strerror, str(self.path)) from None

    def release(self) -> None:
        if self.descriptor < 0:
            return
        with contextlib.suppress(OSError):
            os.unlink(self.path)
        self.hand_over()

    def hand_over(self) -> None:
        """Hold it no longer; a guardian that inherited the descriptor does, and releases it."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1


def lock_directory() -> Path:
    folder = user_directory() / "locks"
    private_directory(folder)
    return folder


def machine_lock(target: Target) -> Lock:
    """The lock is named by the target's path: two checkouts may give one directory two names."""
    folder = lock_directory()
    place = real_path(target.path) if target.path.startswith("/") else target.path
    return Lock(folder / hashlib.sha256(place.encode(errors="surrogateescape")).hexdigest()[:16])


def batch_locks(target: Target, launches: Path, of_targets: dict[Path, Lock]) -> list[Lock]:
    """The lock of the target, which batches share, and that of the launches of one batch."""
    lock = machine_lock(target)
    return [of_targets.setdefault(lock.path, lock), launch_lock(launches)]


def launch_lock(folder: Path) -> Lock:
    """The lock of the launches of a batch lies beside their folder, in its results: a start on another node,
    which would settle them, has a machine lock of its own."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    return Lock(lock_of_launches(folder))


def lock_of_launches(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.lock")


def hold_launches(lock: Lock, own: Holder, report: Callable[[str], None]) -> None:
    """Become the holder, or refuse. The guardian of a killed weir still settles its launches for a moment; a
    node that failed may keep its lock for long, or for ever."""
    over, reported = time.monotonic() + GUARDIAN_S, False
    while (holder := lock.take(own)) is not None:
        if holder is not own:  # which stands for one that has not named itself yet
            if holder.job and holder.job == own.job:
                return
            if holder.is_alive() is not False:
                raise WeirError(
                    f"batch {own.batch} is being measured by {holder}",
                    hint=f"wait for it, or end it on {holder.host}; if it is gone, delete {lock.path}",
                )
            if not reported:
                report(f"waiting for the clean-up after {holder}")
                reported = True
        if time.monotonic() >= over:
            return
        time.sleep(_POLL_S)


def names_another(path: Path, own: Holder) -> bool:
    """Whether a lock names another process than own, which may be at work."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        found = _holder(descriptor)
    finally:
        os.close(descriptor)
    if found is None or (found.host, found.pid) == (own.host, own.pid):
        return False
    return found.is_alive() is not False


def hold(
    locks: Sequence[Lock],
    target: Target,
    results: Path,
    batch: str,
    wait_s: float,
    report: Callable[[str], None],
    is_patient: bool = True,
) -> Holder:
    """This process becomes the holder of the lock of the target and, where it is given, of that of the
    launches; or it names this batch instead of another one on that target. If that could not be cleaned up,
    its guardian has kept the lock."""
    own = this_process(results, batch)
    of_target, *of_launches = locks
    if of_target.descriptor >= 0:
        of_target.name(own, None)
    else:
        take(of_target, own, target, wait_s, report, is_patient)
    for lock in of_launches:
        hold_launches(lock, own, report)
    return own


def take(
    lock: Lock,
    own: Holder,
    target: Target,
    wait_s: float,
    report: Callable[[str], None],
    is_patient: bool = True,
) -> None:
    """Wait for a holder in clean-up and, if patient, an earlier process of its batch; refuse any other."""
    began, reported = time.monotonic(), False
    while (holder := lock.take(own)) is not None:
        is_unnamed = holder is own  # for a moment
        if not is_unnamed and holder.is_here and holder.pid == own.pid:
            raise WeirError(
                f"target {target.name}: cleaning up after a killed measurement does not end",
                hint="look at the file system of the target, or unmount it; then run again",
            )
        waited_s = time.monotonic() - began
        is_same = (holder.results, holder.batch) == (own.results, own.batch)
        same = is_patient and is_same and not is_unnamed and holder.is_alive() is True
        cleaning = (is_unnamed or holder.cleans or holder.is_alive() is False) and waited_s < GUARDIAN_S
        if not same and not cleaning and waited_s >= wait_s:
            raise WeirError(
                f"target {target.name} is being measured by {holder}",
                hint=f"wait for it, or end it: kill {holder.pid} on {holder.host}",
            )
        if not reported and not is_unnamed:
            report(f"waiting for {holder}, which {'cleans up' if cleaning else 'measures this target'}")
            reported = True
        time.sleep(_POLL_S)


def _is_current(descriptor: int, path: Path) -> bool:
    """Whether the file is still the one of that name: its last holder deleted it."""
    try:
        named = os.lstat(path)
    except FileNotFoundError:
        return False
    facts = os.fstat(descriptor)
    return (facts.st_dev, facts.st_ino) == (named.st_dev, named.st_ino)


def _holder(descriptor: int) -> Holder | None:
    try:
        facts = from_json(os.pread(descriptor, 4096, 0))
        return None if fault_of(facts, _HOLDER) else Holder(**facts)
    except (ValueError, TypeError):
        return None
