"""Calls of the C library that a measurement relies on, by task: a library that provides one may falsify
it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

TRANSFERS, SYNCHRONISATION, CLOCKS, MAPPINGS, NAMES = "transfers", "syncs", "clocks", "mappings", "names"
# Variants for large files, fortified programs and directories (open64, __read_chk, mkdirat) are missing.
_DOES: dict[str, tuple[str, ...]] = {
    TRANSFERS: (
        *("open", "openat", "creat", "close", "dup", "dup2", "dup3", "fcntl", "lseek", "syscall", "ioctl"),
        *("read", "pread", "readv", "preadv", "preadv2", "write", "pwrite", "writev", "pwritev", "pwritev2"),
        *("aio_read", "aio_write", "aio_return", "lio_listio", "fopen", "fdopen", "fread", "fwrite"),
        *("copy_file_range", "sendfile", "splice", "posix_fadvise", "ftruncate", "truncate", "fallocate"),
        "posix_fallocate",
    ),
    SYNCHRONISATION: (
        "fsync",
        "fdatasync",
        "syncfs",
        "sync",
        "sync_file_range",
        "aio_fsync",
        "msync",
        "syscall",
    ),
    CLOCKS: ("clock_gettime", "gettimeofday", "time", "times", "timespec_get", "syscall"),
    MAPPINGS: ("mmap", "mremap", "msync", "munmap", "madvise"),
    NAMES: (
        *("mkdir", "rmdir", "unlink", "remove", "rename", "renameat2", "mknod", "link", "symlink", "syscall"),
        *("stat", "lstat", "statx", "xstat", "lxstat", "fxstat", "open", "openat", "creat", "close"),
    ),
}
_VARIANT = re.compile(r"^_*(?P<name>.*?)(?:64)?(?:_chk|_2|_nocancel)?(?:_time64)?$")


_OF_AN_AUDITOR = "la_"  # rtld-audit(7): it may change any call as it passes


@cache
def _done_by(call: str) -> frozenset[str]:
    if call.startswith(_OF_AN_AUDITOR):
        return frozenset(_DOES)
    match = _VARIANT.match(call)
    name = match["name"] if match else call
    names = {
        name,
        name.removesuffix("64"),
        name.removesuffix("at"),
        name.removesuffix("64").removesuffix("at"),
    }
    return frozenset(kind for kind, calls in _DOES.items() if names & set(calls))


def does(call: str, kinds: Iterable[str]) -> bool:
    return not _done_by(call).isdisjoint(kinds)
