"""GlusterFS: a volume distributed over two bricks, and one dispersed over three, with erasure coding 2+1."""

import re

from tests.lab.filesystem import FileSystem, Share, directories_of_users, stored_bytes
from tests.lab.machine import ADDRESS, Machine

_VOLUMES = {"glusterfs": (2, []), "glusterfs-dispersed": (3, ["disperse", "3", "redundancy", "1"])}
_ACCOUNTS = ("written", "read")
_GLUSTER = ["gluster", "--mode=script", "volume"]


def start(machine: Machine) -> None:
    machine.out("mkdir", "-p", "/run/gluster")
    machine.out("glusterd")
    machine.wait_for(*_GLUSTER, "list")
    for name, (count, kind) in _VOLUMES.items():
        bricks = [machine.folder / "bricks" / name / str(number) for number in range(count)]
        for brick in bricks:
            brick.mkdir(parents=True)
        machine.out(*_GLUSTER, "create", name, *kind, *(f"{ADDRESS}:{brick}" for brick in bricks), "force")
        machine.out(*_GLUSTER, "start", name)
        machine.out("mkdir", f"/mnt/{name}")
        machine.out(*client(machine, name))
        directories_of_users(machine, name)


def client(machine: Machine, target: str) -> list[str]:
    return ["mount", "-t", "glusterfs", f"{ADDRESS}:/{target}", f"/mnt/{target}"]


def counters(machine: Machine, target: str) -> dict[str, int]:
    """Of the client's connections by its own account, and what the bricks hold."""
    private = machine.out("sh", "-c", f"cat /mnt/{target}/.meta/graphs/active/*-client-*/private")
    found = {
        name: sum(map(int, re.findall(rf"^total_bytes_{name} = (\d+)$", private, re.M))) for name in _ACCOUNTS
    }
    held = stored_bytes(machine.folder / "bricks" / target)
    return {"write client": found["written"], "read client": found["read"], "write bricks": held}


FILE_SYSTEM = FileSystem(
    name="glusterfs",
    description="GlusterFS: two bricks, and three with erasure coding 2+1",
    programs=("glusterd", "gluster", "glusterfs", "mount.glusterfs"),
    targets={"glusterfs": Share(), "glusterfs-dispersed": Share(write=1.5)},
    start=start,
    counters=counters,
    client=client,
    private=("/var/lib/glusterd", "/var/log/glusterfs"),
)
