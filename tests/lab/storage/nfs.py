"""The kernel's NFS in a guest: version 3 and 4.2 of an export that is sync, and 4.2 of one that is async."""

import re

from tests.lab.filesystem import FileSystem, Served, Share, directories_of_users
from tests.lab.guest import KERNEL, Guest
from tests.lab.machine import HERE, LabError, Machine

_TARGETS = ("nfs3", "nfs4", "nfs4-async")
_SECTOR_BYTES = 512
_SECTORS_WRITTEN = 6  # column of /sys/block/DISK/stat
# normalread normalwrite directread directwrite serverread serverwrite ...
_SERVER_READ, _SERVER_WRITE = 4, 5


def start(machine: Machine) -> None:
    machine.out(HERE / "guest-nfs")
    for target in _TARGETS:
        directories_of_users(machine, target)


def counters(machine: Machine, target: str) -> dict[str, int]:
    """Of the client, for the mount; and of the server's disk, which an async export is free to delay."""
    stats = machine.out("cat", "/proc/self/mountstats")
    match = re.search(rf" mounted on /mnt/{target} with .*?\n\tbytes:\t([\d ]+)\n", stats, re.DOTALL)
    if match is None:
        raise LabError(f"/proc/self/mountstats has no bytes of /mnt/{target}")
    values = list(map(int, match[1].split()))
    found = {"read mountstats": values[_SERVER_READ], "write mountstats": values[_SERVER_WRITE]}
    if not target.endswith("async"):
        disk = machine.out("cat", "/sys/block/ubda/stat").split()
        found["write disk"] = int(disk[_SECTORS_WRITTEN]) * _SECTOR_BYTES
    return found


FILE_SYSTEM = FileSystem(
    name="nfs",
    description="the kernel's NFS 3 and 4.2, sync and async, in a guest",
    programs=(KERNEL, "insmod", "modprobe", "busybox", "mkfs.ext4", "rpc.nfsd", "mount.nfs", "rpcbind"),
    targets=dict.fromkeys(_TARGETS, Share()),
    start=start,
    counters=counters,
    served={"nfs4": Served("/export", True), "nfs4-async": Served("/export/async", False)},
    machine=Guest,
)
