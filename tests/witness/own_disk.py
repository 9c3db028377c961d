"""A file system on a disk that nobody else uses: a loop device of memory, whose origin a program cannot see.

Of a loop device, weir counts the disk below its file, or knows that it is memory. In a mount namespace whose
/sys has nothing of the loop it is a disk as any other one, with counters of its own.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.needs import loop_devices, mount_namespaces, mounts, need
from tests.programs import ran

_PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
_HIDE = 'for one in $0; do mount -t tmpfs none "/sys/block/$one/loop"; done; exec "$@"'


class OwnDisk:
    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.ahead = ("unshare", "--mount", "sh", "-c", _HIDE, " ".join(names))  # of a command that uses it

    def count(self, wanted: bool) -> None:
        for name in self.names:
            Path(f"/sys/block/{name}/queue/iostats").write_text(f"{int(wanted)}\n")


@contextmanager
def own_disk(
    point: Path, *options: str, kind: str = "ext4", disks: int = 1, mib: int = 512, mount: str = "rw"
) -> Iterator[OwnDisk]:
    """Mounted at the point; options: of mkfs."""
    need(mounts, loop_devices, mount_namespaces)
    memory = point.parent / f"{point.name}-memory"
    memory.mkdir()
    with ExitStack() as stack:
        _do("mount", "-t", "tmpfs", "-o", f"size={disks * mib + 16}m", "weir-own-disk", str(memory))
        stack.callback(_undo, "umount", "--lazy", str(memory))
        loops = []
        for number in range(disks):
            with (memory / str(number)).open("wb") as stream:
                stream.truncate(mib << 20)
            loops.append(_do("losetup", "--find", "--show", str(memory / str(number))))
            stack.callback(_undo, "losetup", "--detach", loops[-1])
        disk = OwnDisk([Path(loop).name for loop in loops])
        _do(f"mkfs.{kind}", "-q", *options, *loops)
        _do("mount", "-t", kind, "-o", mount, loops[0], str(point))
        stack.callback(_undo, "umount", "--lazy", str(point))
        stack.callback(disk.count, True)
        yield disk


def _do(*command: str) -> str:
    try:
        environment = {**os.environ, "PATH": _PATH}
        done = ran(command, env=environment)
    except FileNotFoundError:
        pytest.skip(f"{command[0]} is missing")
    if done.returncode != 0:
        pytest.skip(f"{' '.join(command[:3])}: {done.stderr.strip()}")
    return done.stdout.strip()


def _undo(*command: str) -> None:
    ran(command)
