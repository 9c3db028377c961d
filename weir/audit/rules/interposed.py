"""Libraries between the program and the system: their names prove nothing, counts do. The calls of the C
library that a measurement relies on stand here by task: a library that provides one may falsify it."""

import re
from collections.abc import Iterable, Iterator
from functools import cache

from weir.audit.registry import Outcome, invalid, not_observable, note, passed, rule
from weir.audit.rules.content import contents_differ
from weir.audit.rules.device import sync_not_effective
from weir.audit.rules.names import entries_not_there, files_not_synchronised
from weir.audit.rules.process import clock_wrong
from weir.audit.subject import Subject

_TRACER = ("ptrace", "process ")  # the call, and how its object begins
# The last pages of a file may not be counted yet, and its first ones may have been there.
_CONFIRMED = 0.95


@rule("INVALID", "NOTE", needs_output=True)
def interposed_library(subject: Subject) -> Outcome | None:
    """Another object than the C library provides calls that the result rests on: a preloaded or linked
    library, or changed tables of calls (LD_AUDIT, hooks). It is a note, and the record lacks the evidence
    `calls`, unless counts of the kernel, the device, the servers or libweir-witness confirm each kind of
    call. A traced process (ptrace) is INVALID.

    Hint: unset LD_PRELOAD and LD_AUDIT, end strace or the debugger; or set LD_PRELOAD in the stack, which
    puts weir's witness behind the library, or verify the data (verify_read: true).

    Of a log: unset LD_PRELOAD and LD_AUDIT, end strace or the debugger, or compare the data (IOR -R).
    """
    # A tracer can answer any call: hence INVALID. Darshan and sanitizers pass the calls on; others drop a
    # synchronisation or a flag, or answer themselves. An audit library that may change any call (la_pltenter)
    # stands for all. What confirms a kind: of transfers the bytes that libweir-witness, the kernel or the
    # servers counted, or that were verified or, in memory, compared with the files; of synchronisations the
    # bytes on the device; of operations on names those of the witness, or a look at the entries by the
    # kernel; of clocks the kernel's own. Where a synchronisation of a pipe succeeds (`weir prove` tries it),
    # a library such as libeatmydata answers it, and whether one was requested is unknown.
    if not subject.has_result:
        return None
    seen = subject.observed.get("interposed")
    if seen is None:
        return not_observable("the program does not tell which libraries provide its calls")
    tracers = {one["object"] for one in seen if one["call"] == _TRACER[0]}
    tracers = {name for name in tracers if name.startswith(_TRACER[1])}
    if tracers:
        return invalid(f"traced (ptrace) by {', '.join(sorted(tracers))}")
    objects: dict[str, set[str]] = {}
    for one in seen:
        objects.setdefault(one["call"], set()).add(one["object"])
    unconfirmed, providers = [], set()
    for kind in _kinds(subject):
        calls = [call for call in objects if does(call, (kind,))]
        providers |= {name for call in calls for name in objects[call]}
        if calls and not _is_confirmed(subject, kind):
            unconfirmed += calls
    if not unconfirmed and not providers:
        return passed("the C library provides all calls that matter")
    if not unconfirmed:
        return passed(f"counts confirm the calls of {', '.join(sorted(providers))}")
    names = ", ".join(sorted({name for call in unconfirmed for name in objects[call]}))
    calls_text = ", ".join(sorted({*unconfirmed}))
    return note(f"{calls_text} come from {names}, and no count confirms them")


def _kinds(subject: Subject) -> Iterator[str]:
    """Kinds of calls that the result rests on."""
    yield CLOCKS
    if subject.stores_nothing:
        return
    if subject.is_metadata:
        yield NAMES
        if subject.synchronises_files:
            yield SYNCHRONISATION
        return
    yield MAPPINGS if subject.row.get("api") == "MMAP" else TRANSFERS
    wanted = subject.row.get("sync") or subject.observed.get("syncs_answered")
    if subject.is_write and wanted and not subject.in_memory:
        yield SYNCHRONISATION


def _is_confirmed(subject: Subject, kind: str) -> bool:
    if kind == CLOCKS:
        return clock_wrong.passes(subject)
    if kind == SYNCHRONISATION and (subject.observed.get("syncs_answered") or not _reach_the_system(subject)):
        return False
    if kind == SYNCHRONISATION:
        return (files_not_synchronised if subject.is_metadata else sync_not_effective).passes(subject)
    if kind == NAMES:
        called, done = subject.observed.get("called_operations"), subject.number("ops")
        counted = called is not None and done is not None and called >= done
        return (counted and not _is_behind(subject, kind)) or entries_not_there.passes(subject)
    return _are_transfers_confirmed(subject, kind)


def _reach_the_system(subject: Subject) -> bool:
    """A library that drops them is seen by the witness even where others' writes fill the device's count."""
    called = subject.observed.get("called_syncs")
    return called is None or (
        called >= (subject.observed.get("tasks") or 1) and not _is_behind(subject, SYNCHRONISATION)
    )


def _is_behind(subject: Subject, kind: str) -> bool:
    """A library below the witness: what the witness passed on may have gone nowhere."""
    seen = subject.observed.get("interposed") or ()
    return any(one.get("behind") and does(one["call"], (kind,)) for one in seen)


def _are_transfers_confirmed(subject: Subject, kind: str) -> bool:
    moved = subject.number("moved_bytes")
    if not moved:
        return False
    needed = subject.of_files(moved)
    called = subject.observed.get("called_bytes")
    by_calls = needed if subject.is_compressed else moved
    if called is not None and called >= by_calls and not _is_behind(subject, kind):
        return True
    if contents_differ.passes(subject):
        return True
    verify = subject.observed.get("verify") or {}
    if not verify.get("errors") and (verify.get("checked_bytes") or 0) >= moved:
        return True
    return any(count >= _CONFIRMED * needed for count in _counts_below(subject))


def _counts_below(subject: Subject) -> Iterator[float]:
    """Bytes of the access by the kernel, the device and the servers. A device or a server may also have
    served others, which makes a count larger than it is: the rules about others say so."""
    write = subject.is_write
    servers = (subject.observed.get("servers") or {}).get("observers") or ()
    of_kernel = subject.observed.get("dirtied_bytes") if write else subject.number("fetched_bytes")
    of_device = subject.observed.get("device_written_bytes" if write else "device_read_bytes")
    of_servers = [one.get("sent_bytes" if write else "received_bytes") for one in servers]
    yield from (float(count) for count in (of_kernel, of_device, *of_servers) if count is not None)


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
        *("fsync", "fdatasync", "syncfs", "sync", "sync_file_range", "aio_fsync", "msync", "syscall"),
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
    plain = name.removesuffix("64")
    names = {name, plain, name.removesuffix("at"), plain.removesuffix("at")}
    return frozenset(kind for kind, calls in _DOES.items() if names & set(calls))


def does(call: str, kinds: Iterable[str]) -> bool:
    return not _done_by(call).isdisjoint(kinds)
