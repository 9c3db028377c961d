"""`weir prove` in a guest: on a device of the device mapper that is nothing, on a mirror of two disks, on
memory that was swapped, and in control groups of version 2."""

import sys
from collections.abc import Iterator

import pytest

from tests.lab.conftest import proving_guest
from tests.lab.machine import Machine
from tests.zoo.proven import Proven, results_of

pytestmark = pytest.mark.slow
_LIMIT_S = 400
_SEEN = "/run/seen.json"
_MIRROR = """\
modprobe -a dm-mod dm-zero dm-mirror
sectors=$((600 << 11)) # 600 MiB; of /dev/ubda these, then twice as many further on
map() { dmsetup create "$1" --noudevsync --table "0 $sectors $2"; }
map zero zero
map mirror "mirror core 2 1024 nosync 2 /dev/ubda 0 /dev/ubdb 0 1 handle_errors"
map raw "linear /dev/ubdb $((4 << 21))"
map plain "linear /dev/ubda $((2 << 21))"
map swap "linear /dev/ubda $((4 << 21))"
dmsetup mknodes
for name in mirror plain; do
    mkfs.ext4 -q -F /dev/mapper/$name
    mkdir -p /mnt/$name
    mount /dev/mapper/$name /mnt/$name
done
mkswap -q /dev/mapper/swap
swapon /dev/mapper/swap
mount -t cgroup2 none /sys/fs/cgroup
cd /sys/fs/cgroup
echo +memory +io +cpu >cgroup.subtree_control
mkdir memory disk processor
echo $((150 << 20)) >memory/memory.max
echo "$(cat /sys/block/ubda/dev) wbps=10485760" >disk/io.max
echo "10000 100000" >processor/cpu.max
"""


def start(machine: Machine) -> None:
    machine.out("bash", "-euc", _MIRROR)


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    with proving_guest("devices of the device mapper", ("dmsetup", "mkfs.ext4"), start) as running:
        yield running


def proven(machine: Machine, *command: str) -> Proven:
    weir = (sys.executable, "-m", "weir", "prove", "--json", _SEEN, "--", *command)
    printed = machine.run(*weir, limit_s=_LIMIT_S).stderr
    (result,) = results_of(machine.out("cat", _SEEN), printed)
    return result


@pytest.mark.parametrize(
    "command",
    [
        "dd if=/dev/zero of={disk} oflag=direct",
        pytest.param("dd if={disk} of=/dev/null iflag=direct", marks=pytest.mark.weekly),
    ],
)
def test_a_device_without_any_below_it_stores_nothing(machine: Machine, command: str) -> None:
    """Raw, as a file system on it would be; a part of a disk is the honest twin."""
    size = ["bs=64K", "count=4000"]
    lies = proven(machine, *command.format(disk="/dev/mapper/zero").split(), *size)
    assert {"stored", "fetched"} & {*lies.missing}, lies.text
    honest = proven(machine, *command.format(disk="/dev/mapper/raw").split(), *size)
    assert honest.is_proven, honest.text


def within(group: str, command: str) -> tuple[str, ...]:
    return ("sh", "-c", f"echo $$ >/sys/fs/cgroup/{group}/cgroup.procs && exec {command}")


def test_a_read_of_memory_that_was_swapped_is_none_of_memory(machine: Machine) -> None:
    machine.out("sh", "-c", "mkdir -p /run/memory && mount -t tmpfs -o size=400m none /run/memory")
    file = "/run/memory/file"
    machine.out(*within("memory", f"dd if=/dev/urandom of={file} bs=1M count=200"))
    lies = proven(machine, *within("memory", f"dd if={file} of=/dev/null bs=1M"))
    assert "machine-busy" in lies.findings, lies.text
    assert "swapped pages, and the files are in memory" in lies.text
    machine.out("sh", "-c", f"rm {file} && head -c 100M /dev/urandom >{file}")
    honest = proven(machine, "dd", f"if={file}", "of=/dev/null", "bs=1M")
    assert honest.is_proven, honest.text


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("group", "command", "rule"),
    [
        ("disk", "dd if=/dev/zero of=/mnt/plain/f bs=1M count=30 oflag=direct", "device-limited"),
        ("processor", "dd if=/dev/zero of=/mnt/plain/g bs=64K count=1600 conv=fsync", "machine-busy"),
    ],
)
def test_limits_of_a_control_group_of_version_2(
    machine: Machine, group: str, command: str, rule: str
) -> None:
    free = proven(machine, *command.split())
    assert free.is_proven, free.text
    limited = proven(machine, *within(group, command))
    assert rule in limited.findings, limited.text


@pytest.mark.weekly
def test_a_synchronised_write_to_a_mirror_is_proven_or_told_why_not(machine: Machine) -> None:
    write = "dd if=/dev/zero of=/mnt/mirror/f bs=1M count=64 conv=fsync"
    result = proven(machine, *write.split())
    assert result.is_proven, result.text
    assert result.proof == "devices" or "; not to the devices: " in result.text, result.text
