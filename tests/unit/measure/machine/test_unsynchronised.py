"""Mounts that do no synchronisation, of a folder and of what its bytes go through."""

from pathlib import Path

import pytest

from tests.programs import write_file
from weir.measure.machine import mount_settings as module
from weir.measure.machine.mount_settings import synchronisation_off

Mount = dict[str, str]


def mount(kind: str, options: str, device: str = "none") -> Mount:
    return {"type": kind, "device": device, "super_options": options, "mount_point": "/mnt"}


@pytest.fixture
def mounts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[Path, Mount]:
    """By folder; of another one nothing is known."""
    known: dict[Path, Mount] = {}
    monkeypatch.setattr(module, "mount_of", known.get)
    for name in ("top", "upper"):
        (tmp_path / name).mkdir()
    return known


@pytest.mark.parametrize("option", ["volatile", "fsync=volatile"])
def test_a_volatile_overlay_ignores_it(mounts: dict[Path, Mount], tmp_path: Path, option: str) -> None:
    mounts[tmp_path / "top"] = mount("overlay", f"rw,upperdir={tmp_path}/upper,{option}")
    mounts[tmp_path / "upper"] = mount("ext4", "rw,nobarrier")  # the graver one is named
    expected = {"effect": "ignored", "mount": f"{option} of overlay at /mnt"}
    assert synchronisation_off(tmp_path / "top") == expected


def test_what_is_below_decides_as_well(mounts: dict[Path, Mount], tmp_path: Path) -> None:
    mounts[tmp_path / "top"] = mount("fuse.bindfs", "rw", device=str(tmp_path / "upper"))
    mounts[tmp_path / "upper"] = mount("overlay", "rw,volatile")
    assert synchronisation_off(tmp_path / "top") == {
        "effect": "ignored",
        "mount": "volatile of overlay at /mnt",
    }


def test_a_loop_is_as_the_mount_of_its_file(mounts: dict[Path, Mount], tmp_path: Path) -> None:
    system = tmp_path / "system"
    write_file(system / "252:0/slaves/loop0/dev", "7:0\n")
    write_file(system / "7:0/loop/backing_file", f"{tmp_path}/upper/image\n")
    mounts[tmp_path / "upper"] = mount("overlay", "rw,volatile")
    assert list(module._files_below(system, "252:0", 0)) == [tmp_path / "upper"]


def test_an_ordinary_mount_prevents_nothing(mounts: dict[Path, Mount], tmp_path: Path) -> None:
    mounts[tmp_path / "top"] = mount(
        "ext4", "rw,volatile,barrier=1"
    )  # of no overlay: a name of something else
    assert synchronisation_off(tmp_path / "top") is None
    mounts[tmp_path / "top"] = mount("btrfs", "rw,nobarrier")
    assert synchronisation_off(tmp_path / "top") == {
        "effect": "not flushed",
        "mount": "nobarrier of btrfs at /mnt",
    }
