"""Bytes: requested, moved, in the file, and in the bandwidth."""

from collections.abc import Callable

from weir.audit.registry import Outcome, degraded, invalid, not_observable, note, passed, rule
from weir.audit.subject import HEADER_FORMATS, Subject
from weir.base.units import about_size, sizes, sizes_and_percent
from weir.records.printed_values import product_contains

_MIB = 2**20
_CLOSE = 0.02  # a random order without agreement of the ranks misses the whole by less than this
_NO_RATE = 1e-4  # share of the bytes that leaves the bandwidth the same


@rule("INVALID", needs_output=True)
def bytes_moved(subject: Subject) -> Outcome | None:
    """No stonewall ended the phase, and the bytes moved are not the bytes requested: the number belongs to
    another workload.

    Hint: look for the reason in the output; a read can only return what was written before.
    """
    if subject.is_metadata or not subject.has_result:
        return None
    return _compared(subject, invalid, of_a_deal=False)


@rule("DEGRADED", needs_output=True)
def random_draw_overlaps(subject: Subject) -> Outcome | None:
    """Random order in a shared file should give every block to one rank, and the total moved is near the size
    of the file: some blocks were moved by several ranks, others by none.

    Hint: use weir-io or an IOR that deals the blocks out; such files have holes.
    """
    # The bandwidth is that of the bytes moved.
    if not _shared_random(subject) or not subject.has_result:
        return None
    return _compared(subject, degraded, of_a_deal=True)


def _compared(subject: Subject, finding: Callable[[str], Outcome], of_a_deal: bool) -> Outcome | None:
    """The finding of the rule that is about differences of such a deal, or about all others."""
    if not subject.number("moved_bytes") or not subject.number("requested_bytes"):
        return not_observable("the bytes requested or moved are unknown")
    difference = _difference(subject)
    if difference is None:
        return passed(_moved_text(subject))
    return finding(_moved_text(subject)) if _is_disagreed_deal(subject, difference) == of_a_deal else None


def _difference(subject: Subject) -> float | None:
    """Moved less expected as a share of expected; nothing where they agree or where it cannot be told."""
    moved, requested = subject.number("moved_bytes"), subject.number("requested_bytes")
    if not moved or not requested:
        return None
    expected = subject.passes * min(requested, subject.observed.get("written_bytes") or requested)
    if moved == expected or (moved > expected and subject.observed.get("min_time_s")):
        return None
    if moved < expected and _may_move_less(subject, moved / expected):
        return None
    return (moved - expected) / expected


def _may_move_less(subject: Subject, share: float) -> bool:
    """A stonewall ended the phase, or the one that wrote what is read now."""
    stonewall_s = subject.number("stonewall_s")
    seen = subject.observed.get("stonewall")
    if seen is not None and seen.get("hit") is not None:
        return bool(seen["hit"])
    if subject.observed.get("status_file"):
        return True
    if stonewall_s is None:
        return share < 1 - _CLOSE or not _shared_random(subject)
    # The stonewall is tested between transfers, from the first one on.
    return stonewall_s > 0 and (subject.number("io_s") or 0.0) >= 0.99 * stonewall_s


def _is_disagreed_deal(subject: Subject, difference: float) -> bool:
    apart = subject.habits.ranks_draw_apart and subject.ranks > 1
    return apart and _shared_random(subject) and abs(difference) < _CLOSE


def _shared_random(subject: Subject) -> bool:
    return subject.row.get("layout") == "shared" and subject.row.get("order") == "random"


def _moved_text(subject: Subject) -> str:
    moved, requested = subject.number("moved_bytes") or 0.0, subject.number("requested_bytes") or 1.0
    passes = f" in {subject.passes} passes" if subject.passes > 1 else ""
    done, wanted, percent = sizes_and_percent(moved, requested)
    return f"requested {wanted}, moved {done}{passes} ({percent})"


@rule("INVALID", "NOTE", "DEGRADED", needs_output=True)
def file_size(subject: Subject) -> Outcome | None:
    """The size of the files after the access does not fit the bytes moved. Smaller: bytes were lost, or never
    moved (DEGRADED below one transfer per rank, a note below 0.01 % of the bytes: the size may lag behind).
    Larger after a write: an older file was overwritten.

    Hint: look for write errors in the output; remove older files before the write.
    """
    # Storage treats the overwriting of a file differently. A size of one of many files, or of 0 where the
    # file system does not report it, is ignored.
    if subject.is_metadata or not subject.has_result or subject.stores_nothing:
        return None
    file_bytes, moved, requested = (
        subject.number(name) for name in ("file_bytes", "moved_bytes", "requested_bytes")
    )
    if file_bytes is None or not moved or not requested:
        return not_observable(subject.observed.get("calls_unclear") or "the size of the files is unknown")
    if subject.row.get("deflate_level"):
        return not_observable("compressed data may have any size")
    if subject.observed.get("scattered"):
        return _size_of_scattered(subject, file_bytes)
    if subject.has_size_of_one:
        return not_observable(f"{about_size(file_bytes)} are the size of one of the files, or of none")
    text = "moved {} of a file of {}".format(*sizes(moved, file_bytes))
    whole = min(moved, requested)
    if subject.passes > 1:
        whole = min(whole, subject.observed.get("written_bytes") or whole)
    if file_bytes < whole and not subject.observed.get("random_twice") and not _has_holes(subject):
        lacking = whole - file_bytes
        is_little = lacking < subject.ranks * (subject.row.get("xfer_bytes") or 0)
        if not is_little or not subject.habits.size_may_lag:
            return invalid(text)
        return note(text) if lacking < _NO_RATE * moved else degraded(text)
    # Before a mix of reads and writes, the file is laid out whole.
    is_plain = subject.row.get("api") not in HEADER_FORMATS and not (
        subject.observed.get("many_files") or subject.row.get("rw_mix")
    )
    if subject.row.get("access") == "write" and file_bytes > requested and is_plain:
        wanted, size = sizes(requested, file_bytes)
        return degraded(f"requested {wanted}, the file has {size}: it is older")
    return passed(text)


def _size_of_scattered(subject: Subject, file_bytes: float) -> Outcome:
    least = subject.observed.get("least_bytes_of_rank")
    if not least:
        return not_observable("scattered data may have any size")
    text = "a file of {}, of each rank at least {}".format(*sizes(file_bytes, least))
    return passed(text) if file_bytes >= least * subject.ranks else invalid(text)


def _has_holes(subject: Subject) -> bool:
    """Whether blocks are missing, at the end of the file too, because the ranks disagreed on the deal of
    blocks."""
    difference = _difference(subject)
    return difference is not None and _is_disagreed_deal(subject, difference)


@rule("INVALID")
def bandwidth_not_bytes_over_time(subject: Subject) -> Outcome | None:
    """Bandwidth times time is not the bytes moved, within the rounding of the printed digits; often the
    requested bytes were divided although a stonewall ended the phase.

    Hint: compute the bandwidth from the bytes moved, or drop the row.
    """
    bw, total, moved, requested = (
        subject.number(name) for name in ("bw_mib_s", "total_s", "moved_bytes", "requested_bytes")
    )
    bytes_ = moved if moved is not None else _requested_without_stonewall(subject, requested)
    if bw is None:
        return None
    if total is None or bytes_ is None:
        return not_observable("the time or the bytes are unknown")
    if product_contains(bw, total, bytes_ / _MIB):
        return passed(f"{bw:g} MiB/s over {total:g} s are {bytes_ / _MIB:.6g} MiB")
    which = "moved" if moved is not None else "requested"
    text = f"{bw:g} MiB/s over {total:g} s are {bw * total:.6g} MiB, {which} were {bytes_ / _MIB:.6g} MiB"
    if moved is not None and requested is not None and product_contains(bw, total, requested / _MIB):
        text += " (it was computed from the bytes requested)"
    return invalid(text)


def _requested_without_stonewall(subject: Subject, requested: float | None) -> float | None:
    """The requested bytes, where the moved bytes are not known and nothing ends the phase early."""
    can_end_early = subject.row.get("stonewall_s") != 0 or subject.observed.get("status_file")
    return None if can_end_early else requested
