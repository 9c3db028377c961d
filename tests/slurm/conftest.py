"""A private Slurm for the tests; where Slurm is not installed, they are skipped by name."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest

from tests.slurm.private_slurm import HERE, Cluster, new_cluster

SBIN = "/usr/sbin:/sbin"
MISSING = [
    name
    for name in ("slurmctld", "slurmd", "munged", "mungekey", "srun")
    if shutil.which(name, path=f"{os.environ.get('PATH', '')}:{SBIN}") is None
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # The short ones last, so that processes that share the tests end together.
    items.sort(key=lambda item: item.path.parent == HERE and item.path.stem in ("test_mpi", "test_sandbox"))
    if MISSING:
        for item in items:
            if HERE in item.path.parents:
                item.add_marker(pytest.mark.skip(reason=f"not installed: {', '.join(MISSING)}"))


@pytest.fixture
def empty() -> Iterator[Cluster]:
    """A folder for a sandbox that the test brings up itself."""
    cluster = new_cluster()
    yield cluster
    cluster.down()
    shutil.rmtree(cluster.folder, ignore_errors=True)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """Four nodes of four cores, shared by the tests that do not harm them; one for each process of pytest."""
    cluster = new_cluster()
    done = cluster.up("--nodes", "4")
    assert done.returncode == 0, done.stderr
    yield cluster
    assert cluster.down().returncode == 0
    assert not cluster.folder.exists()
