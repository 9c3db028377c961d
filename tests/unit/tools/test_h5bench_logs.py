"""What earlier and later releases of h5bench printed."""

from pathlib import Path

import pytest

from tests.unit.imported import rows_of, run_of
from weir.collect.importing import runs_in

EARLY_H5BENCH = """\
Collective metadata operations: NO.
Collective buffering for data operations: NO.
 Performance measured with 4 ranks,
==================  Performance results  =================
Total emulated compute time 4 ms
Total write size = 8 GB
Raw write time = 16.000 sec
Observed completion time = 36.000 sec
Sync Raw write rate = 0.500 GB/sec
Sync Observed write rate = 0.250 GB/sec
===========================================================
"""


def test_h5bench_as_it_printed_at_first() -> None:
    """Its completion time has the computing in it, its rate has not."""
    ((tool, parsed),) = runs_in(EARLY_H5BENCH)
    (row,) = parsed.rows
    assert (tool, row["access"], row["moved_bytes"], row["collective"]) == ("h5bench", "write", 2**33, False)
    assert (row["bw_mib_s"], row["io_s"], row["total_s"], row["observed"]["tasks"]) == (256, 16, None, 4)


def test_h5bench_before_it_named_its_mode() -> None:
    assert run_of(EARLY_H5BENCH.replace("Sync ", "")).rows[0]["bw_mib_s"] == 256


def test_sizes_of_h5bench_in_terabytes_are_no_contradiction(tmp_path: Path) -> None:
    """Three digits behind the point of size and rate: records were INVALID, bandwidth-not-bytes-over-time."""
    log = """\
=================== Performance Results ==================
Total number of ranks: 800
Total read size: 1.953 TB
Raw read time: 1.308 s
Observed read completion time: 1.431 s
SYNC Raw read rate: 1.493 TB/s
SYNC Observed read rate: 1.364 TB/s
"""
    (row,) = rows_of(tmp_path, log)
    assert (row["verdict"], row["moved_bytes"]) == ("UNPROVEN", pytest.approx(1.953 * 2**40, rel=0.0003))


@pytest.mark.parametrize(
    "log",
    [
        """\
=================== Performance Results ==================
Total number of ranks: 16
Total emulated compute time: 4.000 s
Total write size: 1.849 GB
Raw write time: 17.949 s
Observed completion time: 25.639 s
SYNC Observed write rate: 87.519 MB/s
""",
        """\
metric, value, unit
operation, write,
ranks, 16,
total compute time, 4.000, seconds
total size, 1.849, GB
raw time, 17.949, seconds
observed rate, 87.519, MB/s
observed time, 25.639, seconds
""",
    ],
    ids=["text", "csv"],
)
def test_the_time_of_h5bench_is_without_its_computing(tmp_path: Path, log: str) -> None:
    """As its rate is: records were INVALID, bandwidth-not-bytes-over-time."""
    (row,) = rows_of(tmp_path, log)
    assert (row["verdict"], row["total_s"]) == ("UNPROVEN", pytest.approx(21.639))


@pytest.mark.parametrize(
    "log",
    [
        """\
=================  Performance results  =================
Total emulated compute time = 4000 ms
Total modify size = 24 MB
Raw modify time = 0.008 sec
Observed modify completion time = 4.026 sec
Sync Observed modify rate = 915.646118 MB/sec
""",
        """\
=================== Performance Results ==================
Total number of ranks: 2
Total emulated compute time: 4.000 s
Total modify size: 24.000 MB
Raw modify time: 0.008 s
Observed modify completion time: 4.026 s
SYNC Observed modify rate: 915.646 MB/s
""",
        """\
metric, value, unit
operation, overwrite,
ranks, 2,
total compute time, 4.000, seconds
total size, 24.000, MB
raw time, 0.008, seconds
observed rate, 915.646, MB/s
observed time, 4.026, seconds
""",
    ],
    ids=["early", "text", "csv"],
)
def test_what_h5bench_appends_and_overwrites_is_written(tmp_path: Path, log: str) -> None:
    """Logs of h5bench_append and h5bench_overwrite were refused."""
    (row,) = rows_of(tmp_path, log)
    assert (row["access"], row["moved_bytes"], row["io_s"]) == ("write", 24 * 2**20, 0.008)
    assert row["bw_mib_s"] == pytest.approx(915.646, abs=0.001)
    assert row["experiment"] in ("modify", "overwrite")
