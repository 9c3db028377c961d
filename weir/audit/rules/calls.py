"""Rules that compare what a program reports with the calls that left it."""

from __future__ import annotations

from weir.audit.outcome import Outcome, degraded, invalid, not_observable, passed
from weir.audit.registry import rule
from weir.audit.subject import Subject
from weir.base.units import sizes

# Every byte of their workload passes through a read or write call; those of the formats may also stay in a
# cache of the library.
_BY_CALLS = ("POSIX", "MPIIO")
_FORMATS = ("HDF5", "NETCDF4", "PNETCDF")
# The first part of a file may compress better than the rest.
_LEAST_OF_REDUCED = 0.5
# MPI libraries have clients of their own for these: their bytes pass through sockets.
_OWN_CLIENTS = ("pvfs2", "orangefs", "fuse.daos")


@rule("INVALID", "DEGRADED", needs_output=True)
def bytes_not_in_calls(subject: Subject) -> Outcome | None:
    """The program reports more bytes than its calls moved, as libweir-witness or the kernel (/proc/self/io)
    counted them: some calls never reached the operating system. For a file format (HDF5, NetCDF-4, PnetCDF)
    it is DEGRADED, because the library may answer from its own cache.

    Hint: look for LD_PRELOAD and for a changed program; with a file format, make blocks larger than the
    library's cache.
    """
    # The kernel's count is not used for mapped files, io_uring, Linux AIO and clients outside it. Clients
    # outside the kernel are those of IME, DAOS and OrangeFS. A single missing byte is a finding; of
    # compressed data half must pass.
    if not (subject.is_write or subject.is_read) or subject.stores_nothing:
        return None
    called, moved = _called_bytes(subject), subject.number("moved_bytes")
    if called is None or not moved:
        return not_observable("nobody counted the calls of the program")
    needed = _LEAST_OF_REDUCED * subject.of_files(moved) if subject.is_compressed else moved
    reported, in_calls = sizes(moved, called)
    text = f"reported {reported}, the calls moved {in_calls}"
    if called >= needed:
        return passed(text)
    return degraded(text) if subject.row.get("api") in _FORMATS else invalid(text)


@rule("INVALID", needs_output=True)
def read_of_holes(subject: Subject) -> Outcome | None:
    """The run wrote the files that it read, and its write calls moved fewer bytes than it reports as written,
    by libweir-witness: the read met holes, or data of an earlier run.

    Hint: see what the write of the same run is INVALID for.
    """
    written, in_calls = (subject.observed.get(key) for key in ("written_bytes", "written_in_calls"))
    if not subject.is_read or subject.stores_nothing or written is None or in_calls is None:
        return None
    told, moved = sizes(written, in_calls)
    text = f"{told} were reported as written, the calls moved {moved}"
    return invalid(text) if in_calls < written else passed(text)


def _called_bytes(subject: Subject) -> int | None:
    """The witness counts the calls on the files of the run, the kernel those on all: it comes second."""
    called: int | None = subject.observed.get("called_bytes")
    counts, system = (subject.observed.get(name) for name in ("process_io", "file_system"))
    if called is not None or counts is None or system is None or system in _OWN_CLIENTS:
        return called
    if subject.row.get("api") not in (*_BY_CALLS, *_FORMATS):
        return None
    counted: int = counts["rchar" if subject.is_read else "wchar"]
    return counted
