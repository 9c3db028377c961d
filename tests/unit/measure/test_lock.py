"""Who may measure a target: by the lock, and by the name of the holder where a file system has no locks."""

import errno
import fcntl
import json
import os
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from weir.base.errors import WeirError
from weir.base.processes import started
from weir.measure import lock as module
from weir.measure.clean_up.directories import user_directory
from weir.measure.lock import Holder, Lock, take, this_process
from weir.records.model import Target

TARGET = Target(name="ram", kind="memory", path="/dev/shm/weir-nobody")


@pytest.fixture
def own(tmp_path: Path) -> Holder:
    return this_process(tmp_path / "results", "ram-debian-1x2")


@pytest.fixture
def without_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(descriptor: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)


def held_by(path: Path, holder: Holder) -> Lock:
    """The file as a process leaves it that still measures or was killed."""
    path.write_text(json.dumps(asdict(holder)))
    return Lock(path)


def test_a_lock_has_one_holder_and_names_it(tmp_path: Path, own: Holder) -> None:
    first, second = Lock(tmp_path / "lock"), Lock(tmp_path / "lock")
    assert first.take(own) is None
    found = second.take(replace(own, batch="another"))
    assert found == own
    assert str(found).startswith(f"process {os.getpid()} on {own.host}, since {own.since}")
    first.release()
    assert not first.path.exists()
    assert second.take(own) is None
    second.release()


@pytest.mark.parametrize(("ticks", "busy"), [(0, True), (1, False)])
@pytest.mark.usefixtures("without_locks")
@pytest.mark.row("a process that takes the PID of an ended one")
def test_without_locks_the_holder_file_decides(tmp_path: Path, own: Holder, ticks: int, busy: bool) -> None:
    """A process of that number that began at another time is not the holder."""
    other = os.getppid()
    holder = replace(own, pid=other, started_ticks=(started(other) or 0) + ticks)
    lock = held_by(tmp_path / "lock", holder)
    assert lock.take(own) == (holder if busy else None)
    lock.release()


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"host": "n1"}', "7"])
def test_a_damaged_holder_file_keeps_nobody_out(tmp_path: Path, own: Holder, damage: str) -> None:
    path = tmp_path / "lock"
    path.write_text(damage)
    lock = Lock(path)
    assert lock.take(own) is None
    assert lock.neighbour is None
    assert json.loads(path.read_text())["pid"] == own.pid
    lock.release()


@pytest.mark.row("a job on another node")
def test_a_holder_on_another_node_may_still_measure(tmp_path: Path, own: Holder) -> None:
    """Its lock is not seen from here: the records get a reason, and nothing is refused."""
    there = replace(own, host="another-node", job=None)
    lock = held_by(tmp_path / "lock", there)
    assert lock.take(own) is None
    assert lock.neighbour == there
    lock.release()


def test_a_lock_is_no_link(tmp_path: Path, own: Holder) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / "lock").symlink_to(victim)
    with pytest.raises(OSError, match="symbolic links"):
        Lock(tmp_path / "lock").take(own)
    assert victim.read_text() == "precious"


@pytest.mark.row("another checkout of the same user")
def test_a_second_measurement_is_refused_with_the_holders_name(tmp_path: Path, own: Holder) -> None:
    first, second = Lock(tmp_path / "lock"), Lock(tmp_path / "lock")
    parent = replace(own, pid=os.getppid(), started_ticks=started(os.getppid()) or 0)
    assert first.take(parent) is None
    printed: list[str] = []
    with pytest.raises(WeirError) as error:
        take(second, replace(own, results="/elsewhere"), TARGET, 0.0, printed.append)
    assert error.value.problems[0].message.startswith(f"target ram is being measured by process {parent.pid}")
    assert f"kill {parent.pid}" in str(error.value.problems[0].hint)
    assert printed == []
    first.release()


@pytest.mark.parametrize("cleans", [False, True])
def test_an_earlier_process_of_the_same_batch_or_one_that_cleans_up_is_waited_for(
    tmp_path: Path, own: Holder, monkeypatch: pytest.MonkeyPatch, cleans: bool
) -> None:
    """That one whatever it measured."""
    first, second = Lock(tmp_path / "lock"), Lock(tmp_path / "lock")
    earlier = replace(own, pid=os.getppid(), started_ticks=started(os.getppid()) or 0, cleans=cleans)
    assert first.take(earlier) is None
    monkeypatch.setattr(module.time, "sleep", lambda _: first.release())
    printed: list[str] = []
    take(second, replace(own, results="/elsewhere") if cleans else own, TARGET, 0.0, printed.append)
    assert printed == [f"waiting for {earlier}, which {'cleans up' if cleans else 'measures this target'}"]
    second.release()


@pytest.mark.row("another user's directory has the name of weir's in /var/tmp")
def test_a_name_that_another_user_has_taken_blocks_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make a directory of another user")
    taken = tmp_path / "weir-0"
    taken.mkdir()
    os.chown(taken, 65534, 65534)
    own = user_directory(tmp_path)
    assert own == tmp_path / "weir-0-2"
    assert f"{taken} is another user's: the locks are in {own}" in capsys.readouterr().err
    taken.rmdir()
    user_directory.cache_clear()
    assert user_directory(tmp_path) == own, "or two measurements would have two locks"


def test_a_holder_that_has_not_named_itself_yet_is_waited_for(
    tmp_path: Path, own: Holder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between lock and name it may be waiting for a processor; its first start told that a clean-up hangs."""
    first, second = Lock(tmp_path / "lock"), Lock(tmp_path / "lock")
    assert first.take(own) is None
    first.path.write_text("")
    monkeypatch.setattr("weir.measure.lock.time.sleep", lambda _: first.release())
    reports: list[str] = []
    take(second, own, TARGET, 0.0, reports.append)
    assert (second.descriptor >= 0, reports) == (True, [])
    second.release()


def test_a_holder_is_named_at_any_moment_when_it_names_another_batch(tmp_path: Path, own: Holder) -> None:
    """Whoever reads it in between, which a measurement of many turns makes likely, would find none."""
    lock = Lock(tmp_path / "lock")
    assert lock.take(replace(own, results="/a/long/path" * 9)) is None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "ftruncate", lambda descriptor, size: pytest.fail("is empty for a moment"))
        lock.name(own, None)
    assert Lock(lock.path).take(own) == own
    lock.release()
