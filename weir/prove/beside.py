"""The bytes that a program moved on other mounts of the same device while a phase lasted: the counters of
the device include them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from weir.prove.mounts import Mount, Phase

_PARTITION = re.compile(r"(?:(?<=^[svh]d[a-z])|(?<=^xvd[a-z])|(?<=\dn\d)p|(?<=^mmcblk\d)p)\d+$")


def with_others(mounts: Sequence[Mount]) -> list[Mount]:
    """The same mounts with the bytes of the others in their phases."""
    return [replace(mount, phases=tuple(_phases(mount, mounts))) for mount in mounts]


def _phases(mount: Mount, mounts: Sequence[Mount]) -> Iterator[Phase]:
    others = [one for one in mounts if one is not mount]
    name = _first(mount)
    on_device = [one for one in others if name and _first(one) == name]
    on_disk = [one for one in others if name and disk_of(_first(one)) == disk_of(name)]
    # The counters of a phase go on until the next one begins.
    ends = [*(one.counted_ns for one in mount.phases[1:]), math.inf]
    for phase, until_ns in zip(mount.phases, ends, strict=False):  # a mount may have no phase
        span_ends = [*(one.counted_ns for one in phase.spans[1:]), until_ns]
        spans = zip(phase.spans, span_ends, strict=False)
        yield replace(
            _with_moved(phase, until_ns, on_device, on_disk),
            spans=tuple(_with_moved(one, end_ns, on_device, on_disk) for one, end_ns in spans),
        )


def _with_moved(phase: Phase, until_ns: float, on_device: Sequence[Mount], on_disk: Sequence[Mount]) -> Phase:
    return replace(
        phase,
        beside=_moved(on_device, phase.counted_ns, until_ns),
        beside_on_disk=_moved(on_disk, phase.counted_ns, until_ns),
    )


def _first(mount: Mount) -> str:
    """The first device of a mount; the report names one of several."""
    return (mount.device or "").split(" ")[0]


def disk_of(device: str) -> str:
    return _PARTITION.sub("", device)


def _moved(mounts: Sequence[Mount], from_ns: int, until_ns: float) -> tuple[int, int]:
    """Bytes read and written by calls between the two times."""
    phases = [one for mount in mounts for one in mount.phases]
    found = [one for one in phases if one.began_ns < until_ns and one.ended_ns > from_ns]
    return sum(one.read_bytes for one in found), sum(one.written_bytes for one in found)
