"""Reads and writes in one phase, and hot spots: what is drawn, what is moved and what is compared."""

import math
from collections import Counter
from pathlib import Path

import pytest

from tests.engine.runs import Engine
from weir.commands.trace import read_trace

BOTH = pytest.mark.parametrize("api", ["POSIX", "URING"])
SHAPE = ["-t", "4k", "-b", "4m", "-G", "7", "-l", "random", "--random-offset-seed=3"]
TRANSFERS = 1024


@BOTH
@pytest.mark.parametrize("order", [["-z"], ["--zipf=1.2", "-F"]], ids=" ".join)
def test_both_accesses_share_one_phase(engine: Engine, tmp_path: Path, api: str, order: list[str]) -> None:
    arguments = ["-a", api, "--rw-mix=70", "-R", *SHAPE, *order, "-o", tmp_path / "data"]
    done = engine.good(*arguments, ranks=2)
    write, read = done.result("write"), done.result("read")
    assert write["operations"] + read["operations"] == 2 * TRANSFERS
    assert 0.65 < read["operations"] / (2 * TRANSFERS) < 0.75
    for result in (write, read):
        assert result["latency"]["count"] == result["operations"]
        assert result["moved_bytes"] == result["requested_bytes"] == 4096 * result["operations"]
        assert sum(result["timeline"]["moved_bytes"]) == result["moved_bytes"]
    assert write["io_s"] == read["io_s"]
    assert read["verify"] == {"checked_bytes": read["moved_bytes"], "errors": 0, "first_error": None}
    assert done.document["requested"]["rw_mix"] == 70
    assert not list(tmp_path.glob("data*"))


@BOTH
def test_a_mix_of_an_existing_file_finds_what_is_wrong_in_it(
    engine: Engine, tmp_path: Path, api: str
) -> None:
    data = tmp_path / "data"
    engine.good("-a", "POSIX", "-w", "-k", *SHAPE, "-o", data)
    data.write_bytes(bytes(data.stat().st_size))
    done = engine.failed("-a", api, "-E", "-k", "--rw-mix=50", "-R", *SHAPE, "-o", data)
    assert done.result("read")["verify"]["errors"] > 0


def test_a_few_offsets_are_hot(engine: Engine, tmp_path: Path) -> None:
    """By the law of Zipf, with exponent 1.2 over 1024 offsets, the hottest has 0.225 of all accesses."""
    trace = tmp_path / "trace"
    engine.good("-w", "-k", "--zipf=1.2", *SHAPE, "-s", "8", "-o", tmp_path / "data", "--trace", trace)
    (phase,) = read_trace(Path(f"{trace}.0"))
    count = 8 * TRANSFERS
    assert len(phase.records) == count
    counts = [times for _, times in Counter(record.offset for record in phase.records).most_common()]
    weights = [number**-1.2 for number in range(1, count + 1)]
    for hottest in (1, 10, 100):
        expected = sum(weights[:hottest]) / sum(weights)
        assert sum(counts[:hottest]) / count == pytest.approx(expected, abs=0.03)


def test_blocks_are_drawn_from_the_whole_file(engine: Engine, tmp_path: Path) -> None:
    """With replacement, a share of 1 - 1/e is met; the others are there, too. A read draws anew."""
    trace, data = tmp_path / "trace", tmp_path / "data"
    shape = ("-t", "4k", "-b", "8k", "-s", "500", "-z", "-z", "--random-offset-seed=1")
    done = engine.good("-w", "-r", "-k", "-F", *shape, "-o", data, "--trace", trace)
    write, read = read_trace(Path(f"{trace}.0"))
    drawn = [{record.offset for record in phase.records} for phase in (write, read)]
    for phase, offsets in zip((write, read), drawn, strict=True):
        assert len(phase.records) == 1000
        assert len(offsets) / 1000 == pytest.approx(1 - 1 / math.e, abs=0.05)
        assert phase.records[1].offset == phase.records[0].offset + 4096  # a block is moved in order
        assert max(offsets) > 450 * 8192
    assert drawn[0] != drawn[1]
    (file,) = tmp_path.glob("data*")
    assert file.stat().st_size == 500 * 8192
    assert b"\0" * 4096 not in file.read_bytes()
    assert done.document["requested"]["random_twice"] is True
