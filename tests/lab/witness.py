"""Bytes between the client of a mount and its servers, read without weir: the TCP connections of the client.

    python3 tests/lab/witness.py MOUNT COMMAND...     runs the command; the last line it prints is JSON

It runs in the machine, with the standard library only. The client of a FUSE mount is the process that holds
/dev/fuse and names the mount; the kernel's own client has connections without a process, to the ports of its
servers. A connection is looked at again and again, since some clients close theirs after seconds.
"""

import contextlib
import json
import os
import re
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

_SOCK_DIAG = 4  # NETLINK_SOCK_DIAG
_BY_FAMILY = 20  # SOCK_DIAG_BY_FAMILY
_REQUEST_DUMP = 0x301
_DONE, _ERROR = 3, 2
_INFO = 2  # INET_DIAG_INFO
_LISTENING = 10
_EVERY_S = 0.02
_HEADER, _MESSAGE = 16, 72
_ACKED_AT = 120  # offset of tcpi_bytes_acked in struct tcp_info, tcpi_bytes_received behind it
_KERNEL_PORTS = {"nfs": {2049}, "nfs4": {2049}, "ceph": {3300, 6789, *range(6800, 7301)}}


@dataclass(frozen=True)
class Connection:
    cookie: str
    local_port: int
    remote_port: int
    inode: int
    state: int
    acked_bytes: int
    received_bytes: int


def messages(stream: socket.socket) -> Iterator[bytes]:
    """The bodies of a dump."""
    while True:
        data = stream.recv(1 << 18)
        while data:
            length, kind = struct.unpack_from("=IH", data)
            if kind == _DONE:
                return
            if kind == _ERROR:
                raise OSError(-struct.unpack_from("=i", data, _HEADER)[0], "inet_diag")
            yield data[_HEADER:length]
            data = data[(length + 3) & ~3 :]


def connections() -> Iterator[Connection]:
    """All of TCP in this network namespace, IPv4."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _SOCK_DIAG) as stream:
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        body = struct.pack(
            "=BBBBI", socket.AF_INET, socket.IPPROTO_TCP, 1 << (_INFO - 1), 0, 0xFFFFFFFF
        ) + bytes(48)
        head = struct.pack("=IHHII", _HEADER + len(body), _BY_FAMILY, _REQUEST_DUMP, 1, 0)
        stream.sendto(head + body, (0, 0))
        for message in messages(stream):
            local, remote = struct.unpack_from(">HH", message, 4)
            acked, received = info(message)
            inode = struct.unpack_from("=I", message, 68)[0]
            yield Connection(message[44:52].hex(), local, remote, inode, message[1], acked, received)


def info(message: bytes) -> tuple[int, int]:
    offset = _MESSAGE
    while offset + 4 <= len(message):
        length, kind = struct.unpack_from("=HH", message, offset)
        if kind == _INFO and length >= 4 + _ACKED_AT + 16:
            acked, received = struct.unpack_from("=QQ", message, offset + 4 + _ACKED_AT)
            return acked, received
        offset += max((length + 3) & ~3, 4)
    return 0, 0


def file_system_of(mount: str) -> str:
    with open("/proc/self/mounts") as lines:
        found = [line.split()[2] for line in lines if line.split()[1] == mount]
    if not found:
        raise SystemExit(f"{mount}: not mounted")
    return found[-1]


def client_of(mount: str) -> int:
    """The process that serves the FUSE mount."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as stream:
                arguments = re.split(r"[\0 )]+", stream.read().decode(errors="replace"))
            if mount in arguments and "/dev/fuse" in open_files(int(pid)):
                return int(pid)
        except OSError:
            continue
    raise SystemExit(f"{mount}: no process serves it")


def open_files(pid: int) -> list[str]:
    found = []
    for name in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            found.append(os.readlink(f"/proc/{pid}/fd/{name}"))
    return found


class Client:
    """Of a mount, and the bytes of each of its connections until now."""

    def __init__(self, mount: str) -> None:
        self.ports = _KERNEL_PORTS.get(file_system_of(mount), set())
        self.pid = None if self.ports else client_of(mount)
        self.seen: dict[str, tuple[int, int]] = {}

    def look(self) -> None:
        found = (each for each in connections() if each.state != _LISTENING)
        if self.pid is None:
            chosen = [each for each in found if each.remote_port in self.ports]
        else:
            inodes = {link[8:-1] for link in open_files(self.pid) if link.startswith("socket:[")}
            chosen = [each for each in found if str(each.inode) in inodes]
        self.seen |= {each.cookie: (each.acked_bytes, each.received_bytes) for each in chosen}

    def moved(self) -> dict[str, int]:
        return {
            "write": sum(acked for acked, _ in self.seen.values()),
            "read": sum(received for _, received in self.seen.values()),
        }


def main(mount: str, *command: str) -> int:
    client = Client(mount)
    client.look()
    before = client.moved()
    with subprocess.Popen(command) as process:
        while process.poll() is None:
            client.look()
            time.sleep(_EVERY_S)
    client.look()
    print(json.dumps({name: value - before[name] for name, value in client.moved().items()}))
    return process.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
