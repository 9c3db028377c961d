"""What the program's help lists."""

from __future__ import annotations

import re


def listed_interfaces(help_text: str) -> tuple[str, ...]:
    """From `-a S  api -- API for I/O [POSIX|DUMMY|MPIIO]` of IOR and of weir-io."""
    match = re.search(r"^\s*-a\b.*\[([A-Z0-9_|]+)\]", help_text, re.MULTILINE)
    return tuple(match[1].split("|")) if match else ()
