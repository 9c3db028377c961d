"""A stonewall stops the ranks; with wear-out they all do what the quickest did."""

import pytest

from tests.engine.runs import Engine, argv, trace

XFER = 16 * 1024
# So far apart that a busy machine cannot make the quick rank the slow one.
SLOW = ["--null.delay-us=20000", "--null.slow-rank=1", "--null.slow-us=100000"]


def test_without_wear_out_each_rank_stops_where_it_stands(engine: Engine) -> None:
    done = engine.good("-a", "NULL", "-w", "-D", "0.4", "-t", "16k", "-b", "1g", *SLOW, ranks=2)
    result = done.result("write")
    wall = result["stonewall"]
    assert wall["hit"] is True
    assert wall["wear_out"] is False
    assert wall["time_s"] >= 0.4
    assert 0 < wall["pairs_min"] < wall["pairs_max"] < 65536
    assert result["moved_bytes"] == wall["moved_bytes"] == (wall["pairs_min"] + wall["pairs_max"]) * XFER
    assert result["requested_bytes"] == 2 << 30
    moved = result["rank_extremes"]["moved_bytes"]
    assert moved == {
        "min": wall["pairs_min"] * XFER,
        "min_rank": 1,
        "max": wall["pairs_max"] * XFER,
        "max_rank": 0,
    }
    assert "WARNING: Using actual aggregate bytes moved" in done.out


def test_with_wear_out_all_ranks_do_what_the_quickest_did(engine: Engine) -> None:
    arguments = ["-a", "NULL", "-w", "-D", "0.4", "-t", "16k", "-b", "1g", "-O", "stoneWallingWearOut=1"]
    result = engine.good(*arguments, *SLOW, ranks=2).result("write")
    wall = result["stonewall"]
    assert wall["hit"] is True
    assert wall["wear_out"] is True
    assert wall["pairs_min"] < wall["pairs_max"]
    assert wall["moved_bytes"] < result["moved_bytes"] == 2 * wall["pairs_max"] * XFER
    assert result["operations"] == 2 * wall["pairs_max"]
    assert result["io_s"] > wall["time_s"]


def test_a_stonewall_that_nobody_meets(engine: Engine) -> None:
    result = engine.good("-a", "NULL", "-w", "-D", "30", "-t", "16k", "-b", "1m").result("write")
    assert result["stonewall"]["hit"] is False
    assert result["moved_bytes"] == result["requested_bytes"] == 1 << 20


def test_collective_ranks_stop_together(engine: Engine) -> None:
    done = engine.good("-a", "NULL", "-c", "-w", "-D", "0.4", "-t", "16k", "-b", "1g", *SLOW, ranks=3)
    wall = done.result("write")["stonewall"]
    assert wall["hit"] is True
    assert wall["pairs_min"] == wall["pairs_max"]


def test_a_read_stops_where_the_write_of_the_same_data_stopped(engine: Engine) -> None:
    """Rank 0 reads what the slow rank 1 wrote, and the other way round: each reads as much as is there."""
    arguments = argv("-a NULL -w -r -D 0.4 -t 16k -b 1g -C -O numTasksOnNode0=1")
    engine.good(*arguments, *SLOW, "--null.trace", engine.folder / "trace", ranks=2)
    by_rank = trace(engine.folder, "trace", 2)
    writes = [{offset for word, offset, _ in ops if word == "write"} for ops in by_rank]
    reads = [{offset for word, offset, _ in ops if word == "read"} for ops in by_rank]
    assert reads[0] == writes[1]
    assert reads[1] <= writes[0]  # the slow reader may meet its own stonewall first


@pytest.mark.parametrize("arguments", [[], ["-C", "-O", "numTasksOnNode0=1"], ["-F"], ["-z"]], ids=" ".join)
def test_what_a_stonewall_left_is_right(engine: Engine, arguments: list[str]) -> None:
    requested = ["-w", "-W", "-r", "-R", "-l", "offset", "-D", "0.05", "-t", "16k", "-b", "64m", "-o", "data"]
    done = engine.good(*requested, *arguments, ranks=2)
    result = done.result("write")
    assert result["verify"]["checked_bytes"] == result["moved_bytes"] > 0
    assert result["verify"]["errors"] == done.result("read")["verify"]["errors"] == 0


def test_a_status_file_tells_the_next_run_how_much_was_written(engine: Engine) -> None:
    """As IO500 splits writes and reads into runs of their own."""
    shape = argv("-k -t 16k -b 1g -F -O stoneWallingStatusFile=status -G 5 -o data")
    written = engine.good("-w", "-D", "0.05", "-O", "stoneWallingWearOut=1", *shape, ranks=2).result("write")
    each = int((engine.folder / "status").read_text())
    assert each == written["stonewall"]["pairs_max"]
    read = engine.good("-r", "-R", "-C", *shape, ranks=2).result("read")
    assert read["operations"] == 2 * each
    assert (
        read["moved_bytes"] == read["requested_bytes"] == read["verify"]["checked_bytes"] == 2 * each * XFER
    )
    (engine.folder / "status").unlink()
    done = engine.failed("-r", *shape)
    assert "to learn what was written" in done.err
