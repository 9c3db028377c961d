"""CephFS by the kernel's client, in a guest; the servers are those of cephfs, outside of it."""

from tests.lab.filesystem import FileSystem, Share, directories_of_users
from tests.lab.guest import KERNEL, JoinedGuest
from tests.lab.machine import LabError, Machine
from tests.lab.storage import cephfs

_TARGET = "cephfs-kernel"


def start(machine: Machine) -> None:
    cephfs.start_servers(_servers(machine))
    machine.out("modprobe", "ceph")
    machine.out("mkdir", f"/mnt/{_TARGET}")
    machine.out("mount", "-t", "ceph", f"{cephfs.MONITOR}:/", f"/mnt/{_TARGET}", "-o", "name=admin")
    directories_of_users(machine, _TARGET)


def counters(machine: Machine, target: str) -> dict[str, int]:
    return cephfs.counters(_servers(machine), target)


def _servers(machine: Machine) -> Machine:
    if not isinstance(machine, JoinedGuest):
        raise LabError(f"{machine.folder}: no guest with servers outside")
    return machine.outside


FILE_SYSTEM = FileSystem(
    name=_TARGET,
    description="CephFS by the kernel's client in a guest: a monitor, a manager, an MDS and two OSDs",
    programs=(KERNEL, "insmod", "modprobe", "busybox", *cephfs.SERVERS),
    targets={_TARGET: Share()},
    start=start,
    counters=counters,
    machine=JoinedGuest,
)
