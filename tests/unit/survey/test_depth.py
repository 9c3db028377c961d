"""A scan of a deep tree costs as much for each directory as one of a flat tree, and options have bounds."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.conftest import RunWeir
from tests.unit.survey.trees import opened
from weir.survey import directory
from weir.survey.directory import Pace, Selection
from weir.survey.tally import FormatTally, State
from weir.survey.walk import scan_tree

WITH_NUL = (
    b'{"directory": "", "inner": "\\u0000", "tally":'
    b' {"seen": {}, "content": [], "sizes": [], "skipped": {}, "directories": 1}}'
)
DEPTH = 2100  # longer than any path that the kernel takes as one text: 4,096 bytes


@pytest.fixture(scope="module")
def deep(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Directories within directories, each with a file and an empty directory."""
    top = tmp_path_factory.mktemp("deep")
    descriptor = os.open(top, os.O_RDONLY)
    for _ in range(DEPTH):
        os.close(os.open("f.txt", os.O_CREAT | os.O_WRONLY, dir_fd=descriptor))
        os.mkdir("aside", dir_fd=descriptor)
        os.mkdir("d", dir_fd=descriptor)
        inner = os.open("d", os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = inner
    os.close(descriptor)
    yield top
    _remove(top)


def _remove(top: Path) -> None:
    """From the deepest one; shutil.rmtree calls itself for each level."""
    while (top / "d").exists():
        (top / "d").rename(top / "taken")
        if (top / "taken/d").exists():
            (top / "taken/d").rename(top / "d")
        shutil.rmtree(top / "taken")


def scanned(tree: Path, state: State | None = None, threads: int = 4) -> tuple[FormatTally, int]:
    pace = Pace(1e9)
    return scan_tree(tree, Selection(0.5, 0), pace, threads, state), pace.operations


def open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.slow
@pytest.mark.parametrize("most_open", [8, directory.MOST_OPEN])
def test_each_directory_costs_the_same_at_any_depth(
    deep: Path, monkeypatch: pytest.MonkeyPatch, most_open: int
) -> None:
    monkeypatch.setattr(directory, "MOST_OPEN", most_open)
    before = open_descriptors()
    tally, operations = scanned(deep, threads=1)
    assert (tally.directories, tally.files) == (2 * DEPTH + 1, DEPTH)
    assert not tally.skipped
    # Of each directory its opening and listing, of each entry a stat; then the return to directories that
    # were closed meanwhile, in steps of as many as may be open.
    least = 2 * 2 * DEPTH + 3 * DEPTH
    assert least < operations < 2 * least + DEPTH * DEPTH / most_open
    assert open_descriptors() == before


@pytest.mark.slow
def test_a_deep_scan_is_resumed(deep: Path, tmp_path: Path) -> None:
    file = tmp_path / "scan.state"
    found = []
    for _ in range(2):
        with opened(file, {"tree": "deep"}) as state:
            found.append(scanned(deep, state)[0])
        lines = file.read_bytes().splitlines(keepends=True)
        file.write_bytes(b"".join(lines[: len(lines) // 2]))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("--threads", "1000000000"), ("--threads", "257"), ("--threads", "0"), ("--rate", "nan")),
        *(("--rate", "inf"), ("--rate", "1e300"), ("--rate", "-1"), ("--rate", "0"), ("--rate", "1e-9")),
        *(("--sample", "nan"), ("--sample", "0"), ("--sample", "1.1")),
    ],
)
def test_an_option_out_of_its_bounds_is_refused(
    tmp_path: Path, run_weir: RunWeir, option: str, value: str
) -> None:
    assert f"{option}: is out of range" in run_weir("scan", tmp_path, f"{option}={value}", code=2).err


@pytest.mark.parametrize(
    "line", [b"7", b"{}", b'{"directory": "a", "tally": [], "inner": 3}', b"null", WITH_NUL]
)
def test_a_damaged_state_is_named(tmp_path: Path, run_weir: RunWeir, line: bytes) -> None:
    (tmp_path / "tree").mkdir()
    state = tmp_path / "scan.state"
    run_weir("scan", tmp_path / "tree", "--state", state)
    state.write_bytes(state.read_bytes().splitlines(keepends=True)[0] + line + b"\n")
    assert f"{state}:2: is damaged" in run_weir("scan", tmp_path / "tree", "--state", state, code=2).err
