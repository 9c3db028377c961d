"""Programs that tests write for themselves: in place of launchers, batch systems and tools."""

from __future__ import annotations

from pathlib import Path


def write_program(path: Path, text: str) -> Path:
    """A file that may be executed, and its directory if that is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path
