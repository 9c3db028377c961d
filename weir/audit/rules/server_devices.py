"""The devices of servers, by what these report of them (server_probe): also while other clients use them."""

from weir.audit.moved import (
    ARRIVED,
    LEAST_BYTES,
    Observer,
    foreign,
    is_of_servers,
    moved_in_rest,
    must_be_sent,
    observers,
    of_syncs,
    sent_factor,
)
from weir.audit.registry import Outcome, degraded, invalid, not_observable, passed, rule
from weir.audit.subject import FETCHED_SHARE, Subject
from weir.base.units import sizes

_OTHERS = 0.50  # foreign bytes, as a share of those of the access: from here on they may be all


@rule("INVALID", needs_output=True)
def not_on_server_devices(subject: Subject) -> Outcome | None:
    """The servers reported (server_probe) that their devices were written fewer bytes than a synchronised
    write gave to its files: the rest was in their memory, as with an NFS export with async. Nothing is proven
    where others wrote to them: at rest before the phase, or half as much again as this write.

    Hint: look at the options of the export and at the write caches of the servers.
    """
    needed, devices = must_be_sent(subject), _devices(subject, "sent_bytes")
    if needed is None or devices is None:
        return None
    written = devices["sent_bytes"]
    arrived, of_files = sizes(written, needed)
    text = f"the devices of the servers were written {arrived}, {of_files} were written to the files"
    if written < ARRIVED * needed:
        return invalid(text)
    own, most = written - foreign(subject, devices, "sent"), sent_factor(subject) * needed
    if own < ARRIVED * needed:
        return not_observable(f"{text}, {moved_in_rest(written - own)}")
    if own - most - of_syncs(subject) >= max(_OTHERS * most, LEAST_BYTES):
        return not_observable(f"{text}: others wrote to them, or they hold copies or parity")
    return passed(text)


@rule("DEGRADED", needs_output=True)
def not_from_server_devices(subject: Subject) -> Outcome | None:
    """The servers reported (server_probe) that their devices gave less than 80 % of the bytes of a read: a
    cache of the servers answered the rest. Nothing is proven where others read from them: at rest before the
    phase, or half as much again as this read.

    Hint: drop the caches of the servers (drop_server_caches), or use files larger than their memory.
    """
    moved, devices = subject.number("moved_bytes"), _devices(subject, "received_bytes")
    if not is_of_servers(subject) or not subject.is_read or not moved or devices is None:
        return None
    needed, given = subject.of_files(moved), devices["received_bytes"]
    text = "the devices of the servers gave {}, {} were read".format(*sizes(given, needed))
    if given < FETCHED_SHARE * needed:
        return degraded(text)
    own = given - foreign(subject, devices, "received")
    if own < FETCHED_SHARE * needed:
        return not_observable(f"{text}, {moved_in_rest(given - own)}")
    if own - needed >= max(_OTHERS * needed, LEAST_BYTES):
        return not_observable(f"{text}: others read from them")
    return passed(text)


def _devices(subject: Subject, key: str) -> Observer | None:
    """Finds what the servers report of their own devices, where they have that count."""
    found = next((one for one in observers(subject) if one.get("counted") == "devices"), None)
    return found if found is not None and found.get(key) is not None else None
