"""weir prove on a disk that nobody else uses: every byte of its counters is known, and no finding is of the
machine."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.witness import filtered_syncs
from tests.witness.conftest import Prove
from tests.witness.own_disk import own_disk
from tests.zoo.staging import repeated

DD = ("dd", "if=/dev/urandom", "of=f", "bs=1M", "count=64", "conv=fsync")


def claim_of(seen: dict[str, Any]) -> dict[str, Any]:
    (claim,) = seen["claims"]
    return dict(claim)


def test_a_disk_that_counts_nothing_is_unknown(prove: Prove, tmp_path: Path) -> None:
    with own_disk(tmp_path / "data") as disk:
        honest = prove(*DD, ahead=disk.ahead)
        disk.count(False)
        silent = prove(*DD, ahead=disk.ahead)
    assert claim_of(honest)["verdict"] == "VALID", honest["stderr"]
    assert claim_of(silent)["verdict"] == "UNPROVEN", silent["stderr"]
    assert f"{disk.names[0]} counts nothing of what it moves" in silent["stderr"]


@pytest.mark.parametrize(("profile", "disks"), [("raid1", 2), ("dup", 1)])
def test_a_mirror_must_have_all_copies(prove: Prove, tmp_path: Path, profile: str, disks: int) -> None:
    """Half of the file, written back twice, is as much as the file."""
    half = (sys.executable, str(Path(filtered_syncs.__file__)), "g", "64", "35")
    with own_disk(tmp_path / "data", "-d", profile, kind="btrfs", disks=disks) as disk:
        honest = prove(*DD, ahead=disk.ahead)
        for _ in range(5):
            lying = prove(*half, ahead=disk.ahead)
            # A kernel short of clean pages writes the other half back, too: then both copies are whole.
            if lying["mounts"][0]["whole"]["device"][1] < 2 * 64 * 2**20:
                break
            (tmp_path / "data/g").unlink()  # the next trial would be credited with what is dirty of it
            subprocess.run(("sync", "--file-system", tmp_path / "data"), check=True)
    assert claim_of(honest)["verdict"] == "VALID", honest["stderr"]
    assert "sync-not-effective" in honest["claims"][0]["checked"]
    (write,) = [one for one in lying["records"] if one["access"] == "write"]
    assert "sync-not-effective" in write["reasons"], lying["stderr"]


def _with_fio(how: str, *more: str) -> tuple[str, ...]:
    options = f"--name=j --rw=write --size=4m --filename=f --output-format=json {how}"
    return ("fio", *options.split(), *more)


@pytest.mark.parametrize(
    ("kind", "how"),
    [
        ("ext4", "--ioengine=sync --fdatasync=1 --bs=2300"),  # as etcd's documentation has it
        ("ext4", "--ioengine=sync --fsync=1 --bs=4k"),
        ("ext4", "--ioengine=sync --sync=1 --bs=4k"),
        ("ext4", "--ioengine=sync --fsync=1 --bs=4k --direct=1 --rw=randwrite"),
        ("ext4", "--ioengine=io_uring --fsync=1 --bs=4k"),
        ("btrfs", "--ioengine=sync --fdatasync=1 --bs=2300"),
        ("btrfs", "--ioengine=libaio --fsync=1 --bs=4k"),
    ],
)
def test_what_each_synchronisation_adds_is_not_foreign(
    prove: Prove, tmp_path: Path, kind: str, how: str
) -> None:
    """A journal takes a few blocks of each, which is a multiple of a small write."""
    with own_disk(tmp_path / "data", kind=kind) as disk:
        seen = prove(*_with_fio(how), ahead=disk.ahead)
    claim = claim_of(seen)
    assert "others-on-device" not in (claim["reasons"] or ""), seen["stderr"]
    assert claim["verdict"] == ("UNPROVEN" if "io_uring" in how else "VALID"), seen["stderr"]


def test_another_writer_beside_small_synchronised_writes_is_found(prove: Prove, tmp_path: Path) -> None:
    """Its bytes are several times what the journal may have taken."""
    # Somebody else, whose bytes bypass the cache: they reach the disk as they are written.
    writer = ("dd", "if=/dev/zero", f"of={tmp_path}/data/other", "bs=1M", "count=300", "oflag=direct")
    with own_disk(tmp_path / "data") as disk, repeated(writer):
        seen = prove(*_with_fio("--ioengine=sync --fdatasync=1 --bs=4k"), ahead=disk.ahead)
    claim = claim_of(seen)
    assert claim["verdict"] == "DEGRADED", seen["stderr"]
    assert "others-on-device" in claim["reasons"]
