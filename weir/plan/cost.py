"""What cells cost, from their footprints and from what the site's files say of its targets."""

from __future__ import annotations

from weir.model import Footprint, Partition, Target

MIB = 2**20
# A limit is there to end what hangs, not what is slow: far above the expectation, and never below a minute.
_TIMEOUT_FACTOR = 20.0
_TIMEOUT_MINIMUM_S = 60.0


def execution_s(footprint: Footprint, target: Target, partition: Partition) -> float:
    """Expected wall time of one execution: the launch, and the bytes at the target's expected bandwidth."""
    written_s = footprint.written_bytes / MIB / target.write_mib_s
    read_s = footprint.read_bytes / MIB / target.read_mib_s
    return partition.launch_s + written_s + read_s


def timeout_s(estimate_s: float) -> float:
    """Hard limit of an execution whose suite names none, in whole seconds."""
    return float(round(max(_TIMEOUT_MINIMUM_S, _TIMEOUT_FACTOR * estimate_s)))
