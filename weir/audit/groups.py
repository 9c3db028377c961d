"""Limits of control groups: of weir's own by the run, of the ranks by what they observed of theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from weir.audit.subject import Subject

Limit = Mapping[str, Any]


def block_limits(subject: Subject) -> list[Limit] | None:
    """The limits of devices below the files; None where nobody looked."""
    host = subject.run.host if subject.run else {}
    own: Sequence[Limit] | None = host.get("block_limits")
    group = subject.observed.get("group")
    if own is None and group is None:
        return None
    of_ranks: Sequence[Limit] = (group or {}).get("block_limits") or ()
    # Those of `weir prove` are of the devices of the mount already.
    is_below, devices = (group or {}).get("is_below"), host.get("devices") or ()
    return [*(own or ()), *(one for one in of_ranks if is_below or one["device"] in devices)]


def throttled_periods(subject: Subject) -> int | None:
    """Periods in which the ranks or weir itself was held back, whichever has more."""
    host = subject.run.host if subject.run else {}
    group = subject.observed.get("group") or {}
    counts = [one.get("throttled_periods") for one in (host, group)]
    known = [int(count) for count in counts if count is not None]
    return max(known, default=None)


def waited_for_io(subject: Subject) -> float:
    """Share of the run in which some process waited for I/O; all of it where the kernel does not tell."""
    share = (subject.observed.get("group") or {}).get("io_stalled_share")
    if share is not None:
        return float(share)
    stalled_us = subject.run.host.get("io_stalled_us") if subject.run else None
    elapsed_s = subject.run.elapsed_s if subject.run else None
    return stalled_us / 1e6 / elapsed_s if stalled_us is not None and elapsed_s else 1.0
