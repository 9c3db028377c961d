"""An interrupt while another process is at work on the target."""

import errno
import io
import json
import os
import re
import signal
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.unit.measure.alone import measure_batch, one_cell
from tests.workflow.processes import until
from weir.base.errors import WeirError
from weir.base.processes import Interrupt, children_of, is_readable, started
from weir.measure import batches
from weir.measure.clean_up import prepared_target
from weir.measure.clean_up.directories import Workspace
from weir.measure.clean_up.guardian import Custody
from weir.measure.clean_up.prepared_target import Guardian, facts_of
from weir.measure.lock import LOCK_IN_TARGET, Holder, Lock, launch_lock, machine_lock, this_process
from weir.measure.session import PlannedBatch, SessionBatch


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PlannedBatch:
    """One cell on one node."""
    return one_cell(tmp_path, monkeypatch, 1, "#!/bin/sh\n")


@pytest.mark.slow
@pytest.mark.parametrize("error", ["", "a fault", "an interrupt"])
def test_a_target_that_goes_after_the_last_execution_is_emptied_by_the_next_start(
    job: PlannedBatch, monkeypatch: pytest.MonkeyPatch, error: str
) -> None:
    """As a FUSE mount whose process was killed: its directory is there and empty."""
    target, elsewhere = Path(job.target.path), Path(job.target.path).with_name("unmounted")
    job.results.mkdir(parents=True, exist_ok=True)

    def unmount(*_: object, **options: object) -> None:
        target.rename(elsewhere)
        target.mkdir()
        if error:
            raise KeyboardInterrupt if error == "an interrupt" else WeirError(error)

    monkeypatch.setattr(batches, "run_all", unmount)
    told = error or r"is not there any more: was .*/data unmounted\?"
    with pytest.raises(KeyboardInterrupt if error == "an interrupt" else WeirError) as raised:
        measure_batch(job)
    assert error == "an interrupt" or re.search(told, str(raised.value))
    target.rmdir()
    elsewhere.rename(target)
    assert {one.name[:5] for one in target.iterdir()} == {"weir-", ".weir"}
    monkeypatch.setattr(SessionBatch, "todo", lambda self, round=None: [])
    measure_batch(job)
    assert list(target.iterdir()) == []
    assert not job.launch_folder.exists()


@pytest.mark.slow
@pytest.mark.parametrize("request_", ["claim", "clean"])
def test_what_is_claimed_or_cleaned_in_the_moment_of_an_interrupt_is_removed(
    job: PlannedBatch, monkeypatch: pytest.MonkeyPatch, request_: str
) -> None:
    """The command of the target unmounted it while the guardian was still at work there."""
    monkeypatch.setattr(batches, "run_all", lambda *_, **options: None)
    requests: list[str] = []
    ask = Guardian.ask

    def noted(self: Guardian, *limits: float, **request: Any) -> dict[str, Any]:
        requests.append(request.get("do", "start"))
        return ask(self, *limits, **request)

    def interrupted(descriptor: int, limit_s: float) -> bool:
        found = is_readable(descriptor, limit_s)
        if requests[-1:] == [request_] and "interrupted" not in requests:
            requests.append("interrupted")
            raise KeyboardInterrupt
        return found

    monkeypatch.setattr(Guardian, "ask", noted)
    monkeypatch.setattr(prepared_target, "is_readable", interrupted)
    with pytest.raises(KeyboardInterrupt):
        measure_batch(job)
    after = requests[requests.index("interrupted") + 1 :]
    assert after == ["look", "clean", "end"]
    assert list(Path(job.target.path).iterdir()) == []


@pytest.mark.slow
def test_an_interrupt_at_the_start_of_the_guardian_leaves_it_the_lock(
    job: PlannedBatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has the facts, and cleans up: no other start may prepare the target meanwhile."""
    interrupted: list[bool] = []

    def at_the_start(descriptor: int, limit_s: float) -> bool:
        found = is_readable(descriptor, limit_s)
        if not interrupted:
            interrupted.append(True)
            raise KeyboardInterrupt
        return found

    lock, before = machine_lock(job.target), children_of(os.getpid())
    monkeypatch.setattr(prepared_target, "is_readable", at_the_start)
    monkeypatch.setattr(Lock, "release", lambda self: self.descriptor < 0 or pytest.fail("was given up"))
    with pytest.raises(KeyboardInterrupt):
        measure_batch(job)
    until(lambda: not children_of(os.getpid()) - before)
    assert not lock.path.exists()


@pytest.mark.slow
@pytest.mark.parametrize("error", [None, KeyboardInterrupt])
def test_after_an_interrupt_a_complaint_of_clean_up_is_noted_for_the_next_start(
    job: PlannedBatch, monkeypatch: pytest.MonkeyPatch, error: type[BaseException] | None
) -> None:
    """In haste a command has less time, as umount may take to flush."""

    def run_all(*_: object, **options: object) -> None:
        if error:
            raise error

    monkeypatch.setattr(batches, "run_all", run_all)
    lock = machine_lock(job.target)
    job = replace(job, target=replace(job.target, cleanup=(("sh", "-c", "echo busy; exit 1"),)))
    with pytest.raises(error) if error else nullcontext():
        measure_batch(job)
    assert lock.note.exists() == (error is not None)
    lock.note.unlink(missing_ok=True)


def test_the_lock_of_another_user_in_the_target_makes_him_a_neighbour(
    job: PlannedBatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """He alone may read it, on another node: nothing else tells that he measures there."""
    lock = Path(job.target.path) / LOCK_IN_TARGET
    lock.write_text("{}\n")

    def refused(self: Lock, own: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(self.path))

    monkeypatch.setattr(Lock, "take", refused)
    facts = facts_of(job, "token", this_process(job.results, "b"), Lock(job.results.parent / "lock"))
    custody = Custody.of(json.loads(json.dumps(facts)))
    assert custody.answer({"do": "claim"}) == {"neighbour": f"user {os.geteuid()}, who has made {lock}"}
    # Nor does he keep what a kill of ours left: he alone may delete the lock, and no files of his are ours.
    assert custody.answer({"do": "take over"})["complaints"] == []
    assert not custody.workspace.is_here()
    lock.unlink()
    assert custody.answer({"do": "claim"}) == {"neighbour": None}


@pytest.mark.slow
def test_the_target_is_emptied_after_the_process_that_makes_folders_there_has_ended(
    job: PlannedBatch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that is made while the guardian removes stays behind, or makes its removal fail."""
    at_work = tmp_path / "at work"
    alive_at_clean: list[bool] = []
    ask, run_folder = Guardian.ask, Workspace.run_folder

    def interrupting(self: Workspace, cell_id: str, run: int) -> Path:
        at_work.write_text(str(os.getpid()))
        os.kill(os.getppid(), signal.SIGINT)
        time.sleep(0.3)
        return run_folder(self, cell_id, run)

    def noted(self: Guardian, *limits: float, **request: Any) -> dict[str, Any]:
        if request.get("do") == "clean":
            alive_at_clean.append(started(int(at_work.read_text())) is not None)
        return ask(self, *limits, **request)

    monkeypatch.setattr(Workspace, "run_folder", interrupting)
    monkeypatch.setattr(Guardian, "ask", noted)
    # As a command: Python drops an interrupt that comes in a callback of its own, which it raises again.
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
    Interrupt()
    with pytest.raises(KeyboardInterrupt):
        measure_batch(job)
    assert alive_at_clean == [False]
    assert list(Path(job.target.path).iterdir()) == []


@pytest.mark.slow
def test_no_call_on_a_target_is_made_by_weir_itself(
    job: PlannedBatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that the storage does not answer would stop it: such calls are of in_time and the guardian."""
    calls: list[str] = []
    own, target = os.getpid(), job.target.path

    def noting(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def noted(path: Any, *others: Any, **options: Any) -> Any:
            if os.getpid() == own and not isinstance(path, int) and os.fsdecode(path).startswith(target):
                calls.append(name)
            return call(path, *others, **options)

        return noted

    for name in ("stat", "lstat", "access", "statvfs", "readlink", "scandir", "listdir", "open", "mkdir"):
        monkeypatch.setattr(os, name, noting(name, getattr(os, name)))
    monkeypatch.setattr(io, "open", noting("open", io.open))
    result = measure_batch(job)
    assert (result.done, result.error) == (1, None)
    assert calls == []
    assert Path(target).is_dir()
    assert calls == ["stat"]


@pytest.mark.parametrize("is_alive", [True, False])
def test_the_guardian_of_a_preflight_leaves_alone_what_another_node_measures(
    job: PlannedBatch, monkeypatch: pytest.MonkeyPatch, is_alive: bool
) -> None:
    """A preflight whose target hangs, or that is killed, has no lock of launches."""
    monkeypatch.setattr(Holder, "is_alive", lambda self: is_alive)
    job.launch_folder.mkdir(parents=True)
    there, own = launch_lock(job.launch_folder), this_process(job.results, "b")
    assert there.take(replace(own, host="other-node")) is None
    workspace = Workspace(Path(job.target.path), job.results, job.batch)
    workspace.claim()
    facts = facts_of(job, "token", own, Lock(job.results.parent / "lock"))
    custody = Custody.of(json.loads(json.dumps(facts)))
    monkeypatch.setattr(Custody, "_wait_for_the_launcher", lambda self: None)
    monkeypatch.setattr("weir.measure.clean_up.guardian.WEIR_ENDS_S", 0)
    custody.take_over()
    assert [workspace.is_here(), job.launch_folder.exists(), there.path.exists()] == [is_alive] * 3
    there.release()
