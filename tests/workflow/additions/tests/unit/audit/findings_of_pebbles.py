"""Findings about small files."""

from dataclasses import replace

from tests.unit.audit.subjects import CELL, subject
from weir.audit import Subject

ONE_STONE = replace(CELL, params={**CELL.params, "stones": 1})
FINDS: list[tuple[str, Subject, str, str]] = [
    ("few-bytes", subject(cell=ONE_STONE, moved_bytes=1024), "NOTE", "moved 1024 bytes")
]
