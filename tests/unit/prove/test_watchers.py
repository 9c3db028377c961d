"""The processes that count a mount while a program runs."""

import os
import signal
import time

import pytest

from weir.base.processes import started
from weir.prove.start import watchers


def test_a_watcher_that_hangs_at_its_mount_is_ended(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Its last look waits for a storage that does not answer: the report of the program has no traceback."""
    monkeypatch.setattr("weir.prove.start._WATCHER_S", 0.1)
    with watchers({"WEIR_TEST": "1"}, [tmp_path_factory.getbasetemp()]) as (pid,):
        os.kill(pid, signal.SIGSTOP)
    for _ in range(1000):
        if started(pid) is None:  # but for its exit status, which Python may have taken
            return
        time.sleep(0.01)
    pytest.fail("the watcher lives")
