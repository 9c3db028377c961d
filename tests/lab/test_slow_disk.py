"""GlusterFS with erasure coding 2+1 over two servers, of which one has a slow disk: dm-delay in a guest."""

import re

import pytest
import yaml

from tests.lab.conftest import started
from tests.lab.filesystem import SITE, FileSystem, directories_of_users
from tests.lab.guest import GUEST_ADDRESS, KERNEL, JoinedGuest
from tests.lab.machine import ADDRESS, HERE, LabError, Machine
from tests.lab.weir_runs import ior, measured, suite

pytestmark = pytest.mark.weekly
DELAY_MS = 200
TARGET = "slow-disk"
_STARTS_S = 300
_VOLUME = ["gluster", "--mode=script", "volume"]
SUITE = suite(
    "lab-slow-disk",
    "Is no other server named than the one with the slow disk?",
    ior=ior("16 MiB", drop_caches=True) | {"timeout": "300 s"},
)
DECLARED = {
    "target": TARGET,
    "kind": "parallel",
    "description": "GlusterFS over two servers, one with a slow disk",
    "coding": "2+1",
    "mount": f"/mnt/{TARGET}",
    "path": f"/mnt/{TARGET}/root/weir",
    "prepare": [["mkdir", "-p", f"/mnt/{TARGET}/root/weir"]],
    "apis": ["POSIX"],
    "space": "400 MiB",
    "expect": {"write": "20 MiB/s", "read": "20 MiB/s"},
}


def start(guest: Machine) -> None:
    if not isinstance(guest, JoinedGuest):
        raise LabError(f"{guest.folder}: no guest with servers outside")
    guest.out(HERE / "guest-brick", "start", limit_s=_STARTS_S)
    host, own = guest.outside, [guest.folder / name for name in ("brick-0", "brick-1")]
    for brick in own:
        brick.mkdir()
    host.out("mkdir", "-p", "/run/gluster", f"/mnt/{TARGET}")
    host.out("glusterd")
    host.wait_for("gluster", "--mode=script", "peer", "probe", GUEST_ADDRESS)
    bricks = [*(f"{ADDRESS}:{brick}" for brick in own), f"{GUEST_ADDRESS}:/run/brick/data"]
    host.wait_for(*_VOLUME, "create", TARGET, "disperse", "3", "redundancy", "1", *bricks, "force")
    host.out(*_VOLUME, "set", TARGET, "disperse.read-policy", "round-robin")  # each file from all bricks
    host.out(*_VOLUME, "start", TARGET)
    host.out("mount", "-t", "glusterfs", f"{ADDRESS}:/{TARGET}", f"/mnt/{TARGET}")
    directories_of_users(host, TARGET)
    guest.out(HERE / "guest-brick", "delay", str(DELAY_MS))


SLOW = FileSystem(
    name=TARGET,
    description="GlusterFS over two servers, one with a slow disk",
    programs=(
        KERNEL,
        "modprobe",
        "busybox",
        "mkfs.ext4",
        "dmsetup",
        "glusterd",
        "gluster",
        "mount.glusterfs",
    ),
    start=start,
    private=("/var/lib/glusterd", "/var/log/glusterfs"),
    machine=JoinedGuest,
)


def test_no_other_server_than_the_one_with_the_slow_disk_is_named() -> None:
    """Its kernel takes all at once, so that the disk cannot be seen from here. On a busy machine the guest
    acknowledges late, with the delay and without it alike."""
    with started(SLOW) as guest:
        assert isinstance(guest, JoinedGuest)
        host = guest.outside
        config = host.home / "config"
        host.write(config / "suites" / "lab-slow-disk.yaml", yaml.safe_dump(SUITE))
        host.write(config / "sites" / SITE / "targets" / f"{TARGET}.yaml", yaml.safe_dump(DECLARED))
        _, rows = measured(host, "root", config, "lab-slow-disk", [TARGET])
    assert sorted(row["access"] for row in rows) == ["read", "write"]
    for row in rows:
        assert not row["missing"], row["notes"]
        named = re.findall(r"(?:all connections to|data of) ([\d.]+):\d+", row["notes"])
        assert {*named} <= {GUEST_ADDRESS}, row["notes"]
