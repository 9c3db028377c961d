"""Reads under `weir prove` of what somebody fetched before, or beside them, each with its honest twin."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.compiled import built
from tests.needs import loop_devices, mounts, need
from tests.witness.watched import is_built
from tests.zoo.animals import DIRECT_LOOP
from tests.zoo.errors import skips_unstaged
from tests.zoo.proven import Proven, clean, proven
from tests.zoo.staging import mounted

pytestmark = [pytest.mark.slow, is_built]
MIB = 2**20
SIZE = 48 * MIB
_MAPS = (
    "import mmap,sys;f=open(sys.argv[1],'rb');m=mmap.mmap(f.fileno(),0,prot=mmap.PROT_READ);sum(m[::4096])"
)


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = Path(__file__).with_name("early_reader.c")
    program = tmp_path_factory.mktemp("reader") / "early-reader"
    return built(program, source, "-std=gnu11", "-O2", "-Wall", "-Werror")


def filled(path: Path) -> str:
    path.write_bytes(os.urandom(SIZE))
    return str(path)


def cold(*paths: str) -> None:
    for path in paths:
        with open(path, "rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def read_under(folder: Path, command: Sequence[str], *cold_files: str) -> Proven:
    def attempt() -> list[Proven]:
        cold(*cold_files)
        return proven(command, folder)

    found = clean(attempt)
    return found[-1]


def is_seen(one: Proven) -> bool:
    return "read-from-cache" in one.findings or "fetched" in one.missing


@pytest.mark.parametrize("how", ["advice", "ahead", "populate", "late", "around"])
def test_what_was_fetched_before_the_clock_started(reader: Path, tmp_path: Path, how: str) -> None:
    file = filled(tmp_path / "file")
    lies = read_under(tmp_path, [str(reader), how, file], file)
    assert is_seen(lies), lies.text


@pytest.mark.parametrize("how", ["plain", "waits", "along"])
def test_what_was_fetched_within_the_time(reader: Path, tmp_path: Path, how: str) -> None:
    file = filled(tmp_path / "file")
    honest = read_under(tmp_path, [str(reader), how, file], file)
    assert honest.is_proven, honest.text


def test_what_another_process_fetched_before(tmp_path: Path) -> None:
    """As vmtouch -t and numpy.memmap do."""
    file = filled(tmp_path / "file")
    dd = f"dd if={file} of=/dev/null bs=1M"
    script = f'"{sys.executable}" -c "{_MAPS}" {file}; {dd}'
    lies = read_under(tmp_path, ["sh", "-c", script], file)
    assert is_seen(lies), lies.text
    honest = read_under(tmp_path, ["sh", "-c", f"true; {dd}"], file)
    assert honest.is_proven, honest.text


def test_what_others_fetched_beside_a_warm_read(reader: Path, tmp_path: Path) -> None:
    """A reader of another file by streams, and the program itself by a mapping, or after its last read."""
    warm, other = filled(tmp_path / "warm"), filled(tmp_path / "other")
    awk = f"awk 'END {{ print NR > \"/dev/null\" }}' {other} & dd if={warm} of=/dev/null bs=1M; wait"
    Path(warm).read_bytes()
    lies = read_under(tmp_path, ["sh", "-c", awk], other)
    assert is_seen(lies), lies.text
    for how in ("maps", "later"):
        lies = read_under(tmp_path, [str(reader), how, warm, other], other)
        assert is_seen(lies), lies.text
    assert "100 % came from memory" in lies.text
    honest = read_under(tmp_path, [str(reader), "plain", warm], warm)
    assert honest.is_proven, honest.text


def test_a_warm_read_on_one_mount_beside_a_cold_one_on_another(tmp_path: Path) -> None:
    """Of the same size: each result is of the mount on which a process took its time."""
    need(loop_devices, mounts)
    (tmp_path / "work").mkdir()
    with skips_unstaged(), mounted(DIRECT_LOOP, tmp_path / "other", tmp_path / "work", tmp_path):
        warm, other = filled(tmp_path / "warm"), filled(tmp_path / "other" / "cold")
        Path(warm).read_bytes()
        script = f"dd if={warm} of=/dev/null bs=1M; dd if={other} of=/dev/null bs=1M"
        cold(other)
        first, second = proven(["sh", "-c", script], tmp_path)
    assert is_seen(first), first.text
    assert "read-from-cache" not in second.findings, second.text
