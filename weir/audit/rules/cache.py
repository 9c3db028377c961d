"""Where the bytes of a read came from."""

from __future__ import annotations

from weir.audit.registry import DEGRADED, Said, rule
from weir.audit.subject import Subject

_MOST = 0.5


@rule(DEGRADED, needs_output=True)
def read_from_cache(subject: Subject) -> Said | None:
    """Most of what was read did not come from the storage: the operating system fetched less than half of
    the bytes, or had more than half of the file in its page cache before the read. The bandwidth is in
    large part that of memory. Nothing is said where the storage is memory itself, where the file was opened
    with O_DIRECT, where a warm cache was requested, or where the system does not tell.

    Hint: let the cell drop the caches (ior, netcdf-bench: drop_caches: true; io-model: cache: uncached), or
    say that a warm one is meant (cache: cached).
    """
    if subject.row.get("access") != "read" or subject.row.get("bw_mib_s") is None:
        return None
    if subject.observed.get("direct") or _warm_cache_requested(subject):
        return None
    if subject.observed.get("cache") in ("cached", "discarded"):
        return None  # memory is what was requested
    told = _fetched(subject)
    if told is None:
        told = _resident(subject)
    if told is not None:
        return Said(DEGRADED, told) if told else None
    dropped = subject.observed.get("drop_caches")
    requested = subject.cell is not None and bool(subject.cell.params.get("drop_caches"))
    if requested and not dropped:
        program = subject.row.get("program") or "the program"
        return Said(DEGRADED, f"dropped caches were requested, and {program} does not drop them")
    return None


def _warm_cache_requested(subject: Subject) -> bool:
    return subject.cell is not None and subject.cell.params.get("cache") == "cached"


def _fetched(subject: Subject) -> str | None:
    """What speaks against the read; nothing to say is empty, unknown is None."""
    fetched, moved = subject.number("fetched_bytes"), subject.number("moved_bytes")
    if fetched is None or not moved:
        return None
    stored = subject.number("file_bytes")
    needed = min(moved, stored) if stored else moved  # compressed data is less than what comes out of it
    if fetched >= _MOST * needed:
        return ""
    share = 100 * fetched / needed
    return f"read {moved:.0f} bytes, {fetched:.0f} of them were fetched from storage ({share:.0f} %)"


def _resident(subject: Subject) -> str | None:
    before = (subject.observed.get("residency") or {}).get("before")
    if before is None:
        return None
    return f"{100 * before:.0f} % of the file was in the page cache before the read" if before > _MOST else ""
