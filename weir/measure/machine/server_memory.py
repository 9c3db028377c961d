"""The memory of the servers behind a target, which may answer reads instead of their devices."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence

_PATIENCE_S = 30
_MEMORY = re.compile(r'"memory_bytes": *(\d+)')


def server_memory_bytes(probe: Sequence[str]) -> int | None:
    """Memory of all servers, as the target's command (server_probe) reports it; None: it reports none."""
    if not probe:
        return None
    try:
        done = subprocess.run(
            probe,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_PATIENCE_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    found = _MEMORY.findall(done.stdout.decode(errors="replace"))
    return sum(map(int, found)) if found else None
