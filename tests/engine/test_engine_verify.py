"""-W and -R find what differs, count it and say where it is."""

from pathlib import Path

import pytest

from tests.engine.runs import Engine

SHAPE = ["-b", "64k", "-t", "8k", "-o", "data"]
TWICE = ["-s", 2]


def flip(file: Path, offset: int) -> None:
    with file.open("r+b") as stream:
        stream.seek(offset)
        byte = stream.read(1)[0]
        stream.seek(offset)
        stream.write(bytes([byte ^ 16]))


@pytest.mark.parametrize("api", ["POSIX", "MPIIO"])
def test_a_flipped_byte_is_found(engine: Engine, api: str) -> None:
    engine.good("-a", api, "-w", "-W", "-k", "-G", 9, *SHAPE, *TWICE)
    engine.good("-a", api, "-r", "-R", "-k", "-G", 9, *SHAPE, *TWICE)
    flip(engine.folder / "data", 70_003)
    done = engine.failed("-a", api, "-r", "-R", "-k", "-G", 9, *SHAPE, *TWICE)
    verify = done.result("read")["verify"]
    assert verify["checked_bytes"] == 131072
    assert verify["errors"] == 1
    first = verify["first_error"]
    assert (first["rank"], first["path"], first["offset"]) == (0, "data", 70_000)
    difference = int(first["expected"], 16) ^ int(first["found"], 16)
    assert difference == 16 << 8 * (70_003 % 8)
    assert done.document["status"] == "failed"
    assert done.document["errors"][0]["call"] == "verify"
    assert "offset 70000" in done.complaints[0]
    assert "WARNING: Incorrect data on read (1 errors found)." in done.out


def test_the_rank_that_reads_the_flipped_byte_is_named(engine: Engine) -> None:
    engine.good("-w", "-k", "-F", "-G", 9, *SHAPE, ranks=2)
    flip(engine.folder / "data.00000001", 8)
    flip(engine.folder / "data.00000001", 16)
    done = engine.failed("-r", "-R", "-F", "-G", 9, *SHAPE, ranks=2)
    verify = done.result("read")["verify"]
    assert verify["errors"] == 2
    assert verify["first_error"]["rank"] == 1
    assert verify["first_error"]["path"] == "data.00000001"
    shifted = engine.run("-r", "-R", "-F", "-C", "-O", "numTasksOnNode0=1", "-G", 9, *SHAPE, ranks=2)
    assert shifted.result("read")["verify"]["first_error"]["rank"] == 0


def test_another_signature_differs_everywhere(engine: Engine) -> None:
    engine.good("-w", "-k", "-G", 9, *SHAPE)
    done = engine.failed("-r", "-R", "-G", 10, *SHAPE)
    assert done.result("read")["verify"]["errors"] == 65536 // 8


def test_a_piece_in_the_wrong_place_is_found_by_offset_data(engine: Engine) -> None:
    engine.good("-w", "-k", "-G", 9, "-l", "offset", *SHAPE)
    data = engine.folder / "data"
    content = data.read_bytes()
    data.write_bytes(content[8192:16384] + content[:8192] + content[16384:])
    done = engine.failed("-r", "-R", "-G", 9, "-l", "offset", *SHAPE)
    assert done.result("read")["verify"]["errors"] > 0


@pytest.mark.parametrize("data", ["timestamp", "offset", "incompressible", "random"])
@pytest.mark.parametrize("arguments", [[], ["-F"], ["-z"], ["-C", "-O", "numTasksOnNode0=1"]], ids=" ".join)
def test_every_kind_of_data_compares_equal(engine: Engine, data: str, arguments: list[str]) -> None:
    done = engine.good("-w", "-W", "-r", "-R", "-i", 2, "-l", data, *arguments, *SHAPE, ranks=2)
    for iteration in range(2):
        for access in ("write", "read"):
            verify = done.result(access, iteration)["verify"]
            assert verify == {"checked_bytes": 131072, "errors": 0, "first_error": None}
