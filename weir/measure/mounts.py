"""The mounts of this machine, as the kernel lists them."""

from __future__ import annotations

from pathlib import Path


def mount_of(folder: Path) -> dict[str, str] | None:
    """The mount that holds folder: the longest mount point above it, from /proc/self/mountinfo."""
    try:
        lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    resolved = str(folder.resolve())
    best: dict[str, str] | None = None
    for line in lines:
        left, _, right = line.partition(" - ")
        fields, tail = left.split(), right.split()
        point = fields[4].replace("\\040", " ")
        inside = point == "/" or resolved == point or resolved.startswith(point + "/")
        # A later mount on the same point hides the earlier one, hence >=.
        if inside and (best is None or len(point) >= len(best["mount_point"])):
            best = {"mount_point": point, "type": tail[0], "device": tail[1], "options": fields[5]}
            best["super_options"] = tail[2] if len(tail) > 2 else ""
    return best
