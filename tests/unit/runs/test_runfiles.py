from __future__ import annotations

from pathlib import Path

from weir.runs.files import fresh_folder, is_finished, is_kept
from weir.runs.ledger import write_run_file


def test_a_folder_without_run_file_is_litter(tmp_path: Path) -> None:
    (fresh_folder(tmp_path, "c", 0) / "stdout.txt").write_text("half")
    assert not is_finished(tmp_path, "c", 0)
    assert list(fresh_folder(tmp_path, "c", 0).iterdir()) == []


def test_a_failed_run_counts_and_is_set_aside_when_tried_again(tmp_path: Path) -> None:
    folder = fresh_folder(tmp_path, "c", 0)
    write_run_file(folder, {"status": "failed"})
    assert is_finished(tmp_path, "c", 0)
    assert not is_kept(tmp_path, "c", 0, only_successful=True)
    again = fresh_folder(tmp_path, "c", 0)
    write_run_file(again, {"status": "done"})
    assert is_kept(tmp_path, "c", 0, only_successful=True)
    assert sorted(path.name for path in again.parent.iterdir()) == ["000", "000.failed-1"]


def test_run_file_appears_whole(tmp_path: Path) -> None:
    folder = fresh_folder(tmp_path, "c", 1)
    write_run_file(folder, {"status": "done"})
    assert [path.name for path in folder.iterdir()] == ["run.json"]
