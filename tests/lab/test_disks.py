"""Disks below a guest's file system: one drops what is written, one is slow, one encrypts, two are memory, a
process serves one."""

import os
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.lab.conftest import started
from tests.lab.filesystem import SITE, FileSystem
from tests.lab.guest import KERNEL, Guest
from tests.lab.machine import HERE, ROOT, Machine
from tests.lab.weir_runs import ior, measured, suite

pytestmark = pytest.mark.weekly
DISKS = ("flakey", "delayed", "zram", "crypt", "hidden", "nbd")
# The real IOR runs under libweir-witness, where IOR= names it; it cannot drop caches.
WEIR_IO, REAL_IOR = "weir-io", "ior"
PROGRAMS = (WEIR_IO, *([REAL_IOR] if os.environ.get("IOR") else []))


def start(machine: Machine) -> None:
    machine.out(HERE / "guest-disks")


LYING = FileSystem(
    name="disks",
    description="disks of a guest that lie",
    programs=(KERNEL, "modprobe", "busybox", "mkfs.ext4", "dmsetup"),
    start=start,
    machine=Guest,
)


def suite_for(program: str) -> dict[str, Any]:
    """Of its own name, which the folder of the results has."""
    own = {"drop_caches": True} if program == WEIR_IO else {}
    return suite(f"lab-disks-{program}", "Are lies below the file system found?", ior=ior("8 MiB", **own))


def configure(machine: Machine, program: str) -> None:
    config = machine.home / program
    machine.write(config / "suites" / f"lab-disks-{program}.yaml", yaml.safe_dump(suite_for(program)))
    if program == REAL_IOR:
        site = yaml.safe_load((ROOT / "config/sites" / SITE / "site.yaml").read_text())
        site["stacks"]["debian"]["programs"]["ior"] = [os.environ["IOR"]]
        machine.write(config / "sites" / SITE / "site.yaml", yaml.safe_dump(site))
    for name in DISKS:
        path = f"/mnt/{name}/root/weir"
        target = {
            "target": name,
            "kind": "disk",
            "description": f"{name} in the guest",
            "mount": f"/mnt/{name}",
            "path": path,
            "prepare": [["mkdir", "-p", path]],
            "apis": ["POSIX"],
            "space": "400 MiB",
            "expect": {"write": "50 MiB/s", "read": "50 MiB/s"},
        }
        machine.write(config / "sites" / SITE / "targets" / f"{name}.yaml", yaml.safe_dump(target))


@pytest.fixture(scope="module")
def all_records() -> Iterator[dict[str, dict[tuple[str, str], dict[str, str]]]]:
    """Of each program: of each disk and access."""
    with started(LYING) as machine:
        found = {}
        for program in PROGRAMS:
            configure(machine, program)
            config, of_program = machine.home / program, f"lab-disks-{program}"
            # Memory that is declared as a disk is refused before the first byte without it.
            _, rows = measured(machine, "root", config, of_program, DISKS, run=["--any-kind"])
            found[program] = {(row["target"], row["access"]): row for row in rows}
        yield found


@pytest.fixture(params=(WEIR_IO, REAL_IOR))
def records(
    request: pytest.FixtureRequest, all_records: dict[str, dict[tuple[str, str], dict[str, str]]]
) -> dict[tuple[str, str], dict[str, str]]:
    if request.param not in all_records:
        pytest.skip("the real IOR: name it with IOR=PATH")
    return all_records[request.param]


def test_a_device_mapper_that_drops_writes_is_found_by_the_disk_below_it(
    records: dict[tuple[str, str], dict[str, str]],
) -> None:
    row = records["flakey", "write"]
    assert row["verdict"] == "INVALID", row
    assert "sync-not-effective" in row["reasons"].split(";"), row["evidence"]


@pytest.mark.parametrize("access", ["write", "read"])
@pytest.mark.parametrize(("disk", "device"), [("zram", "zram0"), ("hidden", "ram0")])
def test_memory_declared_as_a_disk_is_found_by_its_device(
    records: dict[tuple[str, str], dict[str, str]], disk: str, device: str, access: str
) -> None:
    """Also below dm-crypt."""
    row = records[disk, access]
    assert row["verdict"] == "INVALID", row
    assert f"the memory device {device}" in row["evidence"]


@pytest.mark.parametrize("access", ["write", "read"])
def test_of_a_disk_that_a_process_serves_nothing_is_proven(
    records: dict[tuple[str, str], dict[str, str]], access: str
) -> None:
    row = records["nbd", access]
    assert row["verdict"] != "VALID", row
    assert {"write": "stored", "read": "fetched"}[access] in row["missing"].split(";"), row


@pytest.mark.parametrize("disk", ["delayed", "crypt"])
def test_a_slow_or_encrypted_disk_is_proven(
    records: dict[tuple[str, str], dict[str, str]], disk: str
) -> None:
    """Findings about the machine aside."""
    row = records[disk, "write"]
    assert row["verdict"] != "INVALID", row
    assert {"stored", "sync"}.isdisjoint(row["missing"].split(";")), row["missing"]
