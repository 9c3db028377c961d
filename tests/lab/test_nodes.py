"""Several nodes, each a client of its own of one real file system, measured by jobs of a private Slurm."""

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.lab.conftest import started
from tests.lab.filesystem import FileSystem, file_systems
from tests.lab.machine import ADDRESS, ROOT
from tests.lab.nodes import PROGRAMS, SWITCH, Nodes

SHAPES = [
    ("glusterfs", 2),
    *(
        pytest.param((name, 4), marks=pytest.mark.weekly, id=f"{name}-4")
        for name, each in file_systems().items()
        if each.client is not None
    ),
]
LIMIT = "4 min"  # four clients of CephFS on two cores write to one file
# One node measures what several do; these read what another node has written, and compare it.
CROSSWISE = {"reorder": "= 'constant' if nodes > 1 else 'none'", "verify_read": True}
SUITE: dict[str, Any] = {
    "suite": "lab-nodes",
    "question": "Do several clients of a file system move what one does?",
    "experiments": {
        "ior": {
            "tool": "ior",
            "ppn": [1],
            "timeout": LIMIT,
            "space": {"api": ["POSIX", "MPIIO"]},
            "fixed": {"access": ["write", "read"], "xfer": "1 MiB", "block": "16 MiB", "drop_caches": True}
            | CROSSWISE,
        },
        "metadata": {
            "tool": "mdtest",
            "ppn": [1],
            "timeout": LIMIT,
            "space": {"directories": ["own"]},
            "fixed": {
                "access": ["create", "stat", "remove"],
                "item": "file",
                "items_per_rank": 50,
                "shift": "= 1 if nodes > 1 else 0",
            },
        },
    },
}
# Virtual nodes share the cores: which of them is slow is chance.
TRUE_FINDINGS = {
    "phase-too-short",
    "machine-busy",
    "neighbours",
    "metadata-from-cache",
    "paused",
    "slow-node",
    "network-stood-still",  # clients that write to one file of CephFS wait for each other, up to a minute
}
# A mount that keeps pages and attributes of a file, whoever writes to it.
STALE = (
    "mkdir -p /mnt/stale && mount -t glusterfs -o attribute-timeout=600,entry-timeout=600,fopen-keep-cache "
    f"{ADDRESS}:/glusterfs /mnt/stale"
)
IOR = [ROOT / "build/weir-io", "ior", "-a", "POSIX", "-t", "1m", "-b", "4m", "-k"]


def suite(*nodes: int) -> dict[str, Any]:
    experiments = {name: each | {"nodes": [*nodes]} for name, each in SUITE["experiments"].items()}
    return SUITE | {"experiments": experiments}


@pytest.fixture(scope="module", params=SHAPES, ids=lambda shape: f"{shape[0]}-{shape[1]}")
def shape(request: pytest.FixtureRequest) -> tuple[FileSystem, int]:
    """A file system, and the number of its clients."""
    name, count = request.param
    return file_systems()[name], count


@pytest.fixture(scope="module")
def nodes(shape: tuple[FileSystem, int]) -> Iterator[Nodes]:
    file_system, count = shape
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    if missing := [name for name in PROGRAMS if shutil.which(name, path=path) is None]:
        pytest.skip(f"not installed: {', '.join(missing)}")
    with started(file_system) as machine:
        if machine.run("ip", "link", "add", SWITCH, "type", "bridge").returncode != 0:
            pytest.skip("this kernel has no bridge")
        nodes = Nodes(machine, count)
        nodes.start(file_system, STALE if file_system.name == "glusterfs" else "true")
        yield nodes


def test_several_clients_move_what_one_does(nodes: Nodes, shape: tuple[FileSystem, int]) -> None:
    file_system, most = shape
    config = nodes.machine.home / "config"
    nodes.machine.write(config / "suites/lab-nodes.yaml", yaml.safe_dump(suite(1, most)))
    rows = nodes.measured(config, "lab-nodes", [next(iter(file_system.targets))])
    for count in (1, most):
        found = [row for row in rows if int(row["nn"]) == count]
        assert [row["api"] for row in found if row["access"] == "read"] == ["POSIX", "MPIIO"], rows
        assert len(found) == 7
        for row in found:
            told = f"{count} nodes {row['api']} {row['access']}: {row['evidence']} {row['notes']}"
            assert not set(filter(None, row["reasons"].split(";"))) - TRUE_FINDINGS, told
            if row["access"] in ("write", "read"):
                assert not row["missing"], told
                assert row["proof"] == "servers" or row["verdict"] != "VALID", told


def test_a_read_of_old_data_is_found(nodes: Nodes, shape: tuple[FileSystem, int]) -> None:
    """What node 1 writes is read by node 2, which has read the file before; rightly by the honest mount."""
    file_system = shape[0]
    if file_system.name != "glusterfs":
        pytest.skip(f"{file_system.name}: no mount that keeps the pages of a changed file")

    def ior(node: str, mount: str, signature: int, *arguments: str) -> tuple[int, str]:
        chosen = ["srun", f"--nodelist={node}", "-N1", "-n1", "--mpi=pmix"]
        options = [*arguments, "-G", str(signature), "-o", f"{mount}/root/shared"]
        done = nodes.machine.run(*nodes.command(*chosen, *IOR, *options))
        return done.returncode, done.stdout + done.stderr

    for signature in (1, 2):
        code, printed = ior("node1", "/mnt/glusterfs", signature, "-w", "-e", "-E")
        assert code == 0, printed
        code, printed = ior("node2", "/mnt/glusterfs", signature, "-r", "-R")
        assert code == 0, printed
        code, printed = ior("node2", "/mnt/stale", signature, "-r", "-R")
        assert ("Incorrect data on read" in printed) == (signature == 2), printed
        assert (code != 0) == (signature == 2), printed
