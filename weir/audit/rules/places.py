"""Whether the bytes went where they should: to the whole of the files, and to stay there."""

from __future__ import annotations

from weir.audit.outcome import Outcome, degraded, invalid, not_observable, passed
from weir.audit.registry import rule
from weir.audit.subject import HEADER_FORMATS, Subject
from weir.base.units import sizes

# If offsets are drawn with repetition, at least 1 - 1/e (63 %) of them are distinct.
_DISTINCT = 0.5
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
    return invalid(text) if seen["distinct"] < _DISTINCT * seen["calls"] else passed(text)


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
    return degraded(text) if once < _DISTINCT * moved else passed(text)


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
