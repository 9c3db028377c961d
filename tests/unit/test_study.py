"""What is said of a study's batches before and after measuring."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from weir.study import why_not_measured

SAID = """\
weir: disk-a-3x1: the nodes were not compared: srun: error
{
 "errors": [
  {
   "message": "target disk: nothing is mounted on /lustre",
   "hint": "mount it, or correct `mount`"
  }
 ]
}
"""
PLAN: Any = SimpleNamespace(batches=[SimpleNamespace(batch=name) for name in ("disk-a-1x1", "disk-a-3x1")])


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (SAID, "target disk: nothing is mounted on /lustre\n    mount it, or correct `mount`"),
        ("slurmstepd: error: *** JOB 7 CANCELLED ***\nmore\n", "slurmstepd: error: *** JOB 7 CANCELLED ***"),
        ('{\n "errors": [cut', "{"),
        ("", "it was ended without a word"),
    ],
)
def test_a_batch_without_receipt_says_why(tmp_path: Path, said: str, reason: str) -> None:
    batches = tmp_path / "batches"
    batches.mkdir()
    for name in ("disk-a-1x1", "disk-a-3x1"):
        (batches / f"{name}.err").write_text(said)
    (batches / "disk-a-1x1.json").write_text("{}")  # it went well the second time
    first, log = why_not_measured(PLAN, tmp_path)
    assert first == f"weir: disk-a-3x1 was not measured: {reason}"
    assert log.endswith(f"{batches}/disk-a-3x1.log")
