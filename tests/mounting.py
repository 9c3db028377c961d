"""File systems that are mounted for a block of a test, which is skipped where this machine cannot."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from tests.needs import mounts, need
from tests.programs import ran

PATH = f"{os.environ['PATH']}:/usr/sbin:/sbin"


def tried(*arguments: str) -> None:
    try:
        done = ran(arguments, env={**os.environ, "PATH": PATH})
    except FileNotFoundError:
        pytest.skip(f"{arguments[0]} is missing")
    if done.returncode != 0:
        pytest.skip(f"{' '.join(arguments[:3])}: {done.stderr.strip()}")


@contextmanager
def mounted(point: Path, *arguments: str) -> Iterator[Path]:
    """What mount(8) mounts at a directory, which is made where it is missing."""
    need(mounts)
    point.mkdir(parents=True, exist_ok=True)
    tried("mount", *arguments, str(point))
    try:
        yield point
    finally:
        ran(["umount", "--lazy", point])


def tmpfs(point: Path, *options: str) -> AbstractContextManager[Path]:
    return mounted(point, "-t", "tmpfs", "-o", ",".join(options), "none")
