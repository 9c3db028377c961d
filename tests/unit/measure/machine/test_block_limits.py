"""Limits of control groups, of both versions and every level, on the devices below a folder."""

from pathlib import Path

import pytest

from tests.programs import write_file
from weir.measure.machine import devices as module
from weir.measure.machine import host
from weir.measure.machine.devices import devices_below
from weir.measure.machine.host import block_limits


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on a loop device over a file on a partition, in a tree like /sys/dev/block."""
    image = write_file(tmp_path / "images" / "image", "")
    for file, text in {
        "disks/vda/dev": "254:0",
        "disks/vda/vda1/partition": "1",
        "disks/loop0/loop/backing_file": f"{image}\n",
        "proc/self/cgroup": "7:blkio:/job\n3:cpu:/other\n0::/unit/step\n",
    }.items():
        write_file(tmp_path / file, text)
    (tmp_path / "254:1").symlink_to(tmp_path / "disks/vda/vda1")
    (tmp_path / "7:0").symlink_to(tmp_path / "disks/loop0")

    def beginning(folder: Path, system: Path, depth: int = 0) -> set[str]:
        name = "254:1" if folder == image.parent else "7:0"
        return module._and_below(system / name, system, depth)

    for user in (module, host):
        monkeypatch.setattr(user, "devices_below", beginning)
    return tmp_path


def limits(tree: Path) -> list[dict[str, int | str]]:
    return block_limits(tree, tree / "proc", tree / "cgroup", tree)


def test_of_version_2_at_every_level(tree: Path) -> None:
    write_file(tree / "cgroup/unit/io.max", "254:0 rbps=2097152 wbps=max riops=max wiops=120\n8:0 rbps=7\n")
    write_file(tree / "cgroup/unit/step/io.max", "7:0 rbps=max wbps=1000 riops=max wiops=max\n")
    assert limits(tree) == [
        {"device": "7:0", "write_bps": 1000},
        {"device": "254:0", "read_bps": 2097152, "write_iops": 120},
    ]


def test_of_version_1(tree: Path) -> None:
    write_file(tree / "cgroup/blkio/job/blkio.throttle.write_bps_device", "254:0 1048576\n8:16 5\n")
    write_file(tree / "cgroup/blkio/blkio.throttle.read_iops_device", "254:1 300\n")
    assert limits(tree) == [{"device": "254:0", "write_bps": 1048576}, {"device": "254:1", "read_iops": 300}]


def test_without_limits(tree: Path) -> None:
    assert limits(tree) == []
    write_file(tree / "cgroup/unit/io.max", "254:0 rbps=max wbps=max riops=max wiops=max\n")
    assert limits(tree) == []


def test_of_this_machine() -> None:
    """Numbers that the kernel knows, whatever is below."""
    for number in devices_below(Path("/var/tmp")):
        assert (Path("/sys/dev/block") / number).exists()
