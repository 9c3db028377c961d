"""What the probe sees beside the clock: bytes over time, where a read came from, Lustre's counters."""

import math
import os
import re
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import beside
from tests.engine.runs import Done, Engine
from tests.workflow.processes import until

SHAPE = ["-w", "-r", "-t", "64k", "-b", "4m", "-e", "-g"]
BYTES = 2 * 4 * 2**20

MOUNT = "work-ffff880012345678"


def observed(done: Done, access: str) -> dict[str, Any]:
    seen: dict[str, Any] = done.result(access)["observed"]
    return seen


@pytest.mark.parametrize("layout", [[], ["-F", "-C"]], ids=["shared", "file per process"])
def test_a_read_after_dropped_caches_comes_from_the_device(engine: Engine, layout: list[str]) -> None:
    arguments = [*SHAPE, *layout, "-o", "data"]
    kept = engine.good(*arguments, ranks=2)
    if observed(kept, "write")["fetched_bytes"] is None:
        pytest.skip(f"{engine.folder} lies on {observed(kept, 'write')['file_system']}, which is not counted")
    assert kept.document["requested"]["drop_caches"] is False
    assert observed(kept, "write")["dirtied_bytes"] >= BYTES
    assert observed(kept, "write")["residency"] is None
    assert observed(kept, "read")["fetched_bytes"] < BYTES / 10
    assert observed(kept, "read")["residency"]["before"] > 0.9
    dropped = engine.good(*arguments, "--drop-caches", ranks=2)
    assert dropped.document["requested"]["drop_caches"] is True
    assert observed(dropped, "read")["fetched_bytes"] >= BYTES
    assert observed(dropped, "read")["residency"]["before"] < 0.1
    assert observed(dropped, "read")["residency"]["after"] > 0.9
    assert observed(dropped, "read")["process_io"]["rchar"] >= BYTES
    for access in ("write", "read"):
        timeline = dropped.result(access)["timeline"]
        assert sum(timeline["moved_bytes"]) == BYTES
        assert 100 * timeline["bucket_s"] == pytest.approx(dropped.result(access)["io_s"])


def test_memory_tells_nothing_about_fetching(engine: Engine) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        done = engine.good(*SHAPE, "--drop-caches", "-o", Path(folder) / "data")
    if observed(done, "read")["file_system"] != "tmpfs":
        pytest.skip("/dev/shm is no tmpfs here")
    for access in ("write", "read"):
        assert observed(done, access)["fetched_bytes"] is None
        assert observed(done, access)["dirtied_bytes"] is None
        assert observed(done, access)["residency"] is None
        assert observed(done, access)["lustre"] is None


def test_the_timeline_shows_a_rest(engine: Engine) -> None:
    """A synchronisation of at least 50 ms after transfers of 8 x 1 ms: its hundredths move nothing."""
    arguments = ["-a", "NULL", "-w", "-e", "-t", "8k", "-b", "64k", "--null.delay-us=1000", "-o", "none"]
    result = engine.good(*arguments, "--null.step-delay-us=50000").result("write")
    moved = result["timeline"]["moved_bytes"]
    assert sum(moved) == 65536
    assert moved[0] > 0
    rest = 1 + math.ceil(100 * (1 - result["sync_s"] / result["io_s"]))
    assert moved[rest:] == [0] * (100 - rest)


def own_stats() -> str:
    return (
        "snapshot_time             1700000000.1 secs.nsecs\n"
        "read_bytes                7 samples [bytes] 1 10 50 400\n"
        "write_bytes               16 samples [bytes] 4096 65536 500000 9000000000\n"
        "open                      3 samples [usecs] 1 4 8 30\n"
    )


def captured_stats() -> str:
    """Of a real client: all its files one after the other, each behind a line with its name."""
    text = beside("reference/lustre/proc_snapshot_llite.txt").read_text()
    found = re.search(r"^/proc/fs/lustre/llite/[^/]+/stats\n(.*?)^/proc/", text, re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


def grown(text: str) -> str:
    """64 more writes of 64 KiB; nothing else."""

    def more(found: re.Match[str]) -> str:
        return f"{found[1]}{int(found[2]) + 64}{found[3]}{int(found[4]) + 64 * 65536}"

    return re.sub(r"(write_bytes +)(\d+)( samples \[bytes\] \d+ \d+ )(\d+)", more, text)


def tell(pipe: Path, data: Path, texts: Iterator[str]) -> None:
    """The first text before the phase, the second after it began: by then the first look is over."""
    for text in texts:
        with pipe.open("w") as stats:
            stats.write(text)
        until(data.exists, 120)


@pytest.mark.parametrize("stats", [own_stats, captured_stats])
def test_counters_of_a_lustre_client(engine: Engine, stats: Any) -> None:
    text = stats()
    folder = engine.folder / "lustre/llite" / MOUNT
    folder.mkdir(parents=True)
    os.mkfifo(folder / "stats")
    texts = iter([text, grown(text)])
    teller = threading.Thread(
        target=tell, args=(folder / "stats", engine.folder / "data", texts), daemon=True
    )
    teller.start()
    root = {"WEIR_LUSTRE_ROOT": str(engine.folder / "lustre")}
    done = engine.good("-w", "-k", "-t", "64k", "-b", "4m", "-o", "data", environment=root)
    teller.join(10)
    assert observed(done, "write")["lustre"] == {
        "mount": MOUNT,
        "counters": {"write_bytes": {"samples": 64, "sum": 64 * 65536}},
    }
