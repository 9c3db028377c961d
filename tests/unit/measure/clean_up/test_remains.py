"""Notes of killed measurements: carried out, or set aside after one try."""

import errno
import json
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from weir.base.processes import children_of
from weir.measure.clean_up import remains
from weir.measure.clean_up.directories import Workspace
from weir.measure.clean_up.prepared_target import Guardian, facts_of
from weir.measure.clean_up.remains import ASIDE_SUFFIX, clean_up_after_kills
from weir.measure.lock import Lock, this_process
from weir.measure.session import PlannedBatch
from weir.records.model import Stack, Target

pytestmark = pytest.mark.slow
GONE = 2**22 + 1  # no process has that number


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the locks and notes of this user."""
    for name in ("data", "locks", "temporary"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr(remains, "lock_directory", lambda: tmp_path / "locks")
    yield tmp_path / "locks"
    shutil.rmtree(tmp_path / "data")


def facts_below(folder: Path) -> dict[str, Any]:
    """What a guardian is given, of a batch that this process measures."""
    job = PlannedBatch(
        "b", [], Target("disk", "disk", str(folder / "data")), Stack("st", {}), "", folder / "results"
    )
    return facts_of(job, "token", this_process(job.results, "b"), Lock(folder / "locks/0123"))


def note_of_a_kill(folder: Path, **changes: Any) -> dict[str, Any]:
    """What a measurement that was killed has noted."""
    facts = facts_below(folder)
    facts |= {"holder": facts["holder"] | {"pid": GONE, "started_ticks": 1}} | changes
    (folder / "locks/0123.json").write_text(json.dumps(facts))
    return facts


def assert_all_is_removed(folder: Path) -> None:
    (cleaned,) = clean_up_after_kills(print)
    assert (cleaned.complaints, [*(folder / "locks").iterdir(), *(folder / "data").iterdir()]) == ((), [])


def test_what_is_left_is_removed_with_its_note(notes: Path, tmp_path: Path) -> None:
    note_of_a_kill(tmp_path)
    Workspace(tmp_path / "data", tmp_path / "results", "b").claim()
    assert_all_is_removed(tmp_path)


def test_what_is_left_on_a_target_that_was_unmounted_is_noted_for_the_next_start(
    notes: Path, tmp_path: Path
) -> None:
    facts = note_of_a_kill(tmp_path)
    (tmp_path / "results").mkdir()
    assert_all_is_removed(tmp_path)
    assert Path(facts["launches"]).is_dir()


def test_results_that_take_no_lock_keep_nothing_on_the_target(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a full disk, or in a directory that this user may no longer see: each later start would fail."""

    def full(folder: Path) -> Lock:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))

    monkeypatch.setattr(remains, "launch_lock", full)
    (tmp_path / "results").mkdir()
    note_of_a_kill(tmp_path)
    Workspace(tmp_path / "data", tmp_path / "results", "b").claim()
    assert_all_is_removed(tmp_path)


def test_a_note_of_a_results_folder_that_is_not_utf8_is_carried_out(notes: Path, tmp_path: Path) -> None:
    results = tmp_path / "a\udcffb"
    note_of_a_kill(tmp_path, results=str(results))
    Workspace(tmp_path / "data", results, "b").claim()
    assert_all_is_removed(tmp_path)


@pytest.mark.parametrize("damage", [{"target": {"name": "disk"}}, {"launches": "a\0b"}])
def test_a_note_that_cannot_be_carried_out_is_set_aside_after_one_try(
    notes: Path, tmp_path: Path, damage: dict[str, Any]
) -> None:
    """As one that another version of weir has left."""
    note_of_a_kill(tmp_path, **damage)
    lines: list[str] = []
    (cleaned,) = clean_up_after_kills(lines.append)
    aside = notes / f"0123{ASIDE_SUFFIX}"
    assert f"its note is set aside: {aside}" in cleaned.complaints[0]
    assert any(str(aside) in line for line in lines)
    assert [*notes.iterdir()] == [aside]
    assert clean_up_after_kills(print) == []


def test_another_guardian_goes_on_in_the_place_of_one_that_is_killed(notes: Path, tmp_path: Path) -> None:
    facts = facts_below(tmp_path)
    guardian = Guardian(facts, [])
    assert guardian.ask(do="claim") == {"neighbour": None, "number": 2}
    (workspace,) = (one for one in (tmp_path / "data").iterdir() if one.is_dir())
    (workspace / "cell-000").mkdir()
    (first,) = children_of(os.getpid())
    os.kill(first, signal.SIGKILL)
    guardian.remove([workspace / "cell-000"])
    assert [one.name for one in workspace.iterdir()] == [".weir-owned"]
    assert (tmp_path / "data/.weir-lock").exists()
    guardian.clean(is_whole=True)
    assert [*(tmp_path / "data").iterdir()] == []
    guardian.nothing_left()
    assert guardian.dismiss()
    assert [*notes.iterdir()] == []
