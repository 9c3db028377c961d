"""The servers of a network file system: their addresses, their memory, and the speed of the links to them."""

import array
import fcntl
import re
import socket
import struct
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from weir.base.files import text_of
from weir.records.printed_values import real

_SYSTEM, _PROC = Path("/sys/class"), Path("/proc")
_SIOCETHTOOL, _ETHTOOL_GSET = 0x8946, 0x1
_SIOCGIFHWADDR, _HWADDR_AT = 0x8927, 18
# host:/export, host1,host2:/, mfs#host:port, 10.0.0.1@tcp:/name, addr=10.0.0.1
_NAMES = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9A-Fa-f:]+\]")
_ADDRESS_OPTIONS = ("addr", "mountaddr", "mon_addr")
_MEMORY = re.compile(r'"memory_bytes": *(\d+)')
_PROBE_LIMIT_S = 30


def server_addresses(mount: Mapping[str, str] | None, declared: Iterable[str] = ()) -> list[str]:
    """Numeric addresses of the servers that the mount or the target names; names are looked up."""
    found: dict[str, None] = {}
    for name in [*_named(mount or {}), *declared]:
        for address in _looked_up(name):
            found[address] = None
    return [*found]


def link_speed_mbit_s(name: str) -> float | None:
    """The speed that the driver reports. /sys may be that of another network namespace."""
    buffer = array.array("B", struct.pack("I40x", _ETHTOOL_GSET))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        try:
            fcntl.ioctl(any_socket, _SIOCETHTOOL, struct.pack("16sP", name.encode(), buffer.buffer_info()[0]))
        except OSError:
            return None
    low, high = struct.unpack_from("H", buffer, 12)[0], struct.unpack_from("H", buffer, 28)[0]
    speed = high << 16 | low
    return None if speed in (0, 0xFFFF, 0xFFFFFFFF) else float(speed)


def link_address(name: str) -> str | None:
    """The address of a link of this network namespace."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        try:
            answer = fcntl.ioctl(any_socket, _SIOCGIFHWADDR, struct.pack("16s24x", name.encode()))
        except OSError:
            return None
    return answer[_HWADDR_AT : _HWADDR_AT + 6].hex(":")


def links_mbit_s(
    servers: Sequence[str],
    system: Path = _SYSTEM,
    proc: Path = _PROC,
    speed: Callable[[str], float | None] = link_speed_mbit_s,
    address: Callable[[str], str | None] = link_address,
) -> float | None:
    """The speed of all links of the node together; None where one is unknown, or a server is this node."""
    if not servers or set(servers) & _own_addresses(proc):
        return None
    names = _links(proc)
    # Bridges and tunnels are made of hardware. A container may have links without it alone: their drivers
    # report a number that nothing keeps to (veth: 10 Gbit/s), and the mount may go past them.
    hardware = [name for name in names if _is_hardware(name, system, address)]
    if names and not hardware:
        return None
    speeds = [speed(name) for name in hardware]
    rates = [_rate(port) for port in sorted(system.glob("infiniband/*/ports/*/rate"))]
    known = [speed for speed in (*speeds, *rates) if speed is not None]
    return sum(known) if known and len(known) == len(speeds) + len(rates) else None


def _named(mount: Mapping[str, str]) -> list[str]:
    """Hosts in what is mounted; a file system of this machine has none."""
    device, options = mount.get("device", ""), mount.get("super_options", "")
    given = [one.partition("=")[2] for one in options.split(",") if one.partition("=")[0] in _ADDRESS_OPTIONS]
    if device.startswith("/") or not set(device) & set(":@#"):
        return given
    head = device.rpartition("#")[2].partition(":/")[0]
    hosts = [host.strip("[]") for host in _NAMES.findall(head)]
    return [*(host for host in hosts if not host.isdigit() and host not in ("tcp", "o2ib")), *given]


def _looked_up(name: str) -> list[str]:
    try:
        return sorted({str(one[4][0]) for one in socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)})
    except (OSError, UnicodeError):
        return []


def _own_addresses(proc: Path) -> set[str]:
    return set(re.findall(r"\|-- (\S+)\n\s+/32 host LOCAL", text_of(proc / "net" / "fib_trie")))


def _links(proc: Path) -> list[str]:
    """Links of this network namespace that received something."""
    parts = [line.partition(":") for line in text_of(proc / "net" / "dev").splitlines()[2:]]
    counted = [(name.strip(), fields.split()) for name, _, fields in parts]
    return [name for name, fields in counted if name != "lo" and fields and fields[0] != "0"]


def _is_hardware(name: str, system: Path, address: Callable[[str], str | None]) -> bool:
    """The link of that name in /sys may be of another network namespace: then its address is another one."""
    folder = system / "net" / name
    listed, own = text_of(folder / "address").strip(), address(name)
    return (folder / "device").exists() and own is not None and listed.startswith(own)


def _rate(port: Path) -> float | None:
    """100 Gb/sec (4X EDR)"""
    rate = real(text_of(port).partition(" Gb/sec")[0].strip())
    return None if rate is None else 1000 * rate


def server_memory_bytes(probe: Sequence[str]) -> int | None:
    """Memory of all servers, as the target's command (server_probe) reports it; None: it reports none."""
    if not probe:
        return None
    try:
        done = subprocess.run(
            probe,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_PROBE_LIMIT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    found = _MEMORY.findall(done.stdout.decode(errors="replace"))
    return sum(map(int, found)) if found else None
