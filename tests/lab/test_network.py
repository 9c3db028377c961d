"""A network that is cut for seconds within a phase of a client that waits for it; one slow server of two."""

import re
from collections.abc import Iterator

import pytest
import yaml

from tests.lab.conftest import started
from tests.lab.filesystem import file_systems
from tests.lab.machine import ADDRESS, Machine
from tests.lab.weir_runs import ior, measured, suite

SUITE = suite("lab-cut", "Is a write whose network was cut told apart?", ior=ior("128 MiB", access=["write"]))
CUT_S = 3
# It keeps all packets, and loses them when it is removed: each end finds the other one silent.
# A queue that drops them tells TCP so, which then has sent nothing and waits without counting it.
DEAF = ("tbf", "rate", "8bit", "burst", "100kb", "limit", "1gb")
# Once the file grows.
CUT = f"""\
for ((look = 0; look < 3000; look++)); do
    [ -z "$(find /mnt/moosefs/root -type f -size +8M)" ] || break
    sleep 0.02
done
tc qdisc add dev lo root {" ".join(DEAF)}
sleep {CUT_S}
tc qdisc del dev lo root
"""

# The second chunkserver runs a fiftieth of its time: 6 MB of its socket each second.
SLOW_PORT = 9423
SLOW = """\
pid=$(pgrep -f "mfschunkserver.*chunkserver-1.cfg" | head -n 1)
while kill -STOP "$pid"; do
    sleep 0.98
    kill -CONT "$pid"
    sleep 0.02
done
"""


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    with started(file_systems()["moosefs"]) as machine:
        if machine.run("tc", "qdisc", "add", "dev", "lab0", "root", *DEAF).returncode != 0:
            pytest.skip("this kernel has no queue that keeps packets back (tbf)")
        machine.out("tc", "qdisc", "del", "dev", "lab0", "root")
        yield machine


def test_a_cut_network_degrades_the_write_and_tells_for_how_long(machine: Machine) -> None:
    config = machine.home / "config"
    machine.write(config / "suites" / "lab-cut.yaml", yaml.safe_dump(SUITE))
    machine.out("setsid", "--fork", "bash", "-c", CUT)
    cells, (row,) = measured(machine, "root", config, "lab-cut", ["moosefs"])
    assert cells == 1
    assert row["verdict"] == "DEGRADED", row
    assert "network-stood-still" in row["reasons"].split(";"), row["notes"]
    assert "a connection waited" in row["evidence"]
    assert not row["missing"], row["notes"]


@pytest.mark.weekly
def test_the_slow_one_of_two_servers_is_named(machine: Machine) -> None:
    config = machine.home / "slow"
    machine.write(config / "suites" / "lab-slow.yaml", yaml.safe_dump(SUITE | {"suite": "lab-slow"}))
    machine.out("setsid", "--fork", "bash", "-c", SLOW)  # until the machine ends
    _, (row,) = measured(machine, "root", config, "lab-slow", ["moosefs"])
    assert not row["missing"], row["notes"]
    if "slow-server" not in f"{row['checked']} {row['notes']}":
        pytest.skip("other processes of this machine waited for a processor most of the time")
    (named,) = re.findall(r"bytes waited [\d.]+ s in all connections to ([\d.:]+),", row["notes"])
    assert named == f"{ADDRESS}:{SLOW_PORT}", row["notes"]
