"""Calls on storage in a process of their own: what goes wrong there is told."""

from __future__ import annotations

import os

import pytest

from weir.errors import WeirError
from weir.storage_calls import in_time


def test_a_process_that_cannot_begin_names_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a chroot without /proc, "was ended, run again" helps nobody, and no file of the target is absent."""

    def without_proc(path: str) -> list[str]:
        raise FileNotFoundError(2, "No such file or directory", path)

    monkeypatch.setattr(os, "listdir", without_proc)
    with pytest.raises(WeirError, match=r"'/proc/self/fd'\n    mount /proc and /dev here"):
        in_time(lambda: 1, "/target")
