"""A file system on a disk that nobody else uses: a loop device of memory, whose origin a program cannot see.

Of a loop device, weir counts the disk below its file, or knows that it is memory. In a mount namespace whose
/sys has nothing of the loop it is a disk as any other one, with counters of its own.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.mounting import mounted, tmpfs, tried
from tests.needs import loop_devices, mount_namespaces, need
from tests.zoo.errors import skips_unstaged
from tests.zoo.staging import blank, loop

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
    need(loop_devices, mount_namespaces)
    memory = point.parent / f"{point.name}-memory"
    with skips_unstaged(), ExitStack() as stack:
        stack.enter_context(tmpfs(memory, f"size={disks * mib + 16}m"))
        images = [stack.enter_context(blank(memory / str(number), mib << 20)) for number in range(disks)]
        devices = [stack.enter_context(loop(image)) for image in images]
        disk = OwnDisk([Path(device).name for device in devices])
        tried(f"mkfs.{kind}", "-q", *options, *devices)
        stack.enter_context(mounted(point, "-t", kind, "-o", mount, devices[0]))
        stack.callback(disk.count, True)
        yield disk
