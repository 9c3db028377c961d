"""A private Slurm for the tests; where Slurm is not installed, they are skipped by name."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.needs import not_installed
from tests.slurm.checkout import Checkout
from tests.slurm.private_slurm import HERE, Cluster, new_cluster

MISSING = not_installed("slurmctld", "slurmd", "munged", "mungekey", "srun")
# So that processes that share the tests end together.
LONGEST_FIRST = ["test_snakemake", "test_how_to", "test_faults"]


def order(item: pytest.Item) -> int:
    name = item.path.stem
    return LONGEST_FIRST.index(name) if name in LONGEST_FIRST else len(LONGEST_FIRST)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=order)
    if MISSING:
        for item in items:
            if HERE in item.path.parents:
                item.add_marker(pytest.mark.skip(reason=MISSING))


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
    cluster.up("--nodes", "4")
    yield cluster
    cluster.down(code=0)
    assert not cluster.folder.exists()


@pytest.fixture
def checkout(cluster: Cluster, tmp_path: Path) -> Checkout:
    return Checkout.make(tmp_path / "weir", cluster)
