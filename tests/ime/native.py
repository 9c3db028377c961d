"""libim_client as Python calls it."""

import ctypes
import os
import sys
from collections.abc import Callable
from pathlib import Path

SIZED = {"read", "write", "pread", "pwrite", "preadv", "pwritev", "lseek"}  # not int


_BEGIN = """
import ctypes, os, sys
native = ctypes.CDLL(sys.argv[1], use_errno=True)
native.ime_native_init()
"""


def another(programs: Path, code: str, *arguments: object) -> list[object]:
    """The command of another process with the code, which has the library as `native`."""
    return [sys.executable, "-c", _BEGIN + code, programs / "libim_client.so", *arguments]


class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


class Request(ctypes.Structure):
    pass


Callback = ctypes.CFUNCTYPE(None, ctypes.POINTER(Request), ctypes.c_int, ctypes.c_ssize_t)
Request._fields_ = [
    ("fd", ctypes.c_int),
    ("count", ctypes.c_int),
    ("flags", ctypes.c_uint32),
    ("vectors", ctypes.POINTER(Vector)),
    ("offset", ctypes.c_int64),
    ("callback", Callback),
    ("context", ctypes.c_ssize_t),
]


class Native:
    """libim_client with results checked as Python does: errno becomes OSError."""

    def __init__(self, library: Path) -> None:
        self.library = ctypes.CDLL(str(library), use_errno=True)
        self.library.ime_native_version.restype = ctypes.c_char_p

    def __getattr__(self, name: str) -> Callable[..., int]:
        function = getattr(self.library, f"ime_native_{name}")
        function.restype = ctypes.c_ssize_t if name in SIZED else ctypes.c_int

        def call(*arguments: object) -> int:
            sized = [ctypes.c_int64(value) if isinstance(value, int) else value for value in arguments]
            ctypes.set_errno(0)
            result = int(function(*sized))
            if result < 0 and ctypes.get_errno():
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
            return result

        return call

    def contents(self, fd: int, size: int, offset: int = 0) -> bytes:
        buffer = ctypes.create_string_buffer(size)
        got = self.pread(fd, buffer, size, offset)
        return buffer.raw[:got]
