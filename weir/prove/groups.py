"""Control groups of the processes that used a mount: their limits, and how often they were held back."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from weir.measure.machine.block_limits import devices_below
from weir.prove.killed import Process
from weir.witness.groups import groups


def group_of(
    mount: Mapping[str, Any], users: Sequence[Process], held: Mapping[str, float] | None
) -> Mapping[str, Any] | None:
    """The group with the limits of the devices below the mount; none of another node, whose devices are not
    known here. held: shares of the time in which something held processes of the node back."""
    group: dict[str, Any] | None = groups(users).get("group")
    if group is None:
        return None
    here = all(one["host"] == socket.gethostname() for one in users)
    devices = devices_below(Path(mount["point"] or "/")) if group["block_limits"] and here else set()
    group["block_limits"] = [one for one in group["block_limits"] if one["device"] in devices]
    return group | {"is_below": True, **(held or {})}
