from __future__ import annotations

import mmap
import os
from pathlib import Path

from weir.measure.shared_memory import remove_orphans


def test_only_orphans_of_this_batch_go(tmp_path: Path) -> None:
    times = {
        "vader_segment.old": 100,
        "vader_segment.orphan": 1000,
        "vader_segment.mapped": 1000,
        "other": 1000,
    }
    for name, made in times.items():
        (tmp_path / name).write_bytes(bytes(4096))
        os.utime(tmp_path / name, (made, made))
    (tmp_path / "other").touch()
    (tmp_path / "vader_segment.new").write_bytes(b"x")  # perhaps of a rank that is about to map it
    with (tmp_path / "vader_segment.mapped").open("r+b") as stream, mmap.mmap(stream.fileno(), 0):
        assert remove_orphans(500, tmp_path) == [tmp_path / "vader_segment.orphan"]
    left = sorted(file.name for file in tmp_path.iterdir())
    assert left == ["other", "vader_segment.mapped", "vader_segment.new", "vader_segment.old"]
