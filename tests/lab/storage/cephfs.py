"""CephFS by ceph-fuse: a monitor, a manager, an MDS and two OSDs on files, one copy of each object."""

import json
import uuid

from tests.lab.filesystem import FileSystem, Share, directories_of_users
from tests.lab.machine import ADDRESS, Machine

_MOUNT = "/mnt/cephfs"
MONITOR = f"{ADDRESS}:6789"
_OSDS = (0, 1)
_SOCKETS = "/run/ceph"  # a path below the checkout may be longer than the name of a socket
_CONFIG = """\
[global]
fsid = {fsid}
mon host = {monitor}
mon initial members = a
public addr = {address}
ms bind ipv6 = false
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 1
osd pool default min size = 1
mon allow pool size one = true
mon warn on pool no redundancy = false
osd crush chooseleaf type = 0
osd objectstore = bluestore
bluestore block size = 8589934592
bluestore fsck on mount = false
osd memory target = 939524096
log file = {folder}/$name.log
admin socket = {sockets}/$name.asok
run dir = {sockets}
mon data = {folder}/mon
mgr data = {folder}/mgr
mds data = {folder}/mds
osd data = {folder}/osd$id
mgr initial modules =
"""


def start(machine: Machine) -> None:
    start_servers(machine)
    machine.out("mkdir", _MOUNT)
    machine.out(*client(machine, "cephfs"))
    directories_of_users(machine, "cephfs")


def start_servers(machine: Machine) -> None:
    folder = machine.folder / "ceph"
    for name in ("mon", "mgr", "mds", *(f"osd{number}" for number in _OSDS)):
        (folder / name).mkdir(parents=True)
    machine.out("mkdir", "-p", _SOCKETS)
    fsid = str(uuid.uuid4())
    config = folder / "ceph.conf"
    values = {"fsid": fsid, "monitor": MONITOR, "address": ADDRESS, "folder": folder, "sockets": _SOCKETS}
    config.write_text(_CONFIG.format(**values))
    ceph = ["ceph", "-c", str(config)]
    monmap = folder / "monmap"
    machine.out("monmaptool", "--create", "--add", "a", MONITOR, "--fsid", fsid, monmap)
    machine.out("ceph-mon", "-c", config, "--mkfs", "-i", "a", "--monmap", monmap)
    machine.out("ceph-mon", "-c", config, "-i", "a")
    # Until its first election is over, a monitor takes connections and refuses their commands (EPERM).
    machine.wait_for(*ceph, "mon", "enable-msgr2")
    machine.out("ceph-mgr", "-c", config, "-i", "x")
    for number in _OSDS:
        machine.out(*ceph, "osd", "create")
        machine.out("ceph-osd", "-c", config, "-i", str(number), "--mkfs")
        machine.out("ceph-osd", "-c", config, "-i", str(number))
    machine.out(*ceph, "osd", "pool", "create", "metadata", "8")
    machine.out(*ceph, "osd", "pool", "create", "data", "16")
    machine.out(*ceph, "fs", "new", "lab", "metadata", "data")
    machine.out("ceph-mds", "-c", config, "-i", "y")
    machine.wait_for("sh", "-c", f"ceph -c {config} mds stat | grep -q up:active")


def client(machine: Machine, target: str) -> list[str]:
    """Without its own cache, which answers a read whose pages were dropped from that of the kernel."""
    return ["ceph-fuse", "-c", str(machine.folder / "ceph/ceph.conf"), "--client_oc=false", _MOUNT]


def counters(machine: Machine, target: str) -> dict[str, int]:
    """Of the OSDs: bytes of the operations on objects."""
    dumps = [
        json.loads(machine.out("ceph", "daemon", f"{_SOCKETS}/osd.{number}.asok", "perf", "dump"))["osd"]
        for number in _OSDS
    ]
    return {
        "write OSDs": sum(dump["op_w_in_bytes"] for dump in dumps),
        "read OSDs": sum(dump["op_r_out_bytes"] for dump in dumps),
    }


SERVERS = ("ceph", "ceph-mon", "ceph-mgr", "ceph-osd", "ceph-mds", "monmaptool")
FILE_SYSTEM = FileSystem(
    name="cephfs",
    description="CephFS by ceph-fuse: a monitor, a manager, an MDS and two OSDs",
    programs=(*SERVERS, "ceph-fuse"),
    targets={"cephfs": Share()},
    start=start,
    counters=counters,
    client=client,
)
