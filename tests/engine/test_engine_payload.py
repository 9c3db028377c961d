"""What the bytes are: as reducible as requested; and the document reports how reducible that is."""

import zlib
from pathlib import Path

import pytest

from tests.engine.runs import Engine

BLOCK = 4096
FILE = ["-w", "-k", "-t", "1m", "-b", "8m"]


def shares(file: Path) -> tuple[float, float]:
    """Of a whole file: bytes that zlib leaves, and distinct blocks."""
    data = file.read_bytes()
    blocks = [data[i : i + BLOCK] for i in range(0, len(data), BLOCK)]
    return len(zlib.compress(data, 1)) / len(data), len(set(blocks)) / len(blocks)


@pytest.mark.parametrize(
    ("arguments", "compressed", "unique"),
    [
        (["-l", "random"], 1.0, 1.0),
        (["-l", "controlled"], 1.0, 1.0),
        (["-l", "c", "--buffer-compress-percentage=60"], 0.4, 1.0),
        (["-l", "c", "--dedupe-percentage=40"], 1.0, 0.6),
    ],
)
def test_the_data_is_as_reducible_as_requested_and_the_sample_says_so(
    engine: Engine, tmp_path: Path, arguments: list[str], compressed: float, unique: float
) -> None:
    done = engine.good(*FILE, *arguments, "-o", tmp_path / "f")
    sample = done.result("write")["observed"]["payload"]
    by_zlib, by_blocks = shares(tmp_path / "f")
    if unique == 1.0:
        assert by_zlib == pytest.approx(compressed, abs=0.02)
        assert sample["compressed_share"] == pytest.approx(compressed, abs=0.02)
    assert by_blocks == pytest.approx(unique, abs=0.05)
    assert sample["unique_share"] == pytest.approx(unique, abs=0.05)
    assert sample["sampled_bytes"] >= 4 << 20


@pytest.mark.parametrize("word", ["timestamp", "incompressible"])
def test_data_of_ior_that_is_reducible_is_found_to_be(engine: Engine, tmp_path: Path, word: str) -> None:
    done = engine.good(*FILE, "-l", word, "-o", tmp_path / "f")
    sample = done.result("write")["observed"]["payload"]
    assert sample["compressed_share"] < 0.5
    assert sample["unique_share"] < 0.6


def test_equal_blocks_of_different_ranks_are_found(engine: Engine, tmp_path: Path) -> None:
    arguments = [*FILE, "-l", "c", "--dedupe-percentage=100", "-o", tmp_path / "f"]
    sample = engine.good(*arguments, ranks=2).result("write")["observed"]["payload"]
    assert sample["unique_share"] * sample["sampled_bytes"] / BLOCK == pytest.approx(1)


def test_a_rank_without_random_offsets_takes_part(engine: Engine, tmp_path: Path) -> None:
    """With this seed all four offsets of the shared file belong to one rank; the other one did not sample."""
    shape = ["-a", "POSIX", "-t", "16k", "-b", "32k", "-w", "-r", "-z", "--random-offset-seed=7"]
    done = engine.good(*shape, "-o", tmp_path / "f", ranks=2)
    assert done.result("read")["bw_mib_s"] > 0


def test_controlled_data_is_verified(engine: Engine, tmp_path: Path) -> None:
    arguments = ["-w", "-r", "-R", "-W", "-l", "controlled", "-t", "4k", "-b", "64k", "-s", "3", "-z"]
    done = engine.good(*arguments, "-o", tmp_path / "f", ranks=2)
    assert done.result("read")["verify"]["errors"] == 0
