"""Synchronisations of each file or each write, as a program tells them and as they were counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from weir.measure.machine.mount_settings import synchronisation_off
from weir.prove.mounts import Mount, Phase
from weir.prove.records import device_facts, growth_of
from weir.terms.model import Row

_TOLD = ("sync_files", "syncs_reported")


def told_of_syncs(row: Row, mount: Mount, phases: Sequence[Phase]) -> dict[str, Any]:
    """Nothing where the program tells of none, or where an option of the mount prevents them."""
    told: Mapping[str, Any] = row.get("observed") or {}
    found = {name: told[name] for name in _TOLD if told.get(name)}
    if not found or not phases or synchronisation_off(Path(mount.point)):
        return {}
    return found | {"syncs_at_once": max(phase.syncs_at_once for phase in phases)}


def synchronised_files(row: Row, mount: Mount) -> dict[str, Any]:
    """The same of files that are created, with what was counted below them."""
    found = told_of_syncs(row, mount, mount.phases)
    if not found:
        return {}
    device = growth_of(mount.phases).device
    found["called_syncs"] = found["sync_calls"] = sum(phase.calls["sync"] for phase in mount.phases)
    return found | {"device": device_facts(mount, device), "device_written_bytes": device and device[1]}
