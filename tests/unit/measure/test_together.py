from __future__ import annotations

import json
from pathlib import Path

from weir.measure.runfiles import read_run_file, run_folder
from weir.measure.together import read_status, settle


def launch(tmp_path: Path, status: str) -> tuple[Path, Path]:
    """The folder of a launch of two cells whose harness is gone."""
    results, folder = tmp_path / "results", tmp_path / "launch"
    folder.mkdir()
    known = {}
    for name in ("aa", "bb"):
        outputs = run_folder(results, name, 0)
        outputs.mkdir(parents=True)
        (outputs / "stdout.txt").write_text("table")
        known[f"{name}-000"] = {"schema": 1, "cell": {"cell": name}, "run": 0}
    (folder / "launch.json").write_text(json.dumps(known))
    (folder / "status").write_text(status)
    return results, folder


def test_whole_lines_count_and_half_ones_do_not(tmp_path: Path) -> None:
    file = tmp_path / "status"
    file.write_text("aa-000\t0\t1.5\nbb-000\t0\t0.")
    assert [(line.name, line.exit_code, line.elapsed_s) for line in read_status(file)] == [("aa-000", 0, 1.5)]
    assert read_status(tmp_path / "none") == []


def test_what_ended_before_the_kill_gets_its_run_file(tmp_path: Path) -> None:
    results, folder = launch(tmp_path, "aa-000\t0\t1.5\n")
    settle(folder, results)
    document = read_run_file(results, "aa", 0)
    assert document is not None
    assert (document["status"], document["elapsed_s"], document["outputs"]) == (
        "done",
        1.5,
        {"stdout": "stdout.txt"},
    )
    assert read_run_file(results, "bb", 0) is None
    assert not folder.exists()


def test_a_failed_cell_keeps_the_first_words_of_its_complaint(tmp_path: Path) -> None:
    results, folder = launch(tmp_path, "bb-000\t1\t0.1\n")
    (run_folder(results, "bb", 0) / "stderr.txt").write_text("----\nweir-io: rank 0: no space\nmore\n")
    settle(folder, results)
    document = read_run_file(results, "bb", 0)
    assert document is not None
    assert (document["status"], document["error"]) == ("failed", "exit code 1: weir-io: rank 0: no space")


def test_a_launch_that_never_began_leaves_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "launch"
    folder.mkdir()
    (folder / "list").write_text("")
    settle(folder, tmp_path)
    assert not folder.exists()
    settle(folder, tmp_path)
