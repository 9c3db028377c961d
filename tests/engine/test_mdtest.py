"""weir-io mdtest makes what mdtest makes, does all of it, and counts what it did."""

import csv
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.compiled import shared_library
from tests.engine.cells import cells, tree
from tests.engine.runs import Engine
from tests.engine.test_engine_document import assert_valid

HARD = ["-F", "-t", "-w", 3901, "-e", 3901, "-N", 1, "-G", 7]


def test_names_and_bytes_are_those_of_mdtest(engine: Engine) -> None:
    """With -u -N the directory is that of the rank beyond; the end of a file is single bytes."""
    places = [engine.folder / name for name in ("easy", "hard", "deep")]
    runs = cells(
        engine,
        2,
        ["mdtest", "-C", "-F", "-u", "-L", "-N", 1, "-n", 3, "-d", places[0]],
        ["mdtest", "-C", *HARD, "-n", 2, "-d", places[1]],
        ["mdtest", "-C", "-I", 1, "-b", 2, "-z", 2, "-d", places[2]],
    )
    assert [run.code for run in runs] == [0, 0, 0]
    easy = {f"test-dir.0-0/mdtest_tree.{1 - r}.0/file.mdtest.{r}.{i}" for r in (0, 1) for i in range(3)}
    assert {name for name, held in tree(places[0]).items() if held is not None} == easy
    hard = {name: held for name, held in tree(places[1]).items() if held is not None}
    root = "test-dir.0-0/mdtest_tree.0"
    assert set(hard) == {f"{root}/file.mdtest.{r}.{i}" for r in (0, 1) for i in range(2)}
    arguments = (np.uint64(1) << np.uint64(32)) | (np.arange(487, dtype=np.uint64) + np.uint64(7))
    assert hard[f"{root}/file.mdtest.1.0"] == arguments.tobytes() + bytes(i % 256 for i in range(3896, 3901))
    chain = {3: "mdtest_tree.1/mdtest_tree.3", 6: "mdtest_tree.2/mdtest_tree.6"}
    for kind in ("dir", "file"):
        for number, folder in chain.items():
            assert f"{root}/{folder}/{kind}.mdtest.1.{number}" in tree(places[2])


def test_every_phase_does_all_of_it_and_leaves_nothing(engine: Engine) -> None:
    place = engine.folder / "md"
    arguments = ["-n", 14, "-b", 2, "-z", 2, "-i", 2, "-w", 100, "-e", 96, "-X", "-R", "-y", "-Y", "-P"]
    (done,) = cells(engine, 2, ["mdtest", *arguments, "--verify-write", "-d", place])
    assert done.code == 0, done.err
    assert_valid(done.document)
    items = [r for r in done.document["results"] if r["item"] != "tree"]
    accesses = [("directory", a) for a in ("create", "stat", "rename", "remove")]
    accesses += [("file", a) for a in ("create", "stat", "read", "remove")]
    assert [(r["item"], r["access"]) for r in items] == 2 * accesses
    for result in items:
        assert result["operations"] == result["requested_operations"] == result["latency"]["count"] == 28
        assert result["sync_s"] <= result["io_s"] <= result["total_s"]
        assert result["ops_s"] == pytest.approx(28 / result["io_s"])
    moved = {(r["access"], r["moved_bytes"]) for r in items if r["item"] == "file"}
    assert moved == {("create", 2800), ("stat", 0), ("read", 28 * 96), ("remove", 0)}
    reads = [r["verify"] for r in items if r["access"] == "read"]
    assert reads == 2 * [{"checked_bytes": 28 * 96, "errors": 0, "first_error": None}]
    trees = [r["operations"] for r in done.document["results"] if r["item"] == "tree"]
    assert trees == [7, 7, 7, 7]
    assert "   File removal   " in done.out
    assert "SUMMARY time (in ms/op): (of 2 iterations)" in done.out
    assert not place.exists()


def test_a_stonewall_makes_one_number_and_the_next_run_takes_it(engine: Engine) -> None:
    """The status file tells stat, read and remove how many there are: nothing is missed, nothing is left."""
    status, place = engine.folder / "status.txt", engine.folder / "md"
    slow = ["-a", "NULL", "-w", 8, "--null.delay-us=20000", "--null.slow-rank=1", "--null.slow-us=80000"]
    walled, made, rest = cells(
        engine,
        2,
        ["mdtest", "-C", "-F", "-n", 100000, "-W", 0.3, *slow],
        ["mdtest", "-C", "-F", "-u", "-n", 1000000, "-W", 0.05, "-x", status, "-d", place],
        ["mdtest", "-T", "-E", "-r", "-F", "-u", "-n", 1000000, "-x", status, "-d", place],
    )
    assert [walled.code, made.code, rest.code] == [0, 0, 0]
    files = [r for r in walled.document["results"] if r["item"] == "file"]
    result, wall = files[0], files[0]["stonewall"]
    assert (wall["hit"], wall["wear_out"]) == (True, True)
    assert 0 < wall["pairs_min"] < wall["pairs_max"] < 100000
    assert result["operations"] == 2 * wall["pairs_max"]
    assert result["requested_operations"] == 200000
    assert_valid(walled.document)
    each = int(status.read_text())
    assert [r["operations"] for r in made.document["results"] if r["item"] == "file"] == [2 * each]
    assert [r["operations"] for r in rest.document["results"] if r["item"] == "file"] == 3 * [2 * each]
    assert list(place.iterdir()) == []


def test_what_fails_is_counted_and_told(engine: Engine) -> None:
    place = engine.folder / "md"
    root = place / "test-dir.0-0" / "mdtest_tree.0"
    (made,) = cells(engine, 2, ["mdtest", "-C", *HARD, "-n", 4, "-d", place])
    assert made.code == 0
    (root / "file.mdtest.1.2").unlink()
    (root / "file.mdtest.1.3").unlink()
    (root / "file.mdtest.0.1").write_bytes(bytes(10))
    held = bytearray((root / "file.mdtest.0.2").read_bytes())
    held[3899] ^= 1
    (root / "file.mdtest.0.2").write_bytes(held)
    missing, short, wrong, twice, ordered = cells(
        engine,
        2,
        ["mdtest", "-T", *HARD, "-n", 4, "-d", place],
        ["mdtest", "-E", *HARD, "-n", 2, "-d", place],
        ["mdtest", "-E", "-X", "-F", "-w", 3901, "-e", 3901, "-G", 7, "-n", 1, "-I", 1, "-d", place],
        ["mdtest", "-C", *HARD, "-n", 4, "-d", place],
        ["mdtest", "-a", "NULL", "-F", "-n", 3, "--null.fail=unlink", "--null.fault-rank=1"],
    )
    assert [run.code for run in (missing, short, wrong, twice, ordered)] == [1, 1, 0, 1, 1]
    assert [error["call"] for error in missing.document["errors"]] == ["stat", "stat"]
    texts = " ".join(missing.complaints)
    assert "No such file or directory, the first of 2 failures" in texts
    assert "the file has another size, 10 bytes, but -w 3901" in texts
    assert "end of file" in short.err
    assert "File exists" in twice.err
    assert "mdtest_tree.0" in twice.err
    assert [r["access"] for r in ordered.document["results"]] == ["create", "create", "stat", "read"]
    assert ordered.document["errors"][0]["rank"] == 1
    assert "the first of 3 failures" in ordered.err
    (root / "file.mdtest.0.1").write_bytes((root / "file.mdtest.0.0").read_bytes())
    (differs,) = cells(engine, 1, ["mdtest", "-E", "-X", *HARD, "-n", 3, "-d", place])
    assert differs.code == 1
    verify = next(r["verify"] for r in differs.document["results"] if r["access"] == "read")
    assert (verify["checked_bytes"], verify["errors"]) == (3 * 3901, 1)
    assert verify["first_error"]["path"].endswith("file.mdtest.0.2")
    assert verify["first_error"]["offset"] == 3896


def test_a_file_system_without_inodes(engine: Engine, few_inodes: Path) -> None:
    (done,) = cells(engine, 2, ["mdtest", "-F", "-u", "-n", 100, "-d", few_inodes / "md"])
    assert done.code == 1
    assert done.document["status"] == "failed"
    assert {error["error"] for error in done.document["errors"]} == {"No space left on device"}
    assert [r["item"] for r in done.document["results"]] == ["tree"]
    assert "SUMMARY" not in done.out


def test_after_a_failure_nothing_is_left(engine: Engine, few_inodes: Path) -> None:
    place = few_inodes / "md"
    (done,) = cells(engine, 2, ["mdtest", "-u", "-n", 100, "-d", place])
    assert (done.code, list(few_inodes.iterdir())) == (1, [])


def test_a_failure_before_the_first_phase_is_told_once(engine: Engine) -> None:
    (engine.folder / "file").touch()
    below, beside = engine.folder / "file" / "md", engine.folder / "md"
    beside.mkdir()
    (beside / "test-dir.0-0").touch()
    done, blocked = cells(engine, 2, *(["mdtest", "-n", 4, "-d", each] for each in (below, beside)))
    assert [done.code, blocked.code] == [1, 1]
    assert done.complaints == [f'weir-io: rank 0: mkdir("{below}") failed: Not a directory']
    assert [error["path"] for error in done.document["errors"]] == [str(below)]
    assert len({*blocked.complaints}) == len(blocked.complaints), blocked.err


def test_shared_files_are_made_by_all_and_removed_once(engine: Engine) -> None:
    place = engine.folder / "md"
    arguments = ["-F", "-S", "-n", 3, "-w", 9, "-d", place]
    made, gone = cells(
        engine, 2, ["mdtest", "-C", *arguments], ["mdtest", "-T", "-E", "-r", "-e", 9, *arguments]
    )
    assert (made.code, gone.code) == (0, 0), made.err + gone.err
    [create] = [r for r in made.document["results"] if r["item"] == "file"]
    assert (create["operations"], create["moved_bytes"]) == (6, 54)
    counts = [(r["access"], r["operations"]) for r in gone.document["results"] if r["item"] == "file"]
    assert counts == [("stat", 6), ("read", 6), ("remove", 3)]


def test_what_each_rank_did(engine: Engine) -> None:
    """By mdtest's own columns, and its spread in the table; files are made by mknod."""
    place, ranks = engine.folder / "md", engine.folder / "ranks.csv"
    arguments = ["-k", "-n", 5, "-i", 2, f"--saveRankPerformanceDetails={ranks}", "--showRankStatistics"]
    (done,) = cells(engine, 2, ["mdtest", *arguments, "-d", place])
    assert done.code == 0, done.err
    rows = list(csv.DictReader(ranks.open()))
    assert [row["rank"] for row in rows] == 2 * ["all", "0", "1"]
    assert not any(row["rate-Directory read"] for row in rows)
    columns = {"Directory creation": ("directory", "create"), "File stat": ("file", "stat")}
    for name, (item, access) in columns.items():
        results = [r for r in done.document["results"] if (r["item"], r["access"]) == (item, access)]
        for result, (both, *each) in zip(results, (rows[:3], rows[3:]), strict=True):
            assert float(both[f"rate-{name}"]) == pytest.approx(result["ops_s"])
            assert float(both[f"time-{name}"]) == pytest.approx(result["io_s"])
            for row in each:
                assert float(row[f"time-{name}"]) <= result["io_s"] * 1.000001
                assert float(row[f"rate-{name}"]) == pytest.approx(5 / float(row[f"time-{name}"]))
    assert "of single ranks" in done.out
    line = next(line for line in done.out.splitlines() if line.startswith("   File creation "))
    assert len(line.split()) == 2 + 3 + 4
    assert not place.exists()


SHAPES = {
    "easy": ["-F", "-L", "-u", "-N", 1, "-n", 20],
    "hard": [*HARD, "-n", 20],
    "deep": ["-n", 26, "-b", 3, "-z", 2],
    "leaves": ["-F", "-L", "-u", "-b", 2, "-z", 2, "-n", 8, "-w", 4100, "-G", 7, "--dataPacketType=offset"],
    "shared": ["-F", "-S", "-n", 6],
    "nodes": ["-F", "-k", "-n", 6],
    "loops": ["-F", "-n", 12, "-I", 4, "-w", 17, "-G", 3, "--dataPacketType=random"],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_mdtest_and_weir_io_go_on_with_each_others_trees(engine: Engine, shape: str) -> None:
    original = os.environ.get("MDTEST") or shutil.which("mdtest")
    if original is None:
        pytest.skip("the original mdtest is neither on the PATH nor in MDTEST=")

    def mdtest(*arguments: object) -> None:
        done = Engine(Path(original), engine.folder).call(arguments, 2)
        assert done.code == 0, done.err
        assert "unable" not in done.out, done.out
        assert "ERROR" not in done.out, done.out

    options, ours, theirs = SHAPES[shape], engine.folder / "ours", engine.folder / "theirs"
    compare = ["-X"] if "-e" in options else []
    mdtest("-C", *options, "-d", theirs)
    both = cells(
        engine,
        2,
        ["mdtest", "-C", *options, "-d", ours],
        ["mdtest", "-T", "-E", *compare, *options, "-d", theirs],
    )
    assert [run.code for run in both] == [0, 0], both[1].err
    assert tree(ours) == tree(theirs)
    mdtest("-T", "-E", "-r", *compare, *options, "-d", ours)
    (removed,) = cells(engine, 2, ["mdtest", "-r", *options, "-d", theirs])
    assert removed.code == 0
    assert tree(ours) == tree(theirs) == {}


def test_a_mkdir_without_effect_is_looked_up(engine: Engine) -> None:
    """After a create the sample is there and after a remove it is gone, unless a library makes both up."""
    library = shared_library(
        engine.folder / "libdarshan.so",
        "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <string.h>\n"
        "int mkdir(const char *path, unsigned mode) {"
        'int (*next)(const char *, unsigned) = (int (*)(const char *, unsigned))dlsym(RTLD_NEXT, "mkdir");'
        'return strstr(path, "/dir.mdtest") != 0 ? 0 : next(path, mode); }'
        "int rmdir(const char *path) {"
        'int (*next)(const char *) = (int (*)(const char *))dlsym(RTLD_NEXT, "rmdir");'
        'return strstr(path, "/dir.mdtest") != 0 ? 0 : next(path); }',
    )
    document = engine.folder / "out.json"
    arguments = ["mdtest", "-C", "-r", "-D", "-n", 40, "-d", engine.folder / "md", f"--json={document}"]
    for preload, there in (("", [32, 0]), (str(library), [0, 0])):
        done = engine.call(arguments, 2, {"LD_PRELOAD": preload})
        assert done.code == 0, done.err
        results = json.loads(document.read_text())["results"]
        items = [result for result in results if result["item"] == "directory"]
        assert [result["entries"]["sampled"] for result in items] == [32, 32]
        assert [result["entries"]["there"] for result in items] == there


@pytest.mark.parametrize("file", ["--saveRankPerformanceDetails=absent/ranks", "-x=absent/status"])
def test_a_file_that_cannot_be_opened_is_named(engine: Engine, file: str) -> None:
    done = engine.call(["mdtest", "-n", 3, "-F", "-T", file])
    assert done.code == 1
    assert file.split("=")[1] in done.complaints[0]
