"""In the guest: a network block device that a process serves from its memory.

python3 served_disk.py /dev/nbd0 BYTES: serves until the device is disconnected.
"""

import fcntl
import os
import socket
import struct
import sys

_SET_SOCK, _SET_BLOCK_BYTES, _DO_IT, _SET_BLOCKS = 0xAB00, 0xAB01, 0xAB03, 0xAB07
_REQUEST, _REPLY, _REPLY_MAGIC = struct.Struct(">IIQQI"), struct.Struct(">IIQ"), 0x67446698
_READ, _WRITE, _DISCONNECT = 0, 1, 2
_BLOCK_BYTES = 4096


def exactly(connection: socket.socket, count: int) -> bytes:
    parts = bytearray()
    while len(parts) < count:
        part = connection.recv(count - len(parts))
        if not part:
            sys.exit()
        parts += part
    return bytes(parts)


def serve(connection: socket.socket, size_bytes: int) -> None:
    memory = bytearray(size_bytes)
    while True:
        _, kind, handle, at, count = _REQUEST.unpack(exactly(connection, _REQUEST.size))
        kind &= 0xFFFF  # above are flags
        if kind == _DISCONNECT:
            return
        if kind == _WRITE:
            memory[at : at + count] = exactly(connection, count)
        data = memory[at : at + count] if kind == _READ else b""
        connection.sendall(_REPLY.pack(_REPLY_MAGIC, 0, handle) + data)


def main(path: str, size_bytes: int) -> None:
    of_kernel, of_server = socket.socketpair()
    if os.fork() == 0:
        of_kernel.close()
        serve(of_server, size_bytes)
        return
    of_server.close()
    device = os.open(path, os.O_RDWR)
    fcntl.ioctl(device, _SET_BLOCK_BYTES, _BLOCK_BYTES)
    fcntl.ioctl(device, _SET_BLOCKS, size_bytes // _BLOCK_BYTES)
    fcntl.ioctl(device, _SET_SOCK, of_kernel.fileno())
    fcntl.ioctl(device, _DO_IT)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
