"""Bytes that an access must have moved, and what was counted between its clients and their servers."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from weir.audit.subject import REDUCING_FILE_SYSTEMS, Subject
from weir.base.units import about_size

# If offsets are drawn with repetition, at least 1 - 1/e (63 %) of them are distinct.
DISTINCT = 0.5
LEAST_BYTES = 4 * 2**20  # bytes that a server, or another user, must have moved to count
# Headers, requests, metadata and journals only add to what is counted; a few blocks may be on their way.
ARRIVED = 0.95
STARVED = 0.5  # share of the access: waiting for a processor tells nothing about servers

# What a file system writes besides for one synchronisation, at most. Measured: 12 to 17 KiB of the journal of
# ext4; 120 to 137 KiB of btrfs, which writes all nodes up to the root of two trees, each twice.
_OF_A_SYNC, _OF_A_SYNC_OF_TREES = 32 << 10, 256 << 10
_OF_ALL_TRAFFIC = ("node", "links")

Observer = Mapping[str, Any]


def file_share(subject: Subject) -> float | None:
    """Bytes of the file that this access wrote: parts that are written twice reach the device once."""
    moved = subject.number("moved_bytes")
    if not moved:
        return None
    share = subject.of_files(moved)
    redrawn = subject.observed.get("scattered") or subject.observed.get("random_twice")
    return DISTINCT * share if redrawn else share


def of_syncs(subject: Subject) -> int:
    """Bytes that the file system may have written besides for the synchronisations of a write."""
    if not subject.is_write:
        return 0
    known = (subject.observed.get(name) or 0 for name in ("sync_calls", "syncs_reported", "synced_writes"))
    has_trees = subject.stored_on in REDUCING_FILE_SYSTEMS
    return int(max(known)) * (_OF_A_SYNC_OF_TREES if has_trees else _OF_A_SYNC)


def is_of_servers(subject: Subject) -> bool:
    """Whether servers hold what an access moved."""
    nothing = subject.stores_nothing or subject.in_memory or subject.is_metadata
    return not nothing and subject.observed.get("servers") is not None


def observers(subject: Subject) -> Sequence[Observer]:
    return (subject.observed.get("servers") or {}).get("observers") or ()


def cpu_waited_s(subject: Subject) -> float | None:
    """Time of the access in which processes of a node waited for a processor, as a mean of its processors."""
    waited_us = (subject.observed.get("servers") or {}).get("cpu_waited_us")
    return None if waited_us is None else float(waited_us) / 1e6


def counting(subject: Subject, key: str) -> list[Observer]:
    """The observers that count the bytes of the mount; if there are none, those that count the whole node."""
    known = [
        one for one in observers(subject) if one.get(key) is not None and one.get("counted") != "devices"
    ]
    return [one for one in known if one.get("counted") not in _OF_ALL_TRAFFIC] or (
        [] if _mixes_messages(subject) else known
    )


def past_links(seen: Sequence[Observer]) -> str | None:
    """Why counts that do not fit tell nothing: a container has links without hardware alone, and what the
    kernel or a service outside moves for a mount goes past them."""
    if any(one.get("counted") == "links" for one in seen):
        return "the links of this container have no hardware: the mount may go past them"
    return None


def _mixes_messages(subject: Subject) -> bool:
    """The ports of the nodes carry messages between the ranks, too: with collective calls all the data."""
    return (subject.row.get("nn") or 1) > 1 and subject.row.get("api") != "POSIX"


def must_be_sent(subject: Subject) -> float | None:
    """Bytes that must have left the client when the clock stopped; None where the rules do not apply."""
    if not is_of_servers(subject) or not subject.is_write:
        return None
    return file_share(subject) if subject.leaves_client else None


def foreign(subject: Subject, one: Observer, way: str) -> float:
    """Bytes that others move during the access, estimated by their rate in the idle time before it."""
    rest_s = (subject.observed.get("servers") or {}).get("idle_s") or 0.0
    lasted_s = subject.number("total_s") or 0.0
    rate = (one.get(f"idle_{way}_bytes") or 0) / rest_s if rest_s else 0.0
    return rate * lasted_s if rate * lasted_s >= LEAST_BYTES else 0.0


def too_few(subject: Subject, seen: Sequence[Observer], needed: float) -> list[Observer]:
    """The observers that saw too few bytes sent."""
    others = subject.owed_bytes
    return [
        one for one in seen if one["sent_bytes"] - foreign(subject, one, "sent") - others < ARRIVED * needed
    ]


def with_debts(subjects: Sequence[Subject]) -> list[Subject]:
    """Records of one run in the order of time: each with what the writes before it left with the client."""
    found, owed_bytes = [], 0.0
    for subject in subjects:
        found.append(replace(subject, owed_bytes=owed_bytes) if owed_bytes else subject)
        needed = must_be_sent(found[-1])
        short = too_few(found[-1], counting(subject, "sent_bytes"), needed) if needed else []
        if needed and short and not any(one.get("ended_connections") for one in short):
            owed_bytes = max(owed_bytes + needed - min(one["sent_bytes"] for one in short), 0.0)
    return found


def moved_in_rest(others: float) -> str:
    return f"others moved {about_size(others)} meanwhile, by their rate in the rest before"


def sent_factor(subject: Subject) -> float:
    """Bytes that the client sends for each byte of the file, as the target declares."""
    return float((subject.run.target.get("sent_per_byte") if subject.run else None) or 1.0)
