"""fio on file systems that are not what its numbers say: none of these is VALID."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.witness.conftest import Prove
from tests.zoo.animals import CACHED_LOOP, COMPRESSING, FUSE, PASSING, VOLATILE
from tests.zoo.errors import CannotStageError
from tests.zoo.staging import mounted

pytestmark = pytest.mark.slow
FIO = "fio --name=j --size=32m --bs=256k --filename=f --output-format=json"
WRITE = f"{FIO} --rw=write --end_fsync=1 --zero_buffers"
# The page cache below a loop device keeps what was written; that above it is dropped.
DROP = "import os; os.posix_fadvise(os.open('f', 0), 0, 0, os.POSIX_FADV_DONTNEED)"


@contextmanager
def staged(kind: str, place: Path) -> Iterator[None]:
    work, memory = place.parent / "work", place.parent / "memory"
    work.mkdir()
    memory.mkdir()
    if os.geteuid() != 0:
        pytest.skip("only root can mount")
    try:
        with mounted(kind, place, work, memory):
            yield
    except (CannotStageError, subprocess.CalledProcessError) as error:
        pytest.skip(f"{kind}: {error}")


@pytest.mark.parametrize(
    ("kind", "least"),
    [
        (FUSE, {"write": "UNPROVEN", "read": "UNPROVEN"}),  # drops what is written
        (PASSING, {"write": "INVALID"}),  # and names a disk as its source
        (COMPRESSING, {"write": "DEGRADED"}),
        (VOLATILE, {"write": "UNPROVEN"}),
        (CACHED_LOOP, {"read": "DEGRADED"}),
    ],
)
def test_no_number_of_such_a_file_system_is_valid(
    prove: Prove, tmp_path: Path, kind: str, least: dict[str, str]
) -> None:
    if not shutil.which("fio"):
        pytest.skip("fio is missing")
    order = ["VALID", "UNPROVEN", "DEGRADED", "INVALID"]
    with staged(kind, tmp_path / "data"):
        for access, verdict in least.items():
            if access == "read":
                subprocess.run(WRITE.split(), cwd=tmp_path / "data", check=True, capture_output=True)
                subprocess.run([sys.executable, "-c", DROP], cwd=tmp_path / "data", check=True)
            seen = prove(*(WRITE if access == "write" else f"{FIO} --rw=read").split())
            (claim,) = seen["claims"]
            assert order.index(claim["verdict"]) >= order.index(verdict), seen["stderr"]
