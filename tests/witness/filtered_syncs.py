"""Writes a file and synchronises it behind a filter of system calls that answers this itself: python
filtered_syncs.py FILE MIB WRITTEN_BACK_MIB. The latter go to the storage all the same."""

import ctypes
import os
import platform
import struct
import sys
import time

_CALLS = {"x86_64": (74, 75), "aarch64": (82, 83)}  # fsync, fdatasync
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2
_LOAD, _IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_ANSWER_0, _ALLOW = 0x00050000, 0x7FFF0000
_MIB = 2**20


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def filter_synchronisations() -> None:
    one, other = _CALLS[platform.machine()]
    steps = (_LOAD, 0, 0, 0), (_IF_EQUAL, 1, 0, one), (_IF_EQUAL, 0, 1, other)
    code = b"".join(
        struct.pack("=HBBI", *step) for step in (*steps, (_RETURN, 0, 0, _ANSWER_0), (_RETURN, 0, 0, _ALLOW))
    )
    room = ctypes.create_string_buffer(code, len(code))
    program = _Program(len(code) // 8, ctypes.addressof(room))
    library = ctypes.CDLL(None)
    assert library.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0
    assert library.prctl(_SECCOMP, _FILTER, ctypes.byref(program), 0, 0) == 0


def main(path: str, mib: int, written_back_mib: int) -> None:
    filter_synchronisations()
    file = os.open(path, os.O_CREAT | os.O_WRONLY, 0o644)
    for _ in range(mib):
        os.write(file, os.urandom(_MIB))
    if written_back_mib:
        os.posix_fadvise(file, 0, written_back_mib * _MIB, os.POSIX_FADV_DONTNEED)
        time.sleep(0.5)
    os.fsync(file)
    os.close(file)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
