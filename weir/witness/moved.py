"""The bytes that the calls of spans moved, the offsets they went to, and whether the files in memory have
them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from weir.witness.names import distinct

MOVED = {"write": "written_bytes", "read": "read_bytes"}

Span = Mapping[str, Any]


def called(spans: Sequence[Span], access: str) -> int:
    """The bytes of calls that came to the kernel, whose count is of all files: a filter of system calls with
    a listener answers before it and leaves fewer there. Older libraries do not count them."""
    seen, key = sum(span[MOVED[access]] for span in spans), f"system_{MOVED[access]}"
    return int(min(seen, sum(span[key] for span in spans)) if all(key in span for span in spans) else seen)


def places(spans: Sequence[Span], access: str) -> dict[str, Any]:
    """Distinct places of all ranks; nothing where a position is not known, or where no slot is left empty."""
    found = distinct([span.get(f"{access}_places") for span in spans])
    return {"places": found} if found else {}


def contents(spans: Sequence[Span], access: str) -> dict[str, Any]:
    """The comparison of files in memory with the calls; older libraries do not look."""
    seen = [span.get(f"{access}_places") or {} for span in spans]
    sums = {name: sum(one.get(name, 0) for one in seen) for name in ("looked", "differing")}
    return {"contents": sums} if sums["looked"] else {}


def in_files(spans: Sequence[Span]) -> int:
    """The bytes that the calls of a write moved, less the share that the files do not have."""
    written, seen = sum(span["written_bytes"] for span in spans), contents(spans, "write").get("contents")
    return int(written * (1 - seen["differing"] / seen["looked"])) if seen else written
