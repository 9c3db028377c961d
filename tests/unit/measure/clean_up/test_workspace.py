import errno
import fcntl
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.programs import write_file
from tests.swap_attack import AIMS, attacked, by_descriptors
from weir.base.errors import WeirError
from weir.measure.clean_up import directories as workspace_module
from weir.measure.clean_up.directories import MARKER, Workspace, held_open, missing, own_folder


@pytest.mark.row("directories on a target")
def test_claim_and_remove_leave_nothing(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, tmp_path / "results", "b")
    workspace.claim()
    folder = workspace.run_folder("cell", 0)
    (folder / "data").write_bytes(b"x")
    workspace.remove_run(folder)
    assert [entry.name for entry in workspace.folder.iterdir()] == [MARKER]
    workspace.remove()
    assert list(tmp_path.iterdir()) == []


def test_litter_of_a_killed_predecessor_goes(tmp_path: Path) -> None:
    killed = Workspace(tmp_path, tmp_path / "results", "b")
    killed.claim()
    (killed.run_folder("cell", 0) / "data").write_bytes(b"x")
    again = Workspace(tmp_path, tmp_path / "results", "b")
    again.claim()
    assert [entry.name for entry in again.folder.iterdir()] == [MARKER]


def test_a_folder_that_cannot_be_looked_at_is_not_called_unmounted(tmp_path: Path) -> None:
    """As on a file system of which one server does not answer; here a link to itself."""
    workspace = Workspace(tmp_path, tmp_path / "results", "b")
    assert "was " in (missing(workspace) or "")
    workspace.folder.symlink_to(workspace.folder)
    assert (missing(workspace) or "").endswith("cannot be looked at: Too many levels of symbolic links")


def test_a_marker_that_the_storage_does_not_give_is_an_error_of_the_storage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on an inactive target of Lustre; it was "not made by this results folder"."""

    def failing(*_: object) -> str:
        raise OSError(errno.EIO, "Input/output error", MARKER)

    workspace = Workspace(tmp_path, tmp_path / "results", "b")
    workspace.claim()
    monkeypatch.setattr(workspace_module, "_content", failing)
    with pytest.raises(OSError, match="Input/output error") as caught:
        workspace.remove()
    assert caught.value.filename == str(workspace.folder / MARKER)


@pytest.mark.parametrize("names", [[], [MARKER]])
def test_a_kill_before_the_first_or_after_the_last_step_does_no_harm(
    tmp_path: Path, names: list[str]
) -> None:
    killed = Workspace(tmp_path, tmp_path / "results", "b")
    killed.folder.mkdir()
    for name in names:
        (killed.folder / name).touch()
    again = Workspace(tmp_path, tmp_path / "results", "b")
    again.claim()
    again.remove()
    assert list(tmp_path.iterdir()) == []


def test_what_comes_while_it_is_removed_is_recognised_by_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rank on another node, which nobody here can end, makes a file after the last look."""
    workspace = Workspace(tmp_path, tmp_path / "results", "b")
    workspace.claim()
    with monkeypatch.context() as patch:
        patch.setattr(
            workspace_module, "remove_entries", lambda *_, **__: (workspace.folder / "late").touch()
        )
        with pytest.raises(OSError, match="not empty"):
            workspace.remove()
    assert (workspace.folder / "late").exists()
    Workspace(tmp_path, tmp_path / "results", "b").remove()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.row("directories on a target")
@pytest.mark.row("emptying a target")
def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, tmp_path / "results", "b")
    write_file(workspace.folder / "thesis.tex", "years of work")
    with pytest.raises(WeirError, match="was not made by this results folder"):
        workspace.claim()
    assert (workspace.folder / "thesis.tex").exists()


@pytest.mark.row("links on a target")
def test_a_link_with_our_name_is_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    other = Workspace(precious, tmp_path / "results", "b")
    other.claim()
    target = tmp_path / "target"
    target.mkdir()
    workspace = Workspace(target, tmp_path / "results", "b")
    workspace.folder.symlink_to(other.folder)
    with pytest.raises(WeirError):
        workspace.claim()
    assert (other.folder / MARKER).exists()


def test_batches_and_results_folders_do_not_share(tmp_path: Path) -> None:
    names = {
        Workspace(tmp_path, tmp_path / results, batch).folder.name
        for results in ("r1", "r2")
        for batch in ("a", "b")
    }
    assert len(names) == 4


@pytest.mark.row("links on a target")
@pytest.mark.row("emptying a target")
def test_links_inside_are_removed_and_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    write_file(outside / "kept", "x")
    workspace = Workspace(tmp_path, tmp_path / "results", "b")
    workspace.claim()
    (workspace.folder / "link").symlink_to(outside)
    workspace.remove()
    assert (outside / "kept").exists()


@pytest.mark.slow
@pytest.mark.parametrize("aim", AIMS)
@pytest.mark.row("links on a target")
def test_a_swap_between_check_and_deletion_finds_no_victim(aim: str) -> None:
    """`make swap-attack` makes 10,000 rounds, and as many of a deletion by paths, which has victims."""
    result = attacked(100, aim, by_descriptors)
    assert result.swaps > 0
    assert result.victims == 0


def test_folders_that_killed_processes_left_go_with_the_next_start(tmp_path: Path) -> None:
    """A lock tells those of the living, also of a container whose processes are not seen here."""
    for name in ("weir-prove-dead", "weir-prove-alive", "another"):
        (tmp_path / name / "report").mkdir(parents=True)
    with held_open(tmp_path / "weir-prove-alive") as alive:
        fcntl.flock(alive, fcntl.LOCK_EX)
        with own_folder(tmp_path, "weir-prove-") as own, own_folder(tmp_path, "weir-prove-"):
            left = {each.name for each in tmp_path.iterdir()}
    assert left >= {own.name, "weir-prove-alive", "another"}
    assert "weir-prove-dead" not in left
    assert not own.exists()


def test_a_new_folder_that_another_start_removes_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until it has its lock, it looks as one that was left."""
    make, made = tempfile.mkdtemp, list[str]()

    def removed_at_first(*names: Any, **more: Any) -> str:
        made.append(make(*names, **more))
        if len(made) == 1:
            os.rmdir(made[0])
        return made[-1]

    monkeypatch.setattr(tempfile, "mkdtemp", removed_at_first)
    with own_folder(tmp_path, "weir-prove-") as own:
        assert [str(own)] == made[1:]
    assert not list(tmp_path.iterdir())
