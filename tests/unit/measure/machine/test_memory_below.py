"""Devices and overlays whose bytes are in memory, in a tree like /sys/dev/block."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.programs import write_file
from weir.measure.machine import devices as module
from weir.measure.machine.devices import memory_below, memory_of_device


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Below "memory" there is tmpfs, below "disk" a device that is none."""
    for name in ("memory", "disk"):
        write_file(tmp_path / name / "image", "")

    def mount_of(folder: Path) -> Mapping[str, str]:
        kind = "tmpfs" if folder == tmp_path / "memory" else "ext4"
        return {"type": kind, "device": "none", "super_options": ""}

    monkeypatch.setattr(module, "mount_of", mount_of)
    for name, files in {
        "disks/sda": {"stat": ""},
        "disks/sda/sda1": {"partition": "1"},
        "disks/zram0": {"stat": ""},
        "disks/loop0": {"loop/backing_file": f"{tmp_path}/memory/image\n"},
        "disks/loop1": {"loop/backing_file": f"{tmp_path}/disk/image\n"},
        "disks/loop2": {"loop/backing_file": f"{tmp_path}/memory/image (deleted)\n"},
        "disks/dm-0": {"slaves/sda/dev": "8:0\n", "slaves/zram0/dev": "251:0\n", "dm/name": "vg-lv"},
        "disks/dm-1": {"dm/name": "zero"},
        "disks/sdb": {"device/model": "scsi_debug      \n"},
    }.items():
        for file, text in files.items():
            write_file(tmp_path / name / file, text)
    numbers = {"8:0": "sda", "8:1": "sda/sda1", "251:0": "zram0", "7:0": "loop0", "7:1": "loop1"}
    for number, name in (numbers | {"7:2": "loop2", "252:0": "dm-0", "252:1": "dm-1", "8:16": "sdb"}).items():
        (tmp_path / number).symlink_to(tmp_path / "disks" / name)
    return tmp_path


@pytest.mark.parametrize(
    ("number", "where"),
    [
        ("8:0", None),
        ("8:1", None),
        ("8:16", "the memory device sdb"),
        ("251:0", "the memory device zram0"),
        ("7:0", "loop0, a file in {}/memory on tmpfs"),
        ("7:1", None),
        ("7:2", None),
        ("252:0", "dm-0 on the memory device zram0"),
        ("252:1", "dm-1, which has no device below it"),
        ("9:9", None),
    ],
)
def test_of_a_device(system: Path, number: str, where: str | None) -> None:
    assert memory_of_device(number, system) == (where and where.format(system))


def test_of_a_btrfs_with_one_device_of_two_in_memory(system: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mount names one device, here that on the disk."""
    devices = system / "btrfs" / "its-uuid" / "devices"
    for number, name in (("7:1", "loop1"), ("7:0", "loop0")):
        write_file(devices / name / "dev", f"{number}\n")
    monkeypatch.setattr(module, "BTRFS", system / "btrfs")
    assert module.members_of_file_system(system / "7:1") == ["7:0", "7:1"]
    assert module.members_of_file_system(system / "8:0") == []


def test_of_an_xfs_whose_log_is_in_memory(system: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The data is on the disk; a synchronisation of files waits for the log."""
    mount = {"type": "xfs", "device": "/dev/data", "super_options": "rw,logbufs=8,logdev=/dev/log,noquota"}
    monkeypatch.setattr(module, "mount_of", lambda folder: mount)
    monkeypatch.setattr(module, "number_of", {"/dev/data": "8:1", "/dev/log": "251:0"}.get)
    assert memory_below(system / "disk", system) == "its log on the memory device zram0"
    mount["super_options"] = "rw,noquota"
    assert memory_below(system / "disk", system) is None


def mount_at(point: Path, mount: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    others = module.mount_of
    monkeypatch.setattr(module, "mount_of", lambda folder: mount if folder == point else others(folder))


def test_of_an_overlay(system: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = f"rw,lowerdir=/,upperdir={system}/memory,workdir=/w"
    overlay = {"type": "overlay", "device": "overlay", "super_options": options}
    mount_at(system / "merged", overlay, monkeypatch)
    expected = f"a file system of type overlay over {system}/memory on tmpfs"
    assert memory_below(system / "merged", system) == expected
    overlay["super_options"] = "rw,lowerdir=/,upperdir=/of/another/namespace"
    assert memory_below(system / "merged", system) is None


def test_the_type_below_a_stacked_file_system(system: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """bindfs has its directory as source, mergerfs several; of a network file system nothing is below."""
    mount = {"type": "fuse", "device": f"{system}/disk", "super_options": "rw"}
    mount_at(system / "merged", mount, monkeypatch)
    assert module.type_below(system / "merged") == "ext4"
    mount["device"] = f"{system}/disk:{system}/memory"
    assert module.type_below(system / "merged") is None
    expected = f"a file system of type fuse over {system}/memory on tmpfs"
    assert memory_below(system / "merged", system) == expected
    mount["device"] = "mfs#10.0.0.1:9421"
    assert module.type_below(system / "merged") is None
    assert module.type_below(system / "disk") is None


def test_of_memory_itself_and_of_a_server(system: Path) -> None:
    assert memory_below(system / "memory", system) is None
    assert memory_below(Path("/proc"), system) is None
