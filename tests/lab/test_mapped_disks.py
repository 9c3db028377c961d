"""`weir prove` on devices of the device mapper in a guest: one that is nothing, and a mirror of two disks."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.lab.conftest import started
from tests.lab.filesystem import FileSystem
from tests.lab.guest import KERNEL, Guest
from tests.lab.machine import Machine
from tests.zoo.composed.composer import OF_THE_MACHINE
from weir.witness.document import LIBRARY

pytestmark = pytest.mark.slow
_LIMIT_S = 400
_SEEN = "/run/seen.json"
_MIRROR = """\
modprobe -a dm-mod dm-zero dm-mirror
sectors=$((300 << 11))
dmsetup create zero --noudevsync --table "0 $sectors zero"
dmsetup create mirror --noudevsync --table \\
    "0 $sectors mirror core 2 1024 nosync 2 /dev/ubda 0 /dev/ubdb 0 1 handle_errors"
dmsetup mknodes
mkfs.ext4 -q -F /dev/mapper/mirror
mkdir -p /mnt/mirror
mount /dev/mapper/mirror /mnt/mirror
"""


def start(machine: Machine) -> None:
    machine.out("bash", "-euc", _MIRROR)


MAPPED = FileSystem(
    name="mapped disks",
    description="devices of the device mapper",
    programs=(KERNEL, "dmsetup", "mkfs.ext4"),
    targets={},
    start=start,
    counters=lambda machine, target: {},
    machine=Guest,
)


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    if not LIBRARY.is_file():
        pytest.skip(f"{LIBRARY.name} is not built: make build")
    with started(MAPPED) as running:
        yield running


def proven(machine: Machine, *command: str) -> tuple[dict[str, Any], str]:
    weir = (sys.executable, "-m", "weir", "prove", "--json", _SEEN, "--", *command)
    printed = machine.run(*weir, limit_s=_LIMIT_S).stderr
    (claim,) = json.loads(machine.out("cat", _SEEN))["claims"]
    return claim, printed


@pytest.mark.parametrize(
    "command", ["dd if=/dev/zero of={disk} oflag=direct", "dd if={disk} of=/dev/null iflag=direct"]
)
def test_a_device_without_any_below_it_stores_nothing(machine: Machine, command: str) -> None:
    """Raw, as a file system on it would be; a disk of the guest is the honest twin."""
    found = {}
    for disk in ("/dev/mapper/zero", "/dev/ubdb"):
        found[disk], printed = proven(machine, *f"{command.format(disk=disk)} bs=1M count=64".split())
        assert found[disk]["verdict"] != "VALID" or disk == "/dev/ubdb", printed
    honest = found["/dev/ubdb"]
    assert not set((honest.get("reasons") or "").split(";")) - {"", *OF_THE_MACHINE}, printed
    assert not honest.get("missing"), printed


def test_a_synchronised_write_to_a_mirror_is_proven_or_told_why_not(machine: Machine) -> None:
    write = "dd if=/dev/zero of=/mnt/mirror/f bs=1M count=64 conv=fsync"
    claim, printed = proven(machine, *write.split())
    assert not set((claim.get("reasons") or "").split(";")) - {"", *OF_THE_MACHINE}, printed
    assert claim.get("proof") == "devices" or "; not to the devices: " in printed, printed
