"""The ledger: each run that ended has a line, and what was done to the runs or to the lines is found."""

import errno
import fcntl
import json
import multiprocessing
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.programs import replace_in, write_file
from tests.unit.conftest import RunWeir
from weir.base.errors import WeirError
from weir.collect.rounds import Rounds, rounds_of_rows
from weir.records.model import Row
from weir.runs.files import ROWS_FILE, RUN_FILE
from weir.runs.ledger import (
    COLLECTED_LEDGER,
    LEDGER,
    ROUNDS_FILE,
    Ledger,
    copy_ledger,
    end_run,
    finish_ended,
    keep_ledger,
    read_ledger,
)
from weir.runs.manifest import TABLES, verify, write_manifest

ROUNDS = 4


def document(cell: str, run: int, rounds: int = ROUNDS, status: str = "done") -> dict[str, Any]:
    return {
        "cell": {"cell": cell, "rounds": rounds},
        "run": run,
        "status": status,
        "ended": f"2026-03-01T10:{run:02d}:00+00:00",
    }


def end(results: Path, cell: str, run: int, **how: Any) -> Path:
    folder = results / "runs" / cell / f"{run:03d}"
    write_file(folder / "stdout.txt", f"{cell} {run}\n")
    end_run(folder, document(cell, run, **how))
    return folder


def test_nothing_of_a_weir_that_was_killed_at_the_end_of_a_run_counts(tmp_path: Path) -> None:
    """It had judged the run, and its guardian, which settles it, judges nothing."""
    folder = tmp_path / "results/lab/runs/c1/000"
    for name in (ROWS_FILE, f".{ROWS_FILE}.4711", f".{RUN_FILE}.4711", "stdout.txt"):
        write_file(folder / name, "{}\n")
    end_run(folder, document("c1", 0))
    assert {file.name for file in folder.iterdir()} == {"stdout.txt", RUN_FILE}
    assert [*json.loads((folder / RUN_FILE).read_text())["sha256"]] == ["stdout.txt"]


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Four rounds of two cells, by a plan."""
    results = tmp_path / "results" / "lab"
    for run in range(ROUNDS):
        for cell in ("c1", "c2"):
            end(results, cell, run)
    return results


def checked(results: Path) -> Rounds:
    """The study of the runs that are there now."""
    study = results / "study"
    study.mkdir(exist_ok=True)
    cells = [{"cell": cell, "rounds": ROUNDS} for cell in ("c1", "c2")]
    (study / "plan.json").write_text(json.dumps({"batches": [{"batch": "b", "cells": cells}]}))
    files = sorted(results.glob("runs/*/[0-9][0-9][0-9]/run.json"))
    rows: list[Row] = [{"cell": file.parts[-3], "run": int(file.parts[-2])} for file in files]
    return rounds_of_rows(study, rows)


def ledger_of(results: Path) -> Ledger:
    ledger = read_ledger(results / LEDGER)
    assert ledger is not None
    return ledger


def found(results: Path) -> list[tuple[str, str | None, int | None]]:
    return [(one.kind, one.cell, one.run) for one in checked(results).findings]


def test_runs_as_they_ended_have_no_finding(results: Path) -> None:
    ledger = ledger_of(results)
    assert (len(ledger.entries), ledger.broken) == (2 * ROUNDS, None)
    assert found(results) == []


def without_line(results: Path) -> None:
    file = results / LEDGER
    lines = file.read_text().splitlines(keepends=True)
    shutil.rmtree(results / "runs" / "c1" / "002")
    file.write_text("".join(line for line in lines if '"c1"' not in line or '"run": 2' not in line))


def copied(results: Path) -> None:
    """A good round under the number of one that was not measured yet."""
    shutil.copytree(results / "runs" / "c1" / "000", results / "runs" / "c1" / "004")


def edited(results: Path) -> None:
    replace_in(results / "runs/c1/002/run.json", "2026", "2027")


def again(results: Path) -> None:
    shutil.rmtree(results / "runs" / "c1" / "002")
    end(results, "c1", 2)


def failed_before(results: Path) -> None:
    for status in ("failed", "done"):
        end(results, "c1", 4, status=status)


CHEATS: dict[str, tuple[Callable[[Path], object], list[tuple[str, str | None, int | None]]]] = {
    "deleted": (lambda results: shutil.rmtree(results / "runs" / "c1" / "003"), [("deleted", "c1", 3)]),
    "deleted with its line": (without_line, [("missing", "c1", 2), ("broken", None, None)]),
    "measured again": (again, [("replaced", "c1", 2)]),
    "a failed one measured again": (failed_before, [("repeated", "c1", 4)]),
    "edited": (edited, [("edited", "c1", 2)]),
    "copied": (copied, [("replayed", "c1", 4)]),
    "a whole cell": (
        lambda results: shutil.rmtree(results / "runs" / "c2"),
        [("deleted", "c2", run) for run in range(ROUNDS)],
    ),
}


@pytest.mark.parametrize("name", CHEATS)
def test_what_was_done_to_a_round_is_found_with_its_number(results: Path, name: str) -> None:
    cheat, expected = CHEATS[name]
    cheat(results)
    assert found(results) == expected


def test_a_run_that_was_killed_after_its_line_is_finished_and_not_told_as_replaced(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = (results / LEDGER).read_text().splitlines()[-1]
    (results / LEDGER).write_text((results / LEDGER).read_text().removesuffix(line + "\n"))
    (results / "runs/c2/003" / RUN_FILE).unlink()
    replace = Path.replace

    def killed(self: Path, target: Path) -> Path:
        if target.name == RUN_FILE:
            raise KeyboardInterrupt
        return replace(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            end(results, "c2", 3)
    assert found(results) == [("deleted", "c2", 3)]
    finish_ended(results)
    assert found(results) == []
    assert (results / LEDGER).read_text().splitlines()[-1] == line


def test_a_run_measured_without_a_ledger_has_no_line(results: Path) -> None:
    (results / LEDGER).unlink()
    assert any(LEDGER in one for one in checked(results).lacks)
    end(results, "c1", 4)
    assert ("unrecorded", "c1", 0) in found(results)
    assert ("unrecorded", "c1", 4) not in found(results)


def test_a_longer_plan_after_each_look_is_counted(results: Path) -> None:
    assert checked(results).looks == {"c1": 1, "c2": 1}
    for run, rounds in ((4, 5), (5, 7), (6, 7)):
        end(results, "c1", run, rounds=rounds)
    assert checked(results).looks == {"c1": 3, "c2": 1}
    end(results, "c2", 4)  # added to the four that were planned
    assert checked(results).looks == {"c1": 3, "c2": 2}


def test_a_long_plan_that_was_stopped_is_a_look_at_each_run(results: Path) -> None:
    (results / LEDGER).unlink()
    for run in range(ROUNDS):
        end(results, "c1", run, rounds=40)
    assert checked(results).looks["c1"] == 1 + ROUNDS


def test_a_truncated_line_is_found_and_the_next_one_is_whole(results: Path) -> None:
    file = results / LEDGER
    file.write_bytes(file.read_bytes()[:-10])
    end(results, "c1", 4)
    ledger = ledger_of(results)
    assert ledger.broken == f"line {2 * ROUNDS} is damaged"
    assert ledger.entries[-1].run == 4


def write_many(results: Path, cell: str) -> None:
    for run in range(20):
        end(results, cell, run)


def test_several_writers_make_one_chain(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=write_many, args=(tmp_path, f"c{number}")) for number in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    ledger = ledger_of(tmp_path)
    assert (len(ledger.entries), ledger.broken) == (80, None)


def test_a_ledger_that_was_written_anew_is_not_that_of_the_collection(results: Path) -> None:
    study = collected(results)
    end(results, "c3", 0)  # of another study
    assert verify(study).differences == ()
    (results / LEDGER).unlink()
    for run in range(ROUNDS):
        for cell in ("c2", "c1"):
            end(results, cell, run)
    assert [str(one) for one in verify(study).differences] == [f"edited: ../{LEDGER}"]
    assert ("broken", None, None) in found(results)


def collected(results: Path) -> Path:
    """As weir collect leaves the folder of a study."""
    study, rounds = results / "study", checked(results)
    for name in ("records.csv", *TABLES):
        (study / name).write_text("\n")
    (study / ROUNDS_FILE).write_text(json.dumps(rounds.data()))
    kept = [study / "plan.json", study / ROUNDS_FILE, keep_ledger(results, study, rounds.entries)]
    digest = write_manifest(study, "records.csv", [*kept, *results.glob("runs/*/*/run.json")])
    (study / "facts.json").write_text(json.dumps({"digest": digest}))
    return study


def of_study(study: Path) -> Rounds:
    return rounds_of_rows(
        study, [{"cell": cell, "run": run} for cell in ("c1", "c2") for run in range(ROUNDS)]
    )


def test_a_study_that_is_copied_by_its_tables_is_whole(results: Path, tmp_path: Path) -> None:
    """By cp -r, to a directory that is none of weir, or to that of another machine."""
    study = collected(results)
    end(results, "c3", 0)  # the ledger goes on
    other = tmp_path / "elsewhere" / "lab"
    end(other, "c1", 0, status="failed")
    for goal in (tmp_path / "before", other / "before"):
        shutil.copytree(study, goal)
        assert of_study(goal).findings == ()
        assert of_study(goal).lacks == ()


def test_verify_says_once_that_a_copy_has_no_runs(results: Path, tmp_path: Path, run_weir: RunWeir) -> None:
    copy = shutil.copytree(collected(results), tmp_path / "before")
    first, second, third, *_ = run_weir("verify", copy, code=1).out.splitlines()
    assert first == f"{6 + 2 * ROUNDS} files compared, {2 * ROUNDS} differ"
    assert second == f"the {2 * ROUNDS} runs are not here: this is a copy of the tables of the study"
    assert "copy runs/ and ledger.jsonl" in third


def test_a_copy_is_held_to_its_ledger(results: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(collected(results), tmp_path / "before")
    rows: list[Row] = [{"cell": cell, "run": run} for cell in ("c1", "c2") for run in range(ROUNDS - 1)]
    kinds = {(one.kind, one.run) for one in rounds_of_rows(copy, rows).findings}
    assert kinds == {("deleted", ROUNDS - 1)}
    (copy / COLLECTED_LEDGER).write_text("")
    assert {one.kind for one in of_study(copy).findings} == {"edited", "broken", "older"}


def test_a_copy_without_a_ledger_says_what_to_copy(results: Path, tmp_path: Path) -> None:
    """As weir collected studies before it kept the ledger beside their tables."""
    copy = shutil.copytree(collected(results), tmp_path / "before")
    (copy / COLLECTED_LEDGER).unlink()
    (broken,) = (one for one in of_study(copy).findings if one.kind == "broken")
    assert "copy runs/ and ledger.jsonl of the site's directory" in broken.text


def test_where_the_runs_are_the_ledger_of_their_directory_counts(results: Path) -> None:
    """Or whoever deletes it hides the rounds that it goes on with."""
    study = collected(results)
    (results / LEDGER).unlink()
    assert "broken" in {one.kind for one in of_study(study).findings}


def test_a_copied_ledger_has_the_sums_of_the_copies_and_keeps_what_is_wrong(results: Path) -> None:
    source = ledger_of(results)
    first = source.entries[0]
    copy_ledger(source, results / "copy", {first.sha256: "f" * 64})
    copy = read_ledger(results / "copy")
    assert copy is not None
    assert copy.broken is None
    assert [one.sha256 for one in copy.entries] == ["f" * 64, *(one.sha256 for one in source.entries[1:])]
    without_line(results)
    broken = ledger_of(results)
    copy_ledger(broken, results / "copy", {})
    again = read_ledger(results / "copy")
    assert again is not None
    assert again.broken is not None


def test_a_process_that_keeps_the_lock_of_the_ledger_is_not_waited_for_without_end(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("weir.runs.ledger.LOCK_S", 0.1)
    before = (results / LEDGER).read_bytes()
    with (results / LEDGER).open("rb") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        with pytest.raises(WeirError, match=r"another process has locked it for 0\.1 s"):
            end(results, "c3", 0)
    assert (results / LEDGER).read_bytes() == before


def test_a_start_leaves_a_ledger_alone_whose_runs_are_whole(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be read-only, as in an archive of which all has run."""

    def refused(path: Path, *_: object) -> int:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    monkeypatch.setattr(os, "open", refused)
    finish_ended(results)
