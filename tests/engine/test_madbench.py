"""weir-io madbench: where each rank's part of each matrix lies, who moves when, and what is refused."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from tests.engine.runs import Done, Engine, Fault, argv, trace
from tests.engine.test_engine_document import assert_valid

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
ACCESSES = ["write", "update-read", "update-write", "read"]


@pytest.fixture
def mad(engine: Engine) -> Engine:
    return replace(engine, personality="madbench")


def good(
    mad: Engine, *arguments: object, ranks: int = 1, environment: Mapping[str, str] | None = None
) -> Done:
    done = mad.good(*arguments, ranks=ranks, environment=environment)
    assert_valid(done.document)
    return done


def mixed(word: int) -> int:
    word = ((word ^ word >> 30) * 0xBF58476D1CE4E5B9) & MASK
    word = ((word ^ word >> 27) * 0x94D049BB133111EB) & MASK
    return word ^ word >> 31


def stored(bytes_: int, version: int, seed: int = 0, unique_rank: int | None = None) -> bytes:
    """What a file without gaps holds after S (version 0) or W (1)."""
    key = mixed(seed << 1 | version) + (0 if unique_rank is None else unique_rank + 1 << 40)
    arguments = (mixed((key + index * GOLDEN) & MASK) for index in range(bytes_ // 8))
    return b"".join(word.to_bytes(8, "little") for word in arguments)


# 16 x 16 doubles are 2048 bytes, shared out to two ranks
SMALL = ["-p", "16", "-b", "4", "-o", "data", "--seed", "5"]


@pytest.mark.parametrize("arguments", [["-a", "POSIX"], ["-a", "MPIIO"], ["-a", "MPIIO", "-F"]])
def test_each_phase_leaves_its_own_bytes(mad: Engine, arguments: list[str]) -> None:
    """After S and after all phases; two iterations, synchronised, and all that is read compared."""
    unique = "-F" in arguments
    good(mad, *arguments, *SMALL, "--phases", "S", ranks=2)
    files = [mad.folder / name for name in (("data-0", "data-1") if unique else ("data",))]
    size = 4 * 2048 // len(files)
    for rank, file in enumerate(files):
        assert file.read_bytes() == stored(size, 0, 5, rank if unique else None)
    done = good(mad, *arguments, *SMALL, "-i", "2", "-e", "--verify", "-t", "512", ranks=2)
    for rank, file in enumerate(files):
        assert file.read_bytes() == stored(size, 1, 5, rank if unique else None)
    assert [(r["access"], r["phase"], r["iteration"]) for r in done.document["results"]] == [
        (access, phase, i) for i in range(2) for access, phase in zip(ACCESSES, "SWWC", strict=True)
    ]
    for result in done.document["results"]:
        assert result["moved_bytes"] == result["requested_bytes"] == result["file_bytes"] == 8192
        assert result["operations"] == result["latency"]["count"] == 16
        assert result["total_s"] >= result["io_s"]
        assert result["bw_mib_s"] * result["total_s"] * 2**20 == pytest.approx(8192)
        writes = result["access"] in ("write", "update-write")
        if not writes:  # what the kernel counted is that of the phase
            assert result["observed"]["process_io"]["rchar"] >= 8192
        assert result["observed"]["sync_calls"] == (2 if writes else 0)
        assert result["verify"] == (
            None if writes else {"checked_bytes": 8192, "errors": 0, "first_error": None}
        )


def traced(mad: Engine, *arguments: object, ranks: int) -> list[list[tuple[str, int, int]]]:
    stem = mad.folder / "trace"
    good(mad, "-a", "NULL", *arguments, f"--null.trace={stem}", ranks=ranks)
    return trace(mad.folder, "trace", ranks)


def test_ior_does_what_s_and_c_do(engine: Engine, mad: Engine) -> None:
    """With the same call, the part as block and the matrices as segments."""
    ours = traced(mad, "-p", "16", "-b", "4", "--phases", "SC", "-t", "256", ranks=2)
    stem = engine.folder / "ior"
    arguments = ["-a", "NULL", "-w", "-r", "-t", "256", "-b", "1024", "-s", "4", f"--null.trace={stem}"]
    engine.good(*arguments, ranks=2)
    assert trace(engine.folder, "ior", 2) == ours


def test_places_of_parts_in_file_blocks(mad: Engine) -> None:
    """Parts of 1024 bytes start at multiples of 4096; W reads a matrix and writes it where it was."""
    lists = traced(mad, "-p", "16", "-b", "2", "--block", "4k", ranks=2)
    for rank, operations in enumerate(lists):
        first, second = 4096 * rank, 4096 * (2 + rank)
        assert operations == [
            ("write", first, 1024),
            ("write", second, 1024),
            ("read", first, 1024),
            ("write", first, 1024),
            ("read", second, 1024),
            ("write", second, 1024),
            ("read", first, 1024),
            ("read", second, 1024),
        ]


def test_gangs_take_whole_matrices(mad: Engine) -> None:
    """Two gangs of two: a round reads two matrices in quarters; each gang writes and reads one in halves."""
    lists = traced(mad, "-p", "16", "-b", "4", "-g", "2", "--rmod", "2", "--wmod", "4", ranks=4)
    part, matrix = 512, 2048
    for rank, operations in enumerate(lists):
        gang, member = divmod(rank, 2)
        expected = [("write", bin_ * matrix + rank * part, part) for bin_ in range(4)]
        own = [(2 * round_ + gang) * matrix + member * 2 * part for round_ in range(2)]
        for round_ in range(2):
            expected += [("read", (2 * round_ + i) * matrix + rank * part, part) for i in range(2)]
            expected.append(("write", own[round_], 2 * part))
        assert operations == expected + [("read", offset, 2 * part) for offset in own]


@pytest.mark.parametrize("arguments", [[], ["-F"], ["-a", "MPIIO"]])
def test_gangs_read_what_they_wrote(mad: Engine, arguments: list[str]) -> None:
    good(mad, *arguments, "-p", 32, "-b", 4, "-g", 2, "--rmod", 4, "--block", "4k", "--verify", ranks=4)


ORIGINAL = ["64", "4", "1", "32", "1", "1", "1"]


def test_the_original_command_line(mad: Engine) -> None:
    environment = {"IOMETHOD": "MPI", "FILETYPE": "SHARED", "IOMODE": "SYNC", "BWEXP": "1", "REMAP": "CUSTOM"}
    done = good(mad, *ORIGINAL, "-o", "data", environment=environment)
    requested = done.document["requested"]
    assert (requested["api"], requested["layout"], requested["busy"]) == ("MPIIO", "shared", 1)
    assert (requested["pixels"], requested["bins"], requested["xfer_bytes"]) == (64, 4, 32768)
    assert done.result("write")["busy_s"] > 0
    assert (mad.folder / "data").stat().st_size == 4 * 32768
    refused = mad.call(["madbench", *ORIGINAL], environment={"IOMODE": "ASYNC"})
    assert (refused.code, len(refused.complaints)) == (2, 1)
    assert "IOMODE=ASYNC" in refused.complaints[0]


def test_data_that_differ_fail(mad: Engine, fault: Fault) -> None:
    """Each read of W has a wrong bit: that is told, and C is not run."""
    done = mad.failed(*SMALL, "--verify", environment=fault("flip", "data"))
    assert [result["access"] for result in done.document["results"]] == ACCESSES[:3]
    verify = done.result("update-read")["verify"]
    assert (verify["checked_bytes"], verify["errors"], verify["first_error"]["offset"]) == (8192, 4, 0)
    assert "4 numbers of 8 bytes in phase W, the first at offset 0" in done.complaints[0]


@pytest.mark.parametrize("arguments", [["--null.eio-at=3"], ["--null.eio-at=6"]])
def test_a_rank_that_fails_lets_the_others_move(mad: Engine, arguments: list[str]) -> None:
    """Ranks that wait for their turn, or for their gang, come to the end."""
    requested = argv("-a NULL -p 16 -b 4 -g 2 --rmod 2 --wmod 2 --null.fault-rank=0")
    done = mad.failed(*requested, *arguments, ranks=2)
    assert len(done.complaints) == 1
    assert "rank 0: null" in done.complaints[0].lower() or "Input/output error" in done.complaints[0]
    finished = [result["access"] for result in done.document["results"]]
    assert finished == ([] if "=3" in arguments[0] else ["write"])


@pytest.mark.parametrize("arguments", [[], ["-a", "MPIIO"]])
def test_a_full_file_system(mad: Engine, small_space: Path, arguments: list[str]) -> None:
    done = mad.run(*arguments, "-p", 1000, "-b", 12, "-o", small_space / "data", ranks=2)
    assert (done.code, done.document["status"], done.document["results"]) == (1, "failed", [])
    assert "No space left on device" in done.complaints[0]


def test_memory_errors_are_looked_for(sanitized: Engine) -> None:
    arguments = ["-p", 32, "-b", 4, "-g", 2, "--block", "4k", "-t", "1k", "-e", "--verify", "--drop-caches"]
    mad = replace(sanitized, personality="madbench")
    good(mad, *arguments, "-i", 2, "--busy", 1, ranks=2)
    assert mad.run("-p", 32, "--drop-caches", "-o", "absent/data").code == 1


def test_ranks_that_cannot_share_a_matrix_are_told_what_to_try(mad: Engine) -> None:
    done = mad.call(["madbench", "-p", "15"], ranks=2)
    assert (done.code, len(done.complaints)) == (2, 1)
    assert "try -p 16" in done.complaints[0]
