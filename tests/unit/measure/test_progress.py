"""The lines of a measurement: counts over all batches, and the file that others follow."""

from __future__ import annotations

from pathlib import Path

import pytest

from weir.measure.executions import Execution, Progress
from weir.terms.model import Cell


def test_progress_counts_the_executions_of_all_batches(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress()
    progress.expect(3)
    cell = Cell("a0", "a", "s", "e", "ior", "site", "disk", "a", "node", 1, 1, 1, 1, 10.0, {})
    for name in ("a", "b"):
        progress.step(name, Execution(cell, 0, 0), "done", 1.0)
    progress.expect(1)
    progress.step("a", Execution(cell, 1, 0), "done", 1.0)
    printed = capsys.readouterr().err.splitlines()
    assert [line.split("]")[0] for line in printed] == ["a [1/3", "b [2/3", "a [3/4"]


def test_progress_makes_its_file_when_there_is_something_to_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    progress = Progress(tmp_path / "progress")
    assert not (tmp_path / "progress").exists()
    progress.report("one")
    progress.report("two")
    assert (tmp_path / "progress").read_text() == "one\ntwo\n"
    Progress(tmp_path / "none" / "progress").report("nobody follows it")
    assert capsys.readouterr().err == "nobody follows it\n"
