"""Findings about files of the tool pebble."""

from __future__ import annotations

from tests.unit.audit.subjects import subject
from weir.audit import Subject

FINDS: list[tuple[str, Subject, str, str]] = [
    ("few-bytes", subject(tool="pebble", moved_bytes=1024), "NOTE", "moved 1024 bytes"),
]
