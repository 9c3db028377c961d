"""Children of this process: none is overlooked."""

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from weir.base import processes


def test_a_child_that_ends_while_they_are_listed_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    child = os.posix_spawn("/bin/sleep", ["sleep", "60"], {})
    listed: Callable[[int], set[int]] = processes.children_of

    def late(parent: int) -> set[int]:
        if parent == os.getpid() and os.path.exists(f"/proc/{child}"):
            os.kill(child, 9)
            os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
        return listed(parent)

    monkeypatch.setattr(processes, "children_of", late)
    assert child not in processes.children()
    assert not os.path.exists(f"/proc/{child}"), "its counts are in no other's"


def test_children_that_run_are_left_alone() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        assert child.pid in processes.children()
        assert child.poll() is None
        child.communicate(b"\n")
