"""The identity of a cell: a hash of all that influences its measurement, and of nothing else."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from weir.tools.base import Tool

DIGITS = 12
_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


def neutral(value: Any, default: Any) -> bool:
    """Off, and off by default: a parameter that a tool gets later in this way changes no old cell."""
    return not value and value == default


def cell_identity(
    tool: Tool,
    params: Mapping[str, Any],
    defaults: Mapping[str, Any],
    place: Mapping[str, Any],
) -> str:
    """12 hexadecimal digits. place: site, target, stack, launcher, nodes, ppn and iterations."""
    hashed = {key: value for key, value in params.items() if not neutral(value, defaults.get(key))}
    text = _canonical({**place, "tool": tool.name, "params": hashed})
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]
