"""The calls of a program: whether they moved what it reports, to the whole of the files, and to stay
there."""

from weir.audit.moved import DISTINCT
from weir.audit.registry import Outcome, degraded, invalid, not_observable, passed, rule
from weir.audit.subject import HEADER_FORMATS, Subject
from weir.base.units import sizes

# Every byte of their workload passes through a read or write call; those of the formats may also stay in a
# cache of the library.
_BY_CALLS = ("POSIX", "MPIIO")
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
    return degraded(text) if subject.row.get("api") in HEADER_FORMATS else invalid(text)


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
    if subject.row.get("api") not in (*_BY_CALLS, *HEADER_FORMATS):
        return None
    counted: int = counts["rchar" if subject.is_read else "wchar"]
    return counted


_TELLING = 8  # transfers of a rank: of fewer the estimate tells little
_WITHDRAWN = 0.05  # share of the bytes of a write


@rule("INVALID", needs_output=True)
def places_repeated(subject: Subject) -> Outcome | None:
    """The calls began at less than half as many offsets as there are calls, as libweir-witness saw them: a
    part of the files stood for the whole, which a cache of a drive or server can answer. File formats and
    reads that begin again are excluded.

    Hint: look for LD_PRELOAD and for a changed program, or verify the data (IOR -R).
    """
    # The count is an estimate; more than about 30,000 offsets of a rank count as distinct. The estimate
    # counts slots that hashes of the offsets mark.
    if not (subject.is_write or subject.is_read) or subject.stores_nothing or subject.passes > 1:
        return None
    if subject.row.get("api") in HEADER_FORMATS or subject.row.get("zipf"):
        return None
    seen = subject.observed.get("places")
    if not seen:
        return not_observable("nobody saw at which offsets the calls began")
    text = f"{seen['calls']} calls began at about {seen['distinct']} places"
    if seen["calls"] < _TELLING * (subject.observed.get("tasks") or 1):
        return not_observable(f"{text}: too few to tell")
    return invalid(text) if seen["distinct"] < DISTINCT * seen["calls"] else passed(text)


@rule("DEGRADED", needs_output=True)
def drawn_again(subject: Subject) -> Outcome | None:
    """More than half of the bytes of a read at random offsets (IOR -z -z -F) had been read before by the same
    read, which any cache of that size answers. IOR before 16 May 2025 draws from the first 1/tasks of each
    file.

    Hint: read less than the files hold, with weir-io, which draws from the whole of them.

    Of a log: take a newer IOR, and read less (-s) than the files hold.
    """
    # IOR's warning about sizes shows it.
    drawn, moved = subject.observed.get("drawn"), subject.number("moved_bytes")
    if not drawn or not moved or not subject.is_read:
        return None
    late = drawn["late_share"] * moved
    once = min(moved - late, drawn["bytes"]) + min(late, drawn["late_bytes"])
    text = "read {} at offsets drawn from {}".format(*sizes(moved, drawn["bytes"]))
    return degraded(text) if once < DISTINCT * moved else passed(text)


@rule("INVALID", needs_output=True)
def bytes_withdrawn(subject: Subject) -> Outcome | None:
    """The ranks truncated or removed more than 5 % of the bytes of a write that had to reach the storage
    before they were stored (cancelled_write_bytes of /proc/self/io): a synchronisation then has nothing left
    to do.

    Hint: look for LD_PRELOAD, and for a program that cuts or removes files while the clock runs.
    """
    if not subject.is_write or subject.stores_nothing or subject.in_memory or not subject.leaves_client:
        return None
    withdrawn, moved = subject.observed.get("cancelled_bytes"), subject.number("moved_bytes")
    if withdrawn is None:
        withdrawn = (subject.observed.get("process_io") or {}).get("cancelled_write_bytes")
    if withdrawn is None or not moved:
        return not_observable("the kernel does not tell what was taken away again")
    text = "{} of {} were taken away again before they were stored".format(*sizes(withdrawn, moved))
    return invalid(text) if withdrawn > _WITHDRAWN * moved else passed(text)
