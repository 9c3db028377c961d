"""Transfers on a schedule or with rests never begin early; what is late counts from its schedule."""

from pathlib import Path

import pytest

from tests.engine.runs import Engine

OPERATIONS = 32
SHAPE = ["-w", "-t", "4k", "-b", f"{4 * OPERATIONS}k"]


def test_what_a_slow_operation_delays_is_counted(engine: Engine) -> None:
    """Each takes 5 ms and one is due every millisecond: a closed loop would report 5 ms for all."""
    arguments = ["-a", "NULL", "--null.delay-us=5000", "--rate=1000", *SHAPE, "-o", "none"]
    write = engine.good(*arguments).result("write")
    assert write["service"]["count"] == write["latency"]["count"] == OPERATIONS
    assert write["service"]["min_us"] >= 5000
    assert write["latency"]["max_us"] >= 5000 + 4000 * (OPERATIONS - 1)
    assert write["latency"]["p50_us"] > write["service"]["p50_us"]


@pytest.mark.parametrize("api", ["NULL", "POSIX", "URING"])
def test_no_operation_begins_before_it_is_due(engine: Engine, tmp_path: Path, api: str) -> None:
    done = engine.good("-a", api, "--rate=500", *SHAPE, "-o", tmp_path / "data", ranks=2)
    write = done.result("write")
    assert write["io_s"] >= (2 * OPERATIONS - 1) / 500
    assert write["operations"] == write["service"]["count"] == 2 * OPERATIONS
    assert done.document["requested"]["rate"] == 500


def test_a_rest_lies_between_operations(engine: Engine) -> None:
    arguments = ["-a", "NULL", "-O", "interIODelay=1000", *SHAPE, "-o", "none"]
    write = engine.good(*arguments).result("write")
    assert write["io_s"] >= (OPERATIONS - 1) * 0.001
    assert "service" not in write
