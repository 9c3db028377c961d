"""Calls on storage in a process of their own: what goes wrong there is told."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from weir.base import storage_calls
from weir.base.errors import WeirError
from weir.base.processes import INTERRUPTS, Interrupt
from weir.base.storage_calls import HangsError, in_time, look_up_real_paths, real_path


def test_a_process_that_cannot_begin_names_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a chroot without /proc, "was ended, run again" helps nobody, and no file of the target is absent."""

    def without_proc(path: str) -> list[str]:
        raise FileNotFoundError(2, "No such file or directory", path)

    monkeypatch.setattr(os, "listdir", without_proc)
    with pytest.raises(WeirError, match=r"'/proc/self/fd'\n    mount /proc and /dev here"):
        in_time(lambda: 1, "/target")


def test_an_interrupt_that_wakes_no_call_is_noticed_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that comes just before a call that waits: Python would notice it when that returns. Here another
    thread gets the signal, so that the call goes on."""
    end = tmp_path / "end"
    monkeypatch.setattr(storage_calls, "_FINISH_S", 0.0)

    def interrupt() -> None:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        time.sleep(0.3)
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)

    def call() -> None:
        time.sleep(20)
        end.touch()

    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        thread = threading.Thread(target=interrupt)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            in_time(call, "/target")
        thread.join()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler)
    assert not end.exists()


def test_an_interrupt_between_the_fork_and_the_wait_ends_the_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where another thread takes the signal, Python raises it although this thread blocks it."""
    ended, close, over, own = tmp_path / "ended", os.close, threading.Event(), os.getpid()

    def call() -> None:
        os.kill(os.getppid(), signal.SIGINT)
        time.sleep(0.3)
        ended.touch()

    def late(descriptor: int) -> None:
        if os.getpid() == own:
            time.sleep(0.2)
        close(descriptor)

    thread = threading.Thread(target=over.wait)
    thread.start()
    monkeypatch.setattr(os, "close", late)
    # Python drops what comes in its own callbacks around a fork: Interrupt raises it again.
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    handlers = {number: signal.getsignal(number) for number in INTERRUPTS}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        Interrupt()
        with pytest.raises(KeyboardInterrupt):  # noqa: PT012
            in_time(call, "/target")
            time.sleep(20)  # the thread that took the signal may not have run yet
        assert ended.exists()
        assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == mask
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        over.set()
        thread.join()


def test_paths_are_looked_up_together_and_one_that_hangs_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    links = [tmp_path / f"link{number}" for number in range(3)]
    for link in links:
        link.symlink_to(tmp_path / "storage")
    requested: list[tuple[object, float]] = []
    resolved = os.path.realpath

    def counted(call: Callable[[], object], path: object, limit_s: float = 30.0) -> object:
        requested.append((path, limit_s))
        return in_time(call, path, min(limit_s, 0.5))

    def slow(path: str) -> str:
        time.sleep(20 if path == "/hangs" else 0)
        return resolved(path)

    monkeypatch.setattr(storage_calls, "in_time", counted)
    monkeypatch.setattr(os.path, "realpath", slow)
    look_up_real_paths(map(str, links))
    assert {real_path(str(link)) for link in links} == {str(tmp_path / "storage")}
    assert len(requested) == 1
    look_up_real_paths(["/hangs", "/usr/../tmp"])
    assert real_path("/usr/../tmp") == "/tmp"
    with pytest.raises(HangsError, match="/hangs does not answer"):
        real_path("/hangs")
    assert [path for path, _ in requested[1:]] == ["/hangs", "/usr/../tmp", "/hangs"]
