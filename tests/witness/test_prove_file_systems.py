"""fio on file systems that are not what its numbers say: none of these is VALID; and a disk without any."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.needs import device_nodes, loop_devices, mounts, need
from tests.programs import ran
from tests.witness.conftest import Prove, need_programs
from tests.zoo.animals import CACHED_LOOP, COMPRESSING, FUSE, PASSING, VOLATILE
from tests.zoo.errors import CannotStageError, skips_unstaged
from tests.zoo.staging import blank, loop, mounted

FIO = "fio --name=j --size=32m --bs=256k --filename=f --output-format=json"
WRITE = f"{FIO} --rw=write --end_fsync=1 --zero_buffers"
# The page cache below a loop device keeps what was written; that above it is dropped.
DROP = "import os; os.posix_fadvise(os.open('f', 0), 0, 0, os.POSIX_FADV_DONTNEED)"


@contextmanager
def staged(kind: str, place: Path) -> Iterator[None]:
    work, memory = place.parent / "work", place.parent / "memory"
    work.mkdir()
    memory.mkdir()
    need(mounts)
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
    need_programs("fio")
    order = ["VALID", "UNPROVEN", "DEGRADED", "INVALID"]
    with staged(kind, tmp_path / "data"):
        for access, verdict in least.items():
            if access == "read":
                ran(WRITE.split(), cwd=tmp_path / "data", check=True)
                subprocess.run([sys.executable, "-c", DROP], cwd=tmp_path / "data", check=True)
            command = (WRITE if access == "write" else f"{FIO} --rw=read").split()
            # The device of a pass-through has all its users' bytes (docs/zoo.md, what weir cannot see): those
            # of other tests do not make up for these in every one of several trials.
            for _ in range(4):
                seen = prove(*command)
                (claim,) = seen["claims"]
                if order.index(claim["verdict"]) >= order.index(verdict):
                    break
            assert order.index(claim["verdict"]) >= order.index(verdict), seen["stderr"]


def test_a_disk_itself_is_counted_as_a_mount_is(prove: Prove, tmp_path: Path) -> None:
    need(loop_devices, device_nodes)
    image, node = tmp_path / "image", tmp_path / "data" / "disk"
    with skips_unstaged(), blank(image, 16 * 2**20), loop(image) as device:
        os.mknod(node, 0o600 | stat.S_IFBLK, os.stat(device).st_rdev)
        seen = prove("dd", "if=/dev/zero", "of=disk", "bs=1M", "count=8", "conv=fsync")
    assert ("block device", str(node)) in {(one["file_system"], one["source"]) for one in seen["mounts"]}
    (claim,) = seen["claims"]
    assert (claim["moved_bytes"], claim["sync"]) == (8 * 2**20, True)
    assert "bytes-not-in-calls" in claim["checked"].split(";"), seen["stderr"]
