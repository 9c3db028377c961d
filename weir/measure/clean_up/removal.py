"""Deletion that follows no link: every step names an entry below a directory that is held open.

Between the check of a path and its deletion, whoever may write to one of its directories can exchange it. A
directory that is held open stays the one that was checked.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from weir.base.errors import WeirError

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


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


def owned_entry(name: str, dir_fd: int) -> bool:
    """Whether an entry is a directory of this user's, not a link to one."""
    facts = os.stat(name, dir_fd=dir_fd, follow_symlinks=False)
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.geteuid()


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


def is_own_directory(path: Path) -> bool:
    """Whether it is a directory of this user's, not a link to one."""
    try:
        facts = path.lstat()
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
