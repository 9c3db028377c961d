"""The speed of the links to the servers: that of hardware, or none."""

from pathlib import Path

import pytest

from tests.programs import write_file
from weir.measure.machine.servers import links_mbit_s

_SPEEDS = {"eth0": 25000.0, "veth0": 10000.0, "br0": 10000.0}
_ADDRESSES = {name: f"02:00:00:00:00:0{number}" for number, name in enumerate(_SPEEDS)}


def made(
    folder: Path, *used: str, hardware: tuple[str, ...] = ("eth0",), rates: tuple[str, ...] = ()
) -> Path:
    (folder / "net").mkdir()
    head = "Inter-|   Receive\n face |bytes\n"
    lines = [f"{name:>6}: 9 1 0 0 0 0 0 0 9 1 0 0 0 0 0 0\n" for name in ("lo", *used)]
    (folder / "net" / "dev").write_text(head + "".join(lines))
    for name in used:
        write_file(folder / "class" / "net" / name / "address", f"{_ADDRESSES[name]}\n")
        if name in hardware:
            (folder / "class" / "net" / name / "device").mkdir()
    for number, rate in enumerate(rates):
        port = folder / "class" / "infiniband" / f"mlx5_{number}" / "ports" / "1"
        write_file(port / "rate", rate)
    return folder


def speed_of(folder: Path, others: str = "") -> float | None:
    """others: a link of another network namespace, which /sys shows instead of ours."""
    addresses = _ADDRESSES | ({others: "02:ff:ff:ff:ff:ff"} if others else {})
    return links_mbit_s(["192.0.2.9"], folder / "class", folder, _SPEEDS.get, addresses.get)


@pytest.mark.parametrize(
    ("used", "rates", "speed"),
    [
        (("eth0",), (), 25000.0),
        (("eth0", "br0", "veth0"), (), 25000.0),
        (("eth0",), ("100 Gb/sec (4X EDR)",), 125000.0),
        ((), ("100 Gb/sec (4X EDR)",), 100000.0),
        (("veth0",), (), None),
        (("veth0",), ("100 Gb/sec (4X EDR)",), None),
    ],
)
def test_only_hardware_has_a_speed(
    tmp_path: Path, used: tuple[str, ...], rates: tuple[str, ...], speed: float | None
) -> None:
    assert speed_of(made(tmp_path, *used, rates=rates)) == speed


def test_a_link_of_another_network_namespace_is_not_ours(tmp_path: Path) -> None:
    assert speed_of(made(tmp_path, "eth0"), others="eth0") is None
