"""--read-again: a read that ends before its stonewall begins again, from the storage and not from memory."""

import pytest

from tests.engine.runs import Engine, Fault, argv

AGAIN = ["--drop-caches", "--read-again", "-O", "stoneWallingWearOut=1"]
XFER = 64 * 1024


@pytest.mark.parametrize(
    "more", [[], ["-F"], ["-z"], ["-F", "-C"], ["-a", "MPIIO"], ["-a", "MPIIO", "-c"], ["-a", "URING"]]
)
def test_a_read_begins_again_until_its_stonewall(engine: Engine, more: list[str]) -> None:
    arguments = ["-w", "-r", "-R", "-D", "0.4", "-t", "64k", "-b", "4m", *AGAIN, *more]
    done = engine.good(*arguments, "-o", "data", ranks=2)
    write, read = done.result("write"), done.result("read")
    assert "passes" not in write["observed"]
    if read["observed"]["passes"]["rests_s"] > 4 * 0.4:
        pytest.skip("pages of this file system take so long to drop that the read ended before its stonewall")
    assert read["stonewall"]["hit"] is True
    assert 0.4 <= read["stonewall"]["time_s"] <= read["io_s"]
    passes, moved, once = read["observed"]["passes"]["count"], read["moved_bytes"], write["moved_bytes"]
    first = read["observed"]["passes"]
    assert first["first_bytes"] == once
    if passes == 1:
        assert first["first_s"] > 0.9 * 0.4, "one pass, and time for another"
        pytest.skip("the machine is so busy that one pass took until the stonewall")
    assert 0 < first["first_s"] < read["io_s"]
    assert (passes - 1) * once < moved <= passes * once
    assert read["operations"] == read["latency"]["count"] == moved // XFER
    assert read["verify"]["checked_bytes"] == moved == sum(read["timeline"]["moved_bytes"])
    assert read["file_bytes"] == write["file_bytes"]


def test_what_a_pass_left_in_memory_is_gone_before_the_next(engine: Engine) -> None:
    done = engine.good(
        "-w", "-r", "-e", "-g", "-D", "0.5", "-t", "1m", "-b", "32m", *AGAIN, "-o", "data", ranks=2
    )
    read = done.result("read")
    if read["observed"]["fetched_bytes"] is None:
        pytest.skip(f"{engine.folder} lies on {read['observed']['file_system']}, which is not counted")
    assert read["observed"]["passes"]["count"] > 1
    assert read["observed"]["residency"]["before"] < 0.1
    assert read["observed"]["fetched_bytes"] >= 0.9 * read["moved_bytes"]


def test_the_time_between_two_passes_is_not_that_of_the_read(engine: Engine, fault: Fault) -> None:
    """Each fsync of the preloaded library, which comes before pages are dropped, rests for 50 ms."""
    arguments = ["-w", "-r", "-g", "-D", "0.2", "-t", "64k", "-b", "64k", *AGAIN, "-o", "data"]
    read = engine.good(*arguments, ranks=2, environment=fault("rest", "data")).result("read")
    passes, rests_s = (read["observed"]["passes"][name] for name in ("count", "rests_s"))
    if read["stonewall"]["hit"]:
        pytest.skip("a pass takes so long that the stonewall came before the rests became too many")
    assert 1 < passes < 30
    assert rests_s > max(4 * 0.2, (passes - 1) * 0.05)
    assert read["total_s"] < rests_s
    assert read["rank_extremes"]["io_s"]["max"] <= read["io_s"] + 1e-6


@pytest.mark.parametrize("calls", [70, 200])
def test_a_pass_that_fails_on_one_rank_ends_the_read_on_all(engine: Engine, fault: Fault, calls: int) -> None:
    arguments = [*argv("-w -r -g -D 30 -t 64k -b 4m --no-residency -o data"), *AGAIN]
    done = engine.failed(*arguments, ranks=2, environment=fault("pread", "data", rank=1, after=calls))
    assert [(error["rank"], error["call"]) for error in done.document["errors"]] == [(1, "pread")]


@pytest.mark.row("`drop_caches` of cells")
def test_pages_that_cannot_be_dropped_end_the_read(engine: Engine, fault: Fault) -> None:
    arguments = ["-w", "-r", "-D", "30", "-t", "64k", "-b", "4m", *AGAIN, "-o", "data"]
    done = engine.failed(*arguments, ranks=2, environment=fault("fsync", "data", after=3))
    assert done.document["errors"][0]["call"] == "fsync"
    assert "to drop its pages" in done.document["errors"][0]["text"]
