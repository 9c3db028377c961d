"""weir-io io-model: which bytes go where, what is told of each operation, and what is refused."""

import csv
import ctypes
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.engine.runs import Done, Engine, argv
from tests.engine.test_engine_document import assert_valid

MASK = 2**64 - 1


@pytest.fixture
def model(engine: Engine) -> Engine:
    return replace(engine, personality="io-model")


def good(model: Engine, *arguments: object, ranks: int = 1) -> Done:
    done = model.good(*arguments, ranks=ranks)
    assert_valid(done.document)
    return done


def stream(count: int, seed: int = 0, rank: int = 0) -> bytes:
    """The first bytes of what a rank's file holds."""

    def arguments() -> Iterator[bytes]:
        for index in range((count + 7) // 8):
            word = ((seed << 32 | rank) + index * 0x9E3779B97F4A7C15) & MASK
            word = ((word ^ word >> 30) * 0xBF58476D1CE4E5B9) & MASK
            word = ((word ^ word >> 27) * 0x94D049BB133111EB) & MASK
            yield (word ^ word >> 31).to_bytes(8, "little")

    return b"".join(arguments())[:count]


def operations(path: Path) -> list[dict[str, int]]:
    with path.open() as file:
        return [{name: int(value) for name, value in row.items()} for row in csv.DictReader(file)]


ANYWHERE = ["-w", "-f", "rnd", "-n", "300", "-t", "100", "-b", "5000", "-o", "data", "--times", "ops"]


def test_each_rank_writes_its_own_file_in_the_order_that_is_told(model: Engine) -> None:
    """Replaying the told offsets, from memory to file, gives the file; ranks differ."""
    arguments = [*ANYWHERE, "-m", "stride40", "-M", "3000", "--seed", "3", "--truncate", "-e"]
    done = good(model, *arguments, ranks=2)
    told = []
    for rank in range(2):
        memory = stream(3000, seed=3, rank=rank)
        told.append(operations(model.folder / f"ops-write-0-{rank}.csv"))
        file = bytearray(max(one["offset"] for one in told[rank]) + 100)
        for one in told[rank]:
            piece = memory[one["memory"] : one["memory"] + 100]
            file[one["offset"] : one["offset"] + 100] = piece
        assert (model.folder / f"data-{rank}").read_bytes() == file
        assert [one["memory"] for one in told[rank]][:4] == [0, 140, 280, 420]
        starts = [one["start_ns"] for one in told[rank]]
        assert starts[0] == 0
        assert starts == sorted(starts)
    assert [one["offset"] for one in told[0]] != [one["offset"] for one in told[1]]
    result = done.result("write")
    assert result["operations"] == result["latency"]["count"] == 600
    assert result["moved_bytes"] == result["requested_bytes"] == 60000
    assert result["observed"]["sync_calls"] == 2
    slowest_ns = max(one["duration_ns"] for rank in told for one in rank)
    assert result["latency"]["max_us"] * 1000 == pytest.approx(slowest_ns, abs=1)


@pytest.mark.parametrize("arguments", [["-a", "POSIX"], ["-a", "MPIIO"]])
def test_verified_bytes_are_those_of_the_place(model: Engine, arguments: list[str]) -> None:
    """Overlapping random writes leave the same bytes; an overwritten file stays whole."""
    done = good(model, *arguments, *ANYWHERE, "-r", "--verify", "--prefill", "-i", 2)
    assert (model.folder / "data-0").read_bytes() == stream(5000)
    for iteration in range(2):
        for access in ("write", "read"):
            verify = done.result(access, iteration)["verify"]
            assert (verify["checked_bytes"], verify["errors"]) == (30000, 0)
    first, second = (operations(model.folder / f"ops-read-{i}-0.csv") for i in range(2))
    assert [one["offset"] for one in first] != [one["offset"] for one in second]


def test_a_byte_that_differs_fails(model: Engine) -> None:
    whole = bytearray(stream(4096))
    whole[1001] ^= 1
    (model.folder / "data-0").write_bytes(whole)
    done = model.failed("-r", "-n", 64, "-t", 64, "-o", "data", "--verify")
    assert done.document["errors"][0]["call"] == "verify"
    verify = done.result("read")["verify"]
    assert (verify["errors"], verify["first_error"]["offset"]) == (1, 1000)


def test_cache_modes_are_proven(model: Engine) -> None:
    """By mincore: nothing of the file is in memory, or all of it, when the access begins."""
    arguments = ["-r", "-n", 64, "-t", "4k", "-f", "rnd", "-o", "data"]
    assert good(model, *arguments, "--prefill", "-c", "cached").result("read")["resident_bytes"] == 64 * 4096
    uncached = model.run(*arguments, "-c", "uncached")
    if uncached.code == 1 and "cannot be seen" in uncached.err:
        pytest.skip("the test folder is on a file system in memory, which has no other place for a file")
    assert uncached.result("read")["resident_bytes"] <= 64 * 4096 // 10
    discarded = good(model, "-w", "-r", "-n", 64, "-c", "discarded")
    assert discarded.result("read")["moved_bytes"] == 64 * 4096
    assert not (model.folder / "io-model.dat-0").exists()


def test_memory_has_nothing_to_drop(model: Engine, small_space: Path) -> None:
    done = model.run("-r", "--prefill", "-o", small_space / "data", "-c", "uncached")
    assert (done.code, done.document["results"]) == (1, [])
    assert "the page cache cannot be seen" in done.complaints[0]


def test_counters_are_sampled_on_each_rank(model: Engine) -> None:
    """Before and after at least; the node's own by its first rank; the sums in llite's lines."""
    stats = model.folder / "stats"
    stats.write_text(
        "snapshot_time 1.5 secs.usecs\nread_bytes 3 samples [bytes] 1 9 21\nopen 2 samples [regs]\n"
    )
    arguments = ["-w", "-n", 50, "-t", "1k", "-o", "data", "--samples", "seen", "--counters", stats]
    good(model, *arguments, ranks=2)
    first, second = (list(csv.DictReader((model.folder / f"seen-{rank}.csv").open())) for rank in range(2))
    assert {row["access"] for row in (*first, *second)} == {"write"}
    for rows in (first, second):
        assert int(rows[-1]["self_syscw"]) - int(rows[0]["self_syscw"]) >= 50
    assert (first[0]["stats_read_bytes"], first[0]["stats_read_bytes_sum"]) == ("3", "21")
    assert first[0]["stats_open"] == "2"
    assert int(first[0]["meminfo_Cached"]) > 0
    assert not any(name.startswith(("stats", "meminfo")) for name in second[0])


def test_the_original_command_line(model: Engine) -> None:
    """MaxRepeats is the most it does; files of times and counters have their old places."""
    device = next(Path("/sys/block").iterdir()).name
    arguments = ["data", 1, 2, 500, 1, 65536, "rnd", "seq", 0, 1, 0, "W", 3, 0, device]
    done = good(model, *arguments)
    assert done.result("write")["operations"] == 32
    assert done.document["requested"]["sync"] is True
    assert len(operations(model.folder / "out-write-0-0.csv")) == 32
    assert "blockdev_write_ios" in (model.folder / "stats-0.csv").read_text()
    arguments = ["data", 1, 2, 500, 0, 65536, "rnd", "rnd1048576", 0, 1, 0, "R", 3, 0]
    assert good(model, *arguments).result("read")["operations"] == 500


def test_rnd_of_the_original_command_line_is_the_original_s(model: Engine) -> None:
    """rand() from srand(SEED), for memory once before and then for memory and file in turns."""
    libc = ctypes.CDLL(None)
    arguments = ["data", 1, 2, 40, 0, 4096, "rnd", "rnd", 0, 1, 1, "R", 3, 0]
    good(model, *arguments, ranks=2)
    libc.srand(3)
    libc.rand()
    expected = [(libc.rand() * 128 % (2**20 - 4096), libc.rand() * 10 % (2**21 - 4096)) for _ in range(40)]
    for rank in range(2):
        told = operations(model.folder / f"out-read-0-{rank}.csv")
        assert [(one["memory"], one["offset"]) for one in told] == expected


ORIGINAL = ["data", "64", "256", "200", "0", "65536", "seq", "seq", "0", "1", "0", "R", "3", "0"]


@pytest.mark.parametrize(
    ("arguments", "phrase"),
    [
        (["-r", "-o", "absent"], "No such file or directory, there is no file to read; --prefill"),
        (["-r", "-o", "short"], "100 of the 4096000 bytes to read within"),
        (["-r", "-o", "holes"], "the first at byte 0"),
        (["-w", "-o", "absent/data"], 'open("absent/data-1") failed'),
    ],
)
def test_a_file_that_cannot_be_measured(model: Engine, arguments: list[str], phrase: str) -> None:
    """What the original measured, or ended by an abort: a missing file, a short one, a missing directory."""
    for rank in range(2):
        (model.folder / f"short-{rank}").write_bytes(bytes(100))
        with (model.folder / f"holes-{rank}").open("wb") as file:
            file.truncate(5000000)
    done = model.run(*arguments, ranks=2)
    assert (done.code, done.document["results"]) == (1, [])
    assert len(done.complaints) == 1, (done.out, done.err)
    assert phrase.replace("-1", "-0") in done.complaints[0]
    assert done.complaints[0].endswith("(and the same on 1 other rank)")


def test_a_full_file_system(model: Engine, small_space: Path) -> None:
    done = model.run("-w", "-n", 100, "-t", "1m", "-f", "reverse", "-o", small_space / "data")
    assert (done.code, done.document["status"], done.document["results"]) == (1, "failed", [])
    assert "No space left on device" in done.complaints[0]


def test_memory_errors_are_looked_for(sanitized: Engine) -> None:
    model = replace(sanitized, personality="io-model")
    good(model, *ANYWHERE, *argv("-r -m rnd7 --verify --prefill --samples seen"))
    good(model, *ORIGINAL[:10], "1", *ORIGINAL[11:])
