"""One slow server of several."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from weir.audit.moved import LEAST_BYTES, STARVED, Observer, cpu_waited_s, is_of_servers
from weir.audit.registry import Outcome, not_observable, note, passed, rule
from weir.audit.subject import Subject

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
    return note("; ".join(slow)) if slow else passed(f"{len(compared)} servers took or gave alike")


def _starved_s(subject: Subject, total_s: float) -> float:
    """Time of the access in which processes waited for a processor; all of it where the kernel does not tell
    and the machine was busy before."""
    waited_s = cpu_waited_s(subject)
    if waited_s is not None:
        return waited_s
    host = subject.run.host if subject.run else {}
    load, running, cores = host.get("load_1min"), host.get("running"), host.get("cores")
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
    text = (
        f"bytes waited {waited_s:.3g} s in all connections to {one['address']}, {closed_s:.3g} s because it"
    )
    return f"{text} took no more; as many for another server {usual_s:.3g} s, of {total_s:.3g} s"


def _late(servers: Sequence[Observer]) -> list[str]:
    found = []
    for one in servers:
        usual_us = median(each["answer_us"] for each in servers if each is not one)
        if one["answer_us"] >= max(_LATE_US, _SLOWER * usual_us):
            late_ms, usual_ms = one["answer_us"] / 1000, usual_us / 1000
            text = f"data of {one['address']} came {late_ms:.3g} ms after a request"
            found.append(f"{text}, those of another server after {usual_ms:.3g} ms")
    return found
