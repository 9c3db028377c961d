"""What a killed workflow left: its locks and the temporary directories of its processes."""

import json
import os
import resource
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.programs import write_file
from weir.workflow.takeover import (
    HOLDER_FILE,
    TEMPORARY,
    note_temporary,
    provide_cache,
    take_over_from_a_killed_workflow,
)


def killed(folder: Path, temporary: Path) -> None:
    """As a process leaves it that was killed."""
    gone = subprocess.Popen(["true"])
    gone.wait()
    facts = {"host": socket.gethostname(), "pid": gone.pid, "started_ticks": 1, "temporary": str(temporary)}
    write_file(folder / TEMPORARY / f"{gone.pid}.json", json.dumps(facts))


def test_temporary_directories_of_the_dead_go_and_no_others(tmp_path: Path) -> None:
    folder = tmp_path / ".snakemake"
    names = ("snakemake-dead", "thesis", "snakemake-alive", "snakemake-link")
    for name in names[:3]:
        (tmp_path / name / "source-cache").mkdir(parents=True)
    (tmp_path / "snakemake-link").symlink_to(tmp_path / "thesis")
    for name in ("snakemake-dead", "thesis", "snakemake-link"):
        killed(folder, tmp_path / name)
    note_temporary(folder, tmp_path / "snakemake-alive")
    take_over_from_a_killed_workflow(folder)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == sorted({".snakemake", *names[1:]})
    assert (tmp_path / "thesis/source-cache").is_dir()
    assert [file.name for file in (folder / TEMPORARY).iterdir()] == [f"{os.getpid()}.json"]


@pytest.mark.parametrize("home", ["/proc/none", "a-file", "."])
def test_snakemake_has_a_cache_where_the_home_takes_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    (tmp_path / "a-file").touch()
    monkeypatch.setenv("HOME", str(tmp_path / home))
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    provide_cache(tmp_path / ".snakemake")
    own = "" if home == "." else str(tmp_path / ".snakemake/cache")
    assert os.environ["XDG_CACHE_HOME"] == own


def test_snakemake_has_a_cache_where_the_home_takes_directories_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a full tmpfs and a quota of blocks do."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    least, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, most))
    try:
        provide_cache(tmp_path / ".snakemake")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (least, most))
    assert os.environ["XDG_CACHE_HOME"] == str(tmp_path / ".snakemake/cache")
    assert [*(tmp_path / "home/snakemake").iterdir()] == []


def test_a_dead_workflows_locks_go_and_a_living_ones_stay(tmp_path: Path) -> None:
    (tmp_path / "locks").mkdir()
    (tmp_path / "locks/0.input.lock").touch()
    take_over_from_a_killed_workflow(tmp_path)  # this process is its holder from now on
    take_over_from_a_killed_workflow(tmp_path)
    assert (tmp_path / "locks/0.input.lock").exists()
    holder = json.loads((tmp_path / HOLDER_FILE).read_text())
    (tmp_path / HOLDER_FILE).write_text(json.dumps(holder | {"started_ticks": 1}))
    take_over_from_a_killed_workflow(tmp_path)
    assert not (tmp_path / "locks/0.input.lock").exists()


def test_locks_of_a_second_workflow_outlive_the_first(tmp_path: Path) -> None:
    """It began while the first was there, as for another study, and is not its holder."""
    take_over = "from pathlib import Path; from weir.workflow.takeover import *; folder = Path('.'); "
    take_over += "note_temporary(folder, folder / 'none'); take_over_from_a_killed_workflow(folder); "
    command = [sys.executable, "-c", take_over + "print(flush=True); input()"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])}
    with ExitStack() as stack:
        first, second = (
            stack.enter_context(subprocess.Popen(command, cwd=tmp_path, env=environment, **pipes))
            for _ in range(2)
        )
        for process in (first, second):
            assert process.stdout.read(1) == b"\n"
        (tmp_path / "locks").mkdir()
        (tmp_path / "locks/0.input.lock").touch()
        first.communicate(b"\n")
        take_over_from_a_killed_workflow(tmp_path)
        assert (tmp_path / "locks/0.input.lock").exists()
        assert [file.stem for file in (tmp_path / TEMPORARY).iterdir()] == [str(second.pid)]
        second.communicate(b"\n")
    take_over_from_a_killed_workflow(tmp_path)
    assert not (tmp_path / "locks/0.input.lock").exists()


def test_locks_of_a_second_workflow_on_another_node_outlive_the_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing here tells whether it is alive; a workflow that ends well takes its note along."""
    (tmp_path / "locks").mkdir()
    (tmp_path / "locks/0.input.lock").touch()
    killed(tmp_path, tmp_path / "none")
    note = next((tmp_path / TEMPORARY).iterdir())
    elsewhere = json.loads(note.read_text()) | {"host": "login2", "runs_workflow": True}
    note.write_text(json.dumps(elsewhere))
    (tmp_path / HOLDER_FILE).write_text(json.dumps(elsewhere | {"host": socket.gethostname()}))
    take_over_from_a_killed_workflow(tmp_path)
    assert (tmp_path / "locks/0.input.lock").exists()
    assert f"on login2 may run; if it does not, delete {note}" in capsys.readouterr().err
    note.unlink()
    take_over_from_a_killed_workflow(tmp_path)
    assert not (tmp_path / "locks/0.input.lock").exists()
