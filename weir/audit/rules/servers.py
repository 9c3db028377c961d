"""Servers of a network file system: whether bytes reached them or came from them; one slow server of them."""

from collections.abc import Sequence
from statistics import median

from weir.audit.moved import (
    ARRIVED,
    LEAST_BYTES,
    STARVED,
    Observer,
    counting,
    cpu_waited_s,
    file_share,
    foreign,
    is_of_servers,
    moved_in_rest,
    must_be_sent,
    observers,
    past_links,
    sent_factor,
    too_few,
)
from weir.audit.registry import Outcome, degraded, invalid, not_observable, note, passed, rule
from weir.audit.subject import FETCHED_SHARE, Subject
from weir.base.units import about_size, counted, sizes

_MIB = 2**20
_NOTE, _DEGRADED = 0.10, 0.50  # foreign bytes, as shares of those of the access
_WAITED_NOTE, _WAITED_DEGRADED = 0.01, 0.10  # shares of the access
_TIMEOUT_S, _TIMEOUTS_LEAST = 0.2, 3  # first timeout of the kernel; fewer timeouts are no finding
_HALT_LEAST_S, _HALT_NOTE, _HALT_DEGRADED = 1.0, 0.10, 0.50  # seconds; shares of the access
# A compressor of the connection may save so much of what weir-io cannot show to be incompressible.
_REDUCIBLE = 0.90
# When a cache answers a read, the servers send replies alone: less than this share of its bytes.
_REQUESTS = 0.01


@rule("NOTE", "INVALID", needs_output=True)
def not_at_servers(subject: Subject) -> Outcome | None:
    """The write was synchronised or opened with O_DIRECT, and the client sent the servers of the network file
    system fewer bytes than the files got: the rest stayed in its memory, or went nowhere. Counts that cannot
    decide (ended connections, other users, an earlier write under way) are a note, and prove nothing.

    Hint: look at LD_PRELOAD, options of the mount and write-back caches of the client; compare with O_DIRECT.
    """
    # Each observer that counts the mount's own bytes must have seen them; counters of a whole node count only
    # where there is no other.
    needed = must_be_sent(subject)
    if needed is None:
        return None
    seen = counting(subject, "sent_bytes")
    if not seen:
        return not_observable(_reasons(subject))
    text = _text(seen, "sent_bytes", needed, "sent to the servers", "written to the files")
    short = too_few(subject, seen, needed)
    if not short:
        return _of_all_calls(subject, text, min(one["sent_bytes"] for one in seen) - ARRIVED * needed)
    if past := past_links(short):
        return not_observable(f"{text}, and {past}")
    if any(one.get("ended_connections") for one in short):
        return note(f"{text}, connections ended meanwhile with counts that nobody saw")
    if _may_be_compressed(subject):
        return not_observable(f"{text}, the data may be compressed before it is sent")
    if _would_suffice(short, "sent_bytes", needed):
        others = "others used the mount"
        if subject.owed_bytes:
            others = f"earlier writes left {about_size(subject.owed_bytes)} with the client"
        return note(f"{text}, and {others}: their bytes cannot be told from ours")
    return invalid(text)


@rule("NOTE", "DEGRADED", "INVALID", needs_output=True)
def not_from_servers(subject: Subject) -> Outcome | None:
    """The servers sent less than 80 % of the bytes that a read claims: a cache of the client answered the
    rest (with O_DIRECT: INVALID). Counts that cannot decide (ended connections, other users, compression) are
    a note, and prove nothing.

    Hint: drop the caches (drop_caches: true), also those of the client program (a mount for each run, or a
    mount option).

    Of a log: drop the caches of the nodes before the read, those of the client program included.
    """
    # Caches of the servers are not visible to a client.
    moved = subject.number("moved_bytes")
    if not is_of_servers(subject) or not subject.is_read or not moved or subject.warm_cache_requested:
        return None
    seen = counting(subject, "received_bytes")
    if not seen:
        return not_observable(_reasons(subject))
    needed = subject.of_files(moved)
    least = FETCHED_SHARE * needed
    text = _text(seen, "received_bytes", needed, "came from the servers", "read")
    short = [one for one in seen if one["received_bytes"] - foreign(subject, one, "received") < least]
    if not short:
        return _of_all_calls(subject, text, min(one["received_bytes"] for one in seen) - least)
    if past := past_links(short):
        return not_observable(f"{text}, and {past}")
    if any(one.get("ended_connections") for one in short):
        return note(f"{text}, connections ended meanwhile with counts that nobody saw")
    if _may_be_compressed(subject) and min(one["received_bytes"] for one in short) >= _REQUESTS * needed:
        return not_observable(f"{text}, the data may be compressed before it is sent")
    if _would_suffice(short, "received_bytes", needed):
        return note(f"{text}, and others used the mount: their bytes cannot be told from ours")
    direct = bool(subject.observed.get("direct"))
    return invalid(f"{text} although opened with O_DIRECT") if direct else degraded(text)


@rule("NOTE", "DEGRADED", needs_output=True)
def others_on_servers(subject: Subject) -> Outcome | None:
    """The mount of a network file system moved foreign bytes: at rest before the phase, at a rate that adds
    a tenth to those of the access (a note) or half (DEGRADED), or a write sent that much more than the target
    declares (`copies`, `coding`).

    Hint: find the other user of the mount (lsof, iotop), or declare the copies that the client sends (copies:
    2, coding: 4+2).
    """
    moved = subject.number("moved_bytes")
    if not is_of_servers(subject) or not (subject.is_write or subject.is_read) or not moved:
        return None
    way = "sent" if subject.is_write else "received"
    seen = counting(subject, f"{way}_bytes")
    if not seen:
        return not_observable(_reasons(subject))
    others = max(foreign(subject, one, "sent") + foreign(subject, one, "received") for one in seen)
    text = moved_in_rest(others)
    share = file_share(subject)
    if subject.is_write and share:
        excess = min(one["sent_bytes"] for one in seen) - sent_factor(subject) * max(share, moved)
        if excess > others:
            others = excess
            text = "{} more were sent than the {} of this access".format(*sizes(excess, moved))
    if others < LEAST_BYTES or others < _NOTE * moved:
        return passed(text)
    if past := past_links(seen):
        return not_observable(f"{text}, and {past}")
    return degraded(text) if others >= _DEGRADED * moved else note(text)


@rule("DEGRADED", needs_output=True)
def copies_missing(subject: Subject) -> Outcome | None:
    """The target declares that the client sends several copies of each byte, or parity (`copies`, `coding`),
    and it sent fewer: servers were away, or the declaration is wrong.

    Hint: look at the servers (gluster volume status, ceph -s), and at copies and coding of the target.
    """
    needed = must_be_sent(subject)
    if needed is None or sent_factor(subject) <= 1:
        return None
    seen = counting(subject, "sent_bytes")
    if not seen:
        return not_observable(_reasons(subject))
    expected = sent_factor(subject) * needed
    factor = f"needed at {sent_factor(subject):g} a byte"
    text = _text(seen, "sent_bytes", expected, "sent to the servers", factor)
    if min(one["sent_bytes"] for one in seen) >= ARRIVED * expected:
        return passed(text)
    past = past_links(seen)
    return not_observable(f"{text}, and {past}") if past else degraded(text)


@rule("NOTE", "DEGRADED", needs_output=True)
def network_stood_still(subject: Subject) -> Outcome | None:
    """The servers of a network file system did not answer for a while, so the rate is that of the wait. The
    kernel counts it by connections (Linux 6.7: a note from 1 % of the access, DEGRADED from 10 %) or timeouts
    (a note from three that make 1 %), the ranks by how long all moved less than a twentieth of their mean (a
    note from 1 s, DEGRADED from half).

    Hint: look at the links and the servers (ethtool -S, ss -ti, logs), then measure again.
    """
    # The note of the ranks needs a tenth of the access as well. A timeout is 0.2 s at first, twice as long
    # each time. Behind programs other than weir-io the ranks' count is how long they waited in a transfer
    # beyond the time of its bytes. A wait in the synchronisation at the end is seen by the connections alone;
    # a server that stands still while its kernel answers, by the ranks alone. A busy machine halts ranks,
    # too: the text then has how long processes waited for a processor.
    total_s = subject.number("total_s")
    if not is_of_servers(subject) or not total_s:
        return None
    waits = [one["unanswered_ms"] for one in observers(subject) if one.get("unanswered_ms") is not None]
    again = max((one.get("timeouts") or 0 for one in observers(subject)), default=0)
    halt_s: float | None = subject.observed.get("longest_halt_s")
    if not waits and not again and halt_s is None:
        return not_observable("neither ranks nor connections tell how long they waited")
    known = [f"all ranks {halt_s:.3g} s"] if halt_s is not None else []
    waited_s, halt_s = max(waits, default=0) / 1000, halt_s or 0.0
    if waits:
        known.insert(0, f"a connection waited {waited_s:.3g} s for answers")
    if again:
        known.append(f"a connection sent up to {again} times again after a timeout of 0.2 s or more")
    starved_s = (cpu_waited_s(subject) or 0.0) if halt_s else 0.0
    if starved_s >= STARVED * total_s:
        known.append(f"processes of a node for a processor {starved_s:.3g} s")
    text = f"{', '.join(known)}, of {total_s:.3g} s"
    halted = halt_s >= _HALT_LEAST_S
    if waited_s >= _WAITED_DEGRADED * total_s or (halted and halt_s >= _HALT_DEGRADED * total_s):
        return degraded(text)
    waited_s = max(waited_s, again * _TIMEOUT_S if again >= _TIMEOUTS_LEAST else 0.0)
    if waited_s >= _WAITED_NOTE * total_s or (halted and halt_s >= _HALT_NOTE * total_s):
        return note(text)
    return passed(text)


@rule("INVALID", needs_output=True)
def faster_than_the_wire(subject: Subject) -> Outcome | None:
    """The bandwidth of a network file system is above the speed of the nodes' links, as the kernel reports
    it: a cache answered, or the time is wrong.

    Hint: look for caches of the client; if the links are faster than reported, tell the kernel (ethtool).
    """
    # Servers on the node itself are excluded.
    moves = subject.is_write or subject.is_read
    if not is_of_servers(subject) or not moves or subject.warm_cache_requested:
        return None
    links = subject.host.get("links_mbit_s") or None
    rate = subject.number("bw_mib_s")
    if links is None or rate is None:
        return not_observable("the speed of the links to the servers is unknown")
    wire = links * (subject.row.get("nn") or 1) * 1e6 / 8 / _MIB
    text = f"{rate:.0f} MiB/s over links of {wire:.0f} MiB/s"
    if subject.is_write and not subject.leaves_client:
        return None  # into the memory of the client, as requested
    return invalid(text) if rate > wire else passed(text)


def received_share(subject: Subject) -> float | None:
    """Share of the bytes read that came from servers; None where they were not counted."""
    seen, moved = counting(subject, "received_bytes"), subject.number("moved_bytes")
    if not seen or not moved:
        return None
    share = float(min(one["received_bytes"] for one in seen) / subject.of_files(moved))
    return None if share < ARRIVED and past_links(seen) else share


def _reasons(subject: Subject) -> str:
    reasons = [f"{one['observer']}: {one['reason']}" for one in observers(subject) if one.get("reason")]
    return "; ".join(reasons) or "no source of counts for this mount"


def _of_all_calls(subject: Subject, text: str, left: float) -> Outcome:
    """left: bytes of the count beside those of the result, which other calls of the same time must have."""
    if left < subject.beyond:
        return not_observable(f"{text}, and calls moved {about_size(subject.beyond)} more in the same time")
    return passed(text)


def _would_suffice(short: Sequence[Observer], key: str, needed: float) -> bool:
    """Whether the counts would be enough if nothing of them belonged to others."""
    return all(one[key] >= ARRIVED * needed for one in short)


def _may_be_compressed(subject: Subject) -> bool:
    """A sample of the written data shows it; a read has none, but its cell chose the data."""
    payload = subject.observed.get("payload")
    if payload is None:
        return subject.cell is not None and subject.cell.params.get("payload", "random") != "random"
    return float(payload.get("compressed_share", 1.0)) < _REDUCIBLE


def _text(seen: Sequence[Observer], key: str, needed: float, verb: str, what: str) -> str:
    *told, expected = sizes(*(one[key] for one in seen), needed)
    counts = ", ".join(f"{size} ({one['observer']})" for size, one in zip(told, seen, strict=True))
    return f"{counts} {verb}, {expected} {what}"


# Least ratio to the other servers, share of the run, and delay of a slow server: a busy machine and longer
# routes stay below.
_SLOWER, _HELD_UP, _LATE_US = 4.0, 0.10, 5000


@rule("NOTE", needs_output=True)
def slow_server(subject: Subject) -> Outcome | None:
    """One server held the access up, by weir-io's TCP connections to each address and port (Linux 4.10). In a
    write its bytes waited for a tenth of the access and at least four times as long as those of the others;
    in a read its data came four times as late after a request, and 5 ms or later.

    Hint: look at that server and its link (iostat -x, ethtool -S, ss -ti), then measure again.
    """
    # Servers with less than 4 MiB are not compared. A server that takes all bytes at once and delays its
    # answer is not seen in a write, nor in a read one that answers late while further requests are under way.
    # While processes of a node wait for a processor, its clients send late and servers on it answer late:
    # that time (/proc/pressure) is subtracted from the wait. From half of the access on, or where the kernel
    # does not report it and the load before the run was above the cores, only a closed receive window names a
    # server, and only one on another node.
    total_s = subject.number("total_s")
    if not is_of_servers(subject) or not total_s or not (subject.is_write or subject.is_read):
        return None
    moved = "sent_bytes" if subject.is_write else "received_bytes"
    servers = (subject.observed.get("servers") or {}).get("by_address") or ()
    compared = [one for one in servers if (one.get(moved) or 0) >= LEAST_BYTES]
    if len(compared) < 2:
        return None
    starved_s = _starved_s(subject, total_s)
    is_starved = starved_s >= STARVED * total_s
    if is_starved:
        slow = _closed(compared, total_s) if subject.is_write else []
    else:
        slow = _held_up(compared, total_s, starved_s) if subject.is_write else _late(compared)
    if is_starved and not slow:
        return not_observable(f"processes waited for a processor for {starved_s:.3g} s of {total_s:.3g} s")
    return note("; ".join(slow)) if slow else passed(f"{counted(len(compared), 'server')} took or gave alike")


def _starved_s(subject: Subject, total_s: float) -> float:
    """Time of the access in which processes waited for a processor; all of it where the kernel does not tell
    and the machine was busy before."""
    waited_s = cpu_waited_s(subject)
    if waited_s is not None:
        return waited_s
    load, running, cores = (subject.host.get(name) for name in ("load_1min", "running", "cores"))
    if load is None or running is None or cores is None:
        return 0.0
    return total_s if load > cores and running > cores else 0.0


def _held_up(servers: Sequence[Observer], total_s: float, starved_s: float) -> list[str]:
    return [
        _waited(one, usual_s, total_s)
        for one in servers
        if one["outstanding_us"] / 1e6 - starved_s
        >= max(_HELD_UP * total_s, _SLOWER * (usual_s := _usual_s(one, servers)))
    ]


def _closed(servers: Sequence[Observer], total_s: float) -> list[str]:
    """Kernels of the others ended that wait sooner, whoever waited for a processor here."""
    return [
        _waited(one, usual_s, total_s)
        for one in servers
        if not one.get("here", True)
        and one["closed_us"] / 1e6 >= max(_HELD_UP * total_s, _SLOWER * (usual_s := _usual_s(one, servers)))
    ]


def _usual_s(one: Observer, servers: Sequence[Observer]) -> float:
    """Time that as many bytes waited for the others."""
    others = [each["outstanding_us"] / each["sent_bytes"] for each in servers if each is not one]
    return float(median(others) * one["sent_bytes"] / 1e6)


def _waited(one: Observer, usual_s: float, total_s: float) -> str:
    waited_s, closed_s = one["outstanding_us"] / 1e6, one["closed_us"] / 1e6
    text = f"bytes waited {waited_s:.3g} s in all connections to {one['address']}, {closed_s:.3g} s"
    return f"{text} because it took no more; as many for another server {usual_s:.3g} s, of {total_s:.3g} s"


def _late(servers: Sequence[Observer]) -> list[str]:
    found = []
    for one in servers:
        usual_us = median(each["answer_us"] for each in servers if each is not one)
        if one["answer_us"] >= max(_LATE_US, _SLOWER * usual_us):
            late_ms, usual_ms = one["answer_us"] / 1000, usual_us / 1000
            text = f"data of {one['address']} came {late_ms:.3g} ms after a request"
            found.append(f"{text}, those of another server after {usual_ms:.3g} ms")
    return found
