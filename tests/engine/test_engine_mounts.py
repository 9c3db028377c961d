"""The device behind real file systems in files: found through what is stacked, or unknown, with a reason."""

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.engine.runs import Engine
from tests.mounting import PATH, mounted, tried
from weir.audit import Subject, judge

MIB = 2**20
IMAGE_BYTES = 320 * MIB
WRITTEN = 8 * MIB


@contextmanager
def in_a_file(folder: Path, kind: str, *options: str, mount: str = "loop") -> Iterator[Path]:
    """A file system of this kind in a file of folder; mount: options of its mount."""
    if shutil.which(f"mkfs.{kind}", path=PATH) is None:
        pytest.skip(f"mkfs.{kind} is not installed")
    image = folder / f"{kind}.image"
    with image.open("wb") as stream:
        stream.truncate(IMAGE_BYTES)
    tried(f"mkfs.{kind}", *options, "-q", str(image))
    with mounted(folder / kind, "-o", mount, str(image)) as point:
        yield point


@contextmanager
def overlay(folder: Path, upper: Path, *options: str) -> Iterator[Path]:
    parts = {name: upper / name for name in ("lower", "upper", "work")}
    for part in parts.values():
        part.mkdir()
    joined = ",".join([*(f"{name}dir={part}" for name, part in parts.items()), *options])
    with mounted(folder / "overlay", "-t", "overlay", "-o", joined, "overlay") as point:
        yield point


@pytest.fixture
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """On a disk with counters; a name with a space, which the table of mounts escapes."""
    folder = Path("/var/tmp") / f"weir mounts {os.getpid()}"
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def observed(engine: Engine, folder: Path, *arguments: str) -> dict[str, Any]:
    requested = ["-w", "-t", "1m", "-b", str(WRITTEN), *arguments, "-o", folder / "data"]
    return dict(engine.good(*requested).result("write")["observed"])


def needs_counters(seen: dict[str, Any]) -> None:
    if seen["device"]["name"] is None:
        pytest.skip(f"the device behind /var/tmp shows no counters: {seen['device']['reason']}")


@pytest.mark.parametrize(
    ("kind", "options", "mount", "copies"),
    [
        ("ext4", (), "loop", 1),
        ("ext4", (), "loop,data=journal", 2),
        ("xfs", (), "loop", 1),
        ("btrfs", (), "loop", 1),
        ("btrfs", ("-d", "dup"), "loop", 2),
    ],
    ids=["ext4", "ext4 data=journal", "xfs", "btrfs", "btrfs dup"],
)
def test_the_disk_below_a_file_is_found_and_has_the_bytes(
    engine: Engine, disk: Path, kind: str, options: tuple[str, ...], mount: str, copies: int
) -> None:
    plain = observed(engine, disk, "-e")
    needs_counters(plain)
    with in_a_file(disk, kind, *options, mount=mount) as point:
        seen = observed(engine, point, "-e")
    assert seen["file_system"] == kind
    assert seen["device"]["name"] == plain["device"]["name"]
    assert seen["device"]["copies"] == copies
    assert seen["device"]["mirrors_least"] == (1 if "journal" in mount else copies)
    assert seen["device_written_bytes"] >= copies * WRITTEN
    assert seen["dirtied_bytes"] >= WRITTEN


def test_a_subvolume_has_the_devices_of_its_btrfs(engine: Engine, disk: Path) -> None:
    with in_a_file(disk, "btrfs") as point:
        tried("btrfs", "subvolume", "create", str(point / "one"))
        seen = observed(engine, point / "one", "-e")
    needs_counters(seen)
    assert seen["file_system"] == "btrfs"
    assert seen["device_written_bytes"] >= WRITTEN


def test_an_overlay_has_the_device_of_its_upper_directory(engine: Engine, disk: Path) -> None:
    with overlay(disk, disk) as point:
        seen = observed(engine, point, "-e")
    needs_counters(seen)
    assert seen["file_system"] == "overlay"
    assert seen["device_written_bytes"] >= WRITTEN
    assert seen["dirtied_bytes"] >= WRITTEN
    assert seen["unwritten"] is None  # the pages are those of the file below


@pytest.mark.parametrize("is_stacked", [False, True], ids=["loop", "overlay on it"])
def test_a_loop_device_whose_file_is_gone_is_unknown(engine: Engine, disk: Path, is_stacked: bool) -> None:
    with ExitStack() as stack:
        point = stack.enter_context(in_a_file(disk, "ext4"))
        (disk / "ext4.image").unlink()
        if is_stacked:
            point = stack.enter_context(overlay(disk, point))
        seen = observed(engine, point, "-e")
    assert seen["device"]["name"] is None
    assert "ext4.image (deleted)) is unknown" in seen["device"]["reason"]
    assert seen["device_written_bytes"] is None


@pytest.mark.parametrize("synchronises", [True, False], ids=["fsync", "none"])
def test_pages_that_are_not_written_back_are_counted(engine: Engine, disk: Path, synchronises: bool) -> None:
    seen = observed(engine, disk, *(["-e"] if synchronises else []))
    if seen["unwritten"] is None:
        pytest.skip("this kernel has no cachestat(2), or shows no page of the file system of /var/tmp")
    assert seen["unwritten"]["files"] == 1
    left = seen["unwritten"]["dirty_bytes"] + seen["unwritten"]["writeback_bytes"]
    assert (left == 0) == synchronises


@pytest.mark.parametrize("access", ["write", "read"])
@pytest.mark.parametrize(("mount", "is_cached"), [("loop", False), ("loop,data=journal", True)])
def test_a_direct_access_that_the_kernel_buffers_is_found(
    engine: Engine, disk: Path, mount: str, is_cached: bool, access: str
) -> None:
    """ext4 grants O_DIRECT with data=journal, and F_GETFL has it."""
    with in_a_file(disk, "ext4", mount=mount) as point:
        seen = observed(engine, point, "--posix.odirect", "-k")
        if access == "read":
            file = os.open(point / "data", os.O_RDONLY)
            os.fsync(file)
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(file)
            requested = ("-r", "-t", "1m", "-b", str(WRITTEN), "--posix.odirect", "-o", point / "data")
            seen = dict(engine.good(*requested).result("read")["observed"])
    if access == "write" and is_cached and seen["unwritten"] is None:
        pytest.skip("this kernel has no cachestat(2)")
    row = {"api": "POSIX", "direct": True, "access": access, "moved_bytes": WRITTEN, "bw_mib_s": 1.0}
    judged = judge(Subject(row, seen))
    assert seen["direct"]
    assert ("direct-not-applied" in {one.rule for one in judged.findings}) == is_cached
