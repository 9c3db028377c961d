"""Bytes that counters of the hosts recorded beside a run: what disks or networks gave in each epoch.

DLIO leaves begin and end of the epochs in per_epoch_stats.json, in UTC, and has iostat.json of its profiler
iostat. The form is that of sysstat (`iostat -o JSON`, `sadf -j`), of as many hosts as the run had.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

_EPOCHS = re.compile(r'^\{\s*"1": \{\s*"start": "', re.MULTILINE)
_SYSSTAT = re.compile(r'^\{\s*"sysstat": \{', re.MULTILINE)
_UNITS = {"rMB/s": 2**20, "rkB/s": 2**10, "MB_read/s": 2**20, "kB_read/s": 2**10, "rxkB": 2**10}
# A layer above others has their bytes again; memory has none of the storage.
_LAYERS = re.compile(r"dm-|md\d|loop|ram|zram|lo$|bond|br-|br\d|virbr|docker|veth|cni|ifb|.*\.\d+$")
_COVERED = 0.9  # share of an epoch: the reports come once a second, and have whole seconds

Span = tuple[float, float]


@dataclass(frozen=True)
class Recorded:
    """The counters of an epoch: fetched_bytes is None where `reason` tells why."""

    fetched_bytes: int | None
    reason: str = ""


@dataclass(frozen=True)
class _Report:
    span: Span
    disks: float
    networks: float


def recorded_in(text: str, hosts: int | None) -> dict[tuple[str, int], Recorded]:
    """The counters by train or eval and the number of the epoch, from 0; empty where no epoch has times."""
    by_host: dict[str, list[_Report]] = {}
    for document in _documents(text, _SYSSTAT):
        for name, host in _hosts(document):
            by_host.setdefault(name, []).extend(_reports(host))
    epochs = next(_documents(text, _EPOCHS), {})
    return {
        (kind, int(number) - 1): _of_epoch(spans, by_host, hosts)
        for number, epoch in epochs.items()
        if number.isdecimal() and isinstance(epoch, dict)
        for kind in ("train", "eval")
        if (spans := list(_spans(epoch, kind)))
    }


def _documents(text: str, start: re.Pattern[str]) -> Iterator[dict[str, Any]]:
    for match in start.finditer(text):
        try:
            document, _ = json.JSONDecoder().raw_decode(text, match.start())
        except (ValueError, RecursionError):
            continue
        yield document


def _spans(epoch: Mapping[str, Any], kind: str) -> Iterator[Span]:
    """Checkpoints between the blocks of a training are none of its reads."""
    for name, part in epoch.items():
        if name.startswith("block" if kind == "train" else "eval") and isinstance(part, dict):
            ends = [_time(part.get(end)) for end in ("start", "end")]
            if ends[0] is not None and ends[1] is not None:
                yield ends[0], ends[1]


def _hosts(document: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    found = document.get("sysstat")
    for host in (found.get("hosts") or []) if isinstance(found, dict) else []:
        if isinstance(host, dict) and isinstance(host.get("statistics"), list):
            yield str(host.get("nodename")), host


def _reports(host: Mapping[str, Any]) -> Iterator[_Report]:
    before = None
    for one in host["statistics"]:
        stamp = one.get("timestamp") if isinstance(one, dict) else None
        ended = _time(stamp)
        if ended is None:
            continue
        interval = stamp.get("interval") if isinstance(stamp, dict) else None
        lasted = float(interval) if isinstance(interval, int) else ended - before if before else 1.0
        network = one.get("network")
        interfaces = network.get("net-dev") if isinstance(network, dict) else None
        disks, networks = _rate(one.get("disk"), "disk_device"), _rate(interfaces, "iface")
        yield _Report((ended - lasted, ended), disks * lasted, networks * lasted)
        before = ended


def _rate(parts: object, name: str) -> float:
    """Bytes read or received in a second."""
    return sum(
        float(part[unit]) * factor
        for part in (parts if isinstance(parts, list) else [])
        if isinstance(part, dict) and not _LAYERS.match(str(part.get(name)))
        for unit, factor in _UNITS.items()
        if isinstance(part.get(unit), int | float)
    )


def _time(stamp: object) -> float | None:
    """A time in seconds; without a zone it is UTC, as DLIO has it."""
    if isinstance(stamp, dict):
        stamp = f"{stamp.get('date')}T{stamp.get('time')}" if stamp.get("utc") else None
    if not isinstance(stamp, str):
        return None
    for read in (datetime.fromisoformat, lambda text: datetime.strptime(text, "%m/%d/%y %H:%M:%S")):
        try:
            found = read(re.sub(r"([+-]\d\d)(\d\d)$", r"\1:\2", stamp))
        except ValueError:
            continue
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    return None


def _of_epoch(spans: Sequence[Span], by_host: Mapping[str, Sequence[_Report]], hosts: int | None) -> Recorded:
    if len(by_host) < (hosts or 1):
        return Recorded(None, f"counters were recorded on {len(by_host)} of {hosts or 'unknown'} hosts")
    totals = [0.0, 0.0]
    for name, reports in by_host.items():
        for begin, end in spans:
            parts = [(one, _overlap(one.span, (begin, end))) for one in reports]
            if sum(seconds for _, seconds in parts) < _COVERED * (end - begin):
                return Recorded(None, f"the counters of {name} do not cover the epoch (in UTC)")
            for one, seconds in parts:
                share = seconds / (one.span[1] - one.span[0]) if seconds else 0.0
                totals[0] += share * one.disks
                totals[1] += share * one.networks
    return Recorded(round(max(totals)))


def _overlap(one: Span, other: Span) -> float:
    return max(min(one[1], other[1]) - max(one[0], other[0]), 0.0)
