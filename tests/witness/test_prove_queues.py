"""weir prove of transfers that a program queues, by libaio and by POSIX AIO."""

import ctypes.util
import sys
from pathlib import Path

import pytest

from tests.witness.conftest import Prove
from tests.witness.test_witness import HERE, build

WAIT_S = 0.2
# One write of 1 MiB, whole or in parts; after its end nothing comes, so that the second wait lasts as long as
# it is told to.
CODE = f"""
import ctypes, os, struct, sys
libaio = ctypes.CDLL(sys.argv[-1], ctypes.RTLD_GLOBAL)
aio = ctypes.CDLL(None)  # as the loader has it for a program that is linked to libaio
data = ctypes.create_string_buffer(1 << 20)
place, half = ctypes.addressof(data), 1 << 19
vectors = ctypes.create_string_buffer(struct.pack("<QQQQ", place, half, place + half, half))
whole, parts = (1, place, 1 << 20), (8, ctypes.addressof(vectors), 2)
operation, buffer, count = parts if "parts" in sys.argv else whole
fd = os.open("f", os.O_CREAT | os.O_WRONLY)
block = struct.pack("<QIIHhIQQqQII", 0, 0, 0, operation, 0, fd, buffer, count, 0, 0, 0, 0)
request = ctypes.create_string_buffer(block)
context = ctypes.c_void_p()
assert aio.io_setup(4, ctypes.byref(context)) == 0
assert aio.io_submit(context, 1, (ctypes.c_void_p * 1)(ctypes.addressof(request))) == 1
events = ctypes.create_string_buffer(64)
assert aio.io_getevents(context, 1, 1, events, None) == 1
limit = struct.pack("<qq", 0, {int(WAIT_S * 1e9)})
assert aio.io_getevents(context, 1, 1, events, limit) == 0
"""


@pytest.mark.parametrize("form", ["whole", "parts"])
def test_the_wait_for_queued_transfers_is_time_of_theirs(prove: Prove, form: str) -> None:
    """A result that is quicker than its waits is not that of these transfers."""
    library = ctypes.util.find_library("aio")  # libaio.so.1, of Debian 13 libaio.so.1t64
    if library is None:
        pytest.skip("libaio is not installed")
    seen = prove(sys.executable, "-c", CODE, form, library)
    (phase,) = [one for mount in seen["mounts"] for one in mount["phases"]]
    assert phase["written_bytes"] == 1 << 20
    assert phase["busy_ns"]["write"] >= WAIT_S * 1e9


def test_posix_aio_ends_when_its_results_are_taken(prove: Prove, tmp_path: Path) -> None:
    seen = prove(str(build(tmp_path / "posix_aio", HERE / "posix_aio.c")))
    (mount,) = [one for one in seen["mounts"] if one["phases"]]
    (phase,) = mount["phases"]
    assert phase["written_bytes"] == phase["synced_bytes"] == 3 << 20
    assert mount["syncs"]["fsync"] == 1
    assert phase["ended_ns"] - phase["began_ns"] >= WAIT_S * 1e9
    assert phase["busy_ns"]["write"] < seen["elapsed_s"] * 1e9
    assert not [line for line in seen["not_seen"] if "whether the counts" in line]
