"""weir prove of transfers that a program queues, by libaio."""

from __future__ import annotations

import ctypes.util
import sys

import pytest

from tests.witness.conftest import Prove

WAIT_S = 0.2
# One write of 1 MiB; after its end nothing comes, so that the second wait lasts as long as it is told to.
CODE = f"""
import ctypes, os, struct
libaio = ctypes.CDLL("libaio.so.1", ctypes.RTLD_GLOBAL)
aio = ctypes.CDLL(None)  # as the loader has it for a program that is linked to libaio
data = ctypes.create_string_buffer(1 << 20)
fd = os.open("f", os.O_CREAT | os.O_WRONLY)
block = struct.pack("<QIIHhIQQqQII", 0, 0, 0, 1, 0, fd, ctypes.addressof(data), 1 << 20, 0, 0, 0, 0)
request = ctypes.create_string_buffer(block)
context = ctypes.c_void_p()
assert aio.io_setup(4, ctypes.byref(context)) == 0
assert aio.io_submit(context, 1, (ctypes.c_void_p * 1)(ctypes.addressof(request))) == 1
events = ctypes.create_string_buffer(64)
assert aio.io_getevents(context, 1, 1, events, None) == 1
limit = struct.pack("<qq", 0, {int(WAIT_S * 1e9)})
assert aio.io_getevents(context, 1, 1, events, limit) == 0
"""


def test_the_wait_for_queued_transfers_is_time_of_theirs(prove: Prove) -> None:
    """A result that is quicker than its waits is not that of these transfers."""
    if ctypes.util.find_library("aio") is None:
        pytest.skip("libaio is not installed")
    seen = prove(sys.executable, "-c", CODE)
    (phase,) = [one for mount in seen["mounts"] for one in mount["phases"]]
    assert phase["written_bytes"] == 1 << 20
    assert phase["busy_ns"]["write"] >= WAIT_S * 1e9
