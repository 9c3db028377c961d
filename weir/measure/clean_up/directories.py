"""weir's own directories: for its user alone, marked on a target, and the only thing there that weir deletes.

Deletion follows no link: every step names an entry below a directory that is held open. Between the check of
a path and its deletion, whoever may write to one of its directories can exchange it. A directory that is held
open stays the one that was checked.

Faults of the environment are told from those of a cell: a full results disk or an unmounted target is not a
property of what was measured.
"""

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from weir.base.errors import WeirError
from weir.base.files import from_json

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_TRIES = 9  # to lock a new folder
_NAMES = 9  # of a user's directory on a machine
MARKER = ".weir-owned"
_MAKE_MARKER = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
_READ_MARKER = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
_MARKER_BYTES = 65536
# A marker with these errors is not ours: a link, a directory, a socket, unreadable or missing.
_NO_MARKER = (errno.ELOOP, errno.EISDIR, errno.ENXIO, errno.EACCES, errno.EPERM, errno.ENOENT)


@contextlib.contextmanager
def held_open(path: str | Path, dir_fd: int | None = None) -> Iterator[int]:
    """A descriptor of a directory. An entry below dir_fd must be a directory itself, not a link to one."""
    flags = _DIRECTORY if dir_fd is None else _DIRECTORY | os.O_NOFOLLOW
    descriptor = os.open(path, flags, dir_fd=dir_fd)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def is_link_or_no_directory(error: OSError) -> bool:
    """Whether O_NOFOLLOW or O_DIRECTORY refused another kind of entry."""
    return error.errno in (errno.ELOOP, errno.ENOTDIR)


def owned(descriptor: int) -> bool:
    """Whether the open directory is this user's; root's may be stored as another's (root_squash)."""
    return os.geteuid() in (0, os.fstat(descriptor).st_uid)


def remove_entry(name: str, dir_fd: int) -> None:
    """A file, a link (never what it points to) or a whole directory."""
    if stat.S_ISDIR(os.stat(name, dir_fd=dir_fd, follow_symlinks=False).st_mode):
        shutil.rmtree(name, dir_fd=dir_fd)
    else:
        os.unlink(name, dir_fd=dir_fd)


def remove_entries(descriptor: int, keep: str) -> None:
    """Everything in an open directory but one name."""
    for name in os.listdir(descriptor):
        if name != keep:
            remove_entry(name, descriptor)


def exposed_parent(folder: Path) -> Path | None:
    """The first directory on the path to folder, itself included, in which everybody may exchange entries."""
    resolved = folder.resolve()
    for each in reversed((resolved, *resolved.parents)):
        mode = each.stat().st_mode
        if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            return each
    return None


def is_own_directory(path: str | Path, dir_fd: int | None = None) -> bool:
    """Whether it is a directory of this user's, not a link to one; below dir_fd, if that is given."""
    try:
        facts = os.stat(path, dir_fd=dir_fd, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.geteuid()


def private_directory(path: Path) -> None:
    """Make it for this user alone; one that is a link or belongs to somebody else is refused."""
    with contextlib.suppress(FileExistsError):
        path.mkdir(mode=0o700)
    facts = path.lstat()
    if not stat.S_ISDIR(facts.st_mode):
        raise WeirError(f"{path} is not a directory", hint="another user may have made it: remove it")
    if facts.st_uid != os.geteuid():
        raise WeirError(
            f"{path} belongs to user {facts.st_uid}, not to user {os.geteuid()}",
            hint="ask that user or an administrator to remove it, or give the target another path",
        )
    if stat.S_IMODE(facts.st_mode) & 0o077:
        path.chmod(0o700)


@cache
def user_directory(above: Path = Path("/var/tmp")) -> Path:
    """The directory of this user on this machine, for nobody else. Another user may have taken its name: then
    the next one is used, also when the first is free again."""
    names = [f"weir-{os.geteuid()}", *(f"weir-{os.geteuid()}-{number}" for number in range(2, _NAMES + 1))]
    paths = [above / name for name in names]
    own = [path for path in paths if is_own_directory(path)] or [
        path for path in paths if not os.path.lexists(path)
    ]
    path = own[0] if own else paths[0]
    private_directory(path)
    if path != paths[0]:
        print(f"weir: {paths[0]} is another user's: the locks are in {path}", file=sys.stderr)
    return path


@contextlib.contextmanager
def own_folder(above: Path, prefix: str) -> Iterator[Path]:
    """A folder for the files of this process, on a file system of this machine. Those that killed processes
    of this user left there go: a living one holds the lock of its folder."""
    for left in above.glob(f"{prefix}*"):
        with contextlib.suppress(OSError):
            if is_own_directory(left):
                with held_open(left) as descriptor:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(left)
    with contextlib.ExitStack() as stack:
        yield _locked_folder(above, prefix, stack)


def _locked_folder(above: Path, prefix: str, stack: contextlib.ExitStack) -> Path:
    """Another start may take the new folder for one that was left, until it is locked."""
    for _ in range(_TRIES):
        made = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=prefix, dir=above)))
        try:
            fcntl.flock(stack.enter_context(held_open(made)), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (FileNotFoundError, BlockingIOError):
            continue
        except OSError:
            return made  # here nobody can lock, and so nobody removes
        if made.exists():
            return made
    raise WeirError(f"{above}: other processes of this user remove each new folder {prefix}*")


class Workspace:
    """<target folder>/weir-<token>/, where the token stands for one batch of one results folder.

    The marker inside names that results folder. A folder of that name without our marker is somebody else's:
    it stops the batch and is left alone.
    """

    def __init__(self, target_folder: Path, results: Path, batch: str) -> None:
        self._owner = f"{results.resolve()}#{batch}"
        token = hashlib.sha256(self._owner.encode(errors="surrogateescape")).hexdigest()[:10]
        self.target_folder = target_folder
        self.folder = target_folder / f"weir-{token}"

    def claim(self) -> None:
        """Make the folder, after removing what a killed predecessor of this batch left."""
        if os.path.lexists(self.folder):
            self.remove()
        self.folder.mkdir(mode=0o700)
        try:
            with held_open(self.folder) as ours:
                self._mark(ours)
        except OSError:  # a full target: leave nothing that looks like somebody else's
            (self.folder / MARKER).unlink(missing_ok=True)
            self.folder.rmdir()
            raise

    def _mark(self, folder: int) -> None:
        descriptor = os.open(MARKER, _MAKE_MARKER, 0o600, dir_fd=folder)
        with open(descriptor, "w", encoding="utf-8") as marker:
            marker.write(json.dumps({"owner": self._owner}) + "\n")

    def is_here(self) -> bool:
        """Whether the folder is the one that was claimed: a target that was unmounted does not have it.
        OSError where the file system does not say, as of a file on a server that does not answer."""
        try:
            os.lstat(self.folder / MARKER)
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True

    def run_folder(self, cell_id: str, run: int) -> Path:
        folder = self.folder / f"{cell_id}-{run:03d}"
        folder.mkdir()
        return folder

    def remove_run(self, folder: Path) -> None:
        """The data of one execution."""
        if folder.parent != self.folder:
            raise WeirError(f"{folder} is not below {self.folder}: not removed")
        with (
            contextlib.suppress(OSError),
            held_open(self.target_folder) as target,
            held_open(self.folder.name, target) as ours,
        ):
            remove_entry(folder.name, ours)

    def remove(self) -> None:
        """Delete the folder if, and only if, it carries our marker."""
        with held_open(self.target_folder) as target:
            try:
                with held_open(self.folder.name, target) as ours:
                    if not self._is_ours(ours):
                        raise self._foreign()
                    # The marker goes last: an interrupted removal is recognised and finished next time.
                    remove_entries(ours, keep=MARKER)
                    with contextlib.suppress(FileNotFoundError):
                        os.unlink(MARKER, dir_fd=ours)
                    try:
                        os.rmdir(self.folder.name, dir_fd=target)
                    except OSError:  # something, such as a rank on another node, still makes files there
                        self._mark(ours)
                        raise
            except FileNotFoundError:
                return
            except OSError as error:
                if is_link_or_no_directory(error):
                    raise self._foreign() from None
                raise

    def _foreign(self) -> WeirError:
        return WeirError(
            f"{self.folder} exists and was not made by this results folder",
            hint="move it away, or measure from the checkout that made it",
        )

    def _is_ours(self, folder: int) -> bool:
        if not owned(folder):
            return False
        names = set(os.listdir(folder))
        try:
            text = _content(MARKER, folder) if MARKER in names else ""
            if not text and names <= {MARKER}:
                return (
                    True  # killed between mkdir and the end of the marker, or before rmdir: nothing to lose
                )
            marker = from_json(text)
        except ValueError:
            return False
        except OSError as error:
            if error.errno in _NO_MARKER:
                return False
            # The storage does not tell whose it is.
            raise OSError(error.errno, error.strerror, str(self.folder / MARKER)) from None
        return isinstance(marker, dict) and marker.get("owner") == self._owner


def _content(name: str, folder: int) -> str:
    descriptor = os.open(name, _READ_MARKER, dir_fd=folder)
    try:
        return os.read(descriptor, _MARKER_BYTES).decode("utf-8")
    finally:
        os.close(descriptor)


def temporary_directory() -> tuple[str, Path]:
    """The directory in which MPI keeps the sockets and locks of a launch, with its name for messages."""
    return "TMPDIR", Path(os.environ.get("TMPDIR") or "/tmp")


def files_of_launches(folder: Path, results: Path, batch: str) -> Workspace:
    """Named after the batch, so that a later start finds and removes it."""
    return Workspace(folder, results, f"{batch} launches")


SHARED_MEMORY = Path("/dev/shm")
_PROBE_BYTES = 64 * 1024


class EnvironmentFaultError(WeirError):
    """The machine failed, not a cell: what was measured is kept, the rest stays unfinished."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, hint="run again when it is gone: finished runs are kept")


def fault(workspace: Workspace, results: Path) -> str | None:
    """Why no cell can succeed any more; checked when one has failed. None: the failure is its own."""
    if gone := missing(workspace):
        return gone
    places = [("target", workspace.folder), ("results", results)]
    places += [each for each in (("shared memory", SHARED_MEMORY), temporary_directory()) if each[1].is_dir()]
    for name, folder in places:
        if reason := unwritable(folder):
            return f"{name}: no file can be written in {folder}: {reason}"
    return None


def missing(workspace: Workspace) -> str | None:
    """Why the workspace is not the one that was claimed."""
    target = workspace.target_folder
    try:
        if not target.is_dir():
            return f"target: {target} is not there"
        if not workspace.is_here():
            return f"target: {workspace.folder} is not there any more: was {target} unmounted?"
    except OSError as error:
        return f"target: {error.filename} cannot be looked at: {error.strerror}"
    return None


def unwritable(folder: Path) -> str | None:
    """Writes to storage, not to the page cache alone: only then does a broken device answer."""
    try:
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(_PROBE_BYTES))
            probe.flush()
            os.fsync(probe.fileno())
    except OSError as error:
        return error.strerror or str(error)
    return None
