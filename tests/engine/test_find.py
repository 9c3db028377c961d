"""weir-io find counts and finds what is there, on any number of ranks, and reports what it could not read."""

import os
from pathlib import Path

import pytest

from tests.engine.cells import cells
from tests.engine.runs import Engine
from tests.engine.test_engine_document import assert_valid


@pytest.fixture
def forest(tmp_path: Path) -> Path:
    """Wide and deep: 40 directories of 30 files, a chain of 20, and things that are no files."""
    root = tmp_path / "forest"
    for i in range(40):
        folder = root / f"wide{i}"
        folder.mkdir(parents=True)
        for k in range(30):
            (folder / f"file.{k:02}").write_bytes(bytes(3901 if k % 3 else 10))
    chain = root
    for i in range(20):
        chain = chain / "down"
        chain.mkdir()
        (chain / f"file.{i:02}").write_bytes(bytes(3901))
    (root / "link").symlink_to("wide0")
    os.mkfifo(root / "pipe.01")
    stamp = tmp_path / "stamp"
    stamp.write_text("")
    for path in [*root.glob("wide?/file.*"), root / "pipe.01"]:
        os.utime(path, ns=(0, stamp.stat().st_mtime_ns))
    for path in root.glob("wide[1-3]?/file.*"):
        os.utime(path, ns=(0, stamp.stat().st_mtime_ns + 1))
    for path in root.glob("down/**/file.*"):
        os.utime(path, ns=(0, stamp.stat().st_mtime_ns - 1))
    return root


@pytest.mark.parametrize("ranks", [1, 3])
def test_all_ranks_find_what_one_would(engine: Engine, forest: Path, ranks: int) -> None:
    """1220 files, a link and a pipe; a link is not followed, and one nanosecond makes newer."""
    stamp = forest.parent / "stamp"
    named, whole, aged = cells(
        engine,
        ranks,
        ["find", forest, "-name", "*01*", "-size", "3901c", "-C", "-q", 10],
        ["find", forest],
        ["find", forest, "-newer", stamp, "-C"],
    )
    assert [run.code for run in (named, whole, aged)] == [0, 0, 0]
    assert named.out.endswith("MATCHED 41/1222\n")
    assert aged.out.endswith("MATCHED 900/1222\n")
    (result,) = named.document["results"]
    assert_valid(named.document)
    assert (result["access"], result["found"], result["operations"]) == ("find", 41, 1222)
    assert (result["directories_read"], result["entries"]) == (61, 1222 + 60)
    assert result["latency"]["count"] == 42  # names that match are looked at, the pipe among them
    assert "MATCHED 1222/1222" in whole.out
    if ranks == 1:  # others print where the launcher shows it
        found = {line for line in whole.out.splitlines() if line.startswith(str(forest))}
        assert found == {str(p) for p in forest.rglob("*") if p.is_symlink() or not p.is_dir()}
    elif ranks <= (os.cpu_count() or 1):  # with fewer cores one rank may have done all before another began
        assert result["items_given"] > 0


def test_a_tree_is_made_before_the_clock_starts(engine: Engine) -> None:
    arguments = ["--make-files", 50, "--make-directories", 4, "--make-bytes", 12, "-C", "-name", "*.1?"]
    (made,) = cells(engine, 2, ["find", engine.folder / "tree", "-size", "12c", *arguments])
    assert made.code == 0, made.err
    (result,) = made.document["results"]
    assert (result["found"], result["operations"], result["requested_operations"]) == (20, 100, 100)
    assert (result["directories_read"], result["latency"]["count"]) == (9, 20)


def test_what_cannot_be_read_is_counted(engine: Engine) -> None:
    """A path may be deeper than the kernel takes in one word; what is beside it is counted all the same."""
    root = engine.folder / "tree"
    root.mkdir()
    (root / "beside").write_text("")
    before = Path.cwd()
    try:
        os.chdir(root)
        for _ in range(20):
            os.mkdir("d" * 250)
            os.chdir("d" * 250)
    finally:
        os.chdir(before)
    (deep, absent) = cells(
        engine, 2, ["find", root, "-C"], ["find", engine.folder / "absent", "-newer", root / "beside"]
    )
    assert (deep.code, absent.code) == (1, 1)
    assert "errors: 1)\nMATCHED 1/1\n" in deep.out
    assert [error["error"] for error in deep.document["errors"]] == ["File name too long"]
    assert deep.document["results"] == []
    assert "opendir" in absent.err
    assert "No such file or directory" in absent.err
