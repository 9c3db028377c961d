"""A private batch system of virtual nodes for the tests of it; skipped by name where it is not installed."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from tests.queues.checkout import QueueCheckout
from tests.queues.nodes import Cluster
from tests.queues.system import System

# Each file here that defines one.
SYSTEMS: list[System] = [
    import_module(f"tests.queues.{file.stem}").SYSTEM
    for file in sorted(Path(__file__).parent.glob("*.py"))
    if "\nSYSTEM = " in file.read_text(encoding="utf-8")
]
NODES = ("node1", "node2", "node3", "node4")


@pytest.fixture(scope="module", params=SYSTEMS, ids=lambda system: system.scheduler)
def system(request: pytest.FixtureRequest) -> System:
    found: System = request.param
    if reason := found.missing():
        pytest.skip(f"{found.scheduler}: {reason}")
    return found


@pytest.fixture(scope="module")
def cluster(system: System) -> Iterator[Cluster]:
    """Four nodes of four cores."""
    started = system.start(NODES)
    yield started
    started.down()


@pytest.fixture
def checkout(system: System, cluster: Cluster, tmp_path: Path) -> Iterator[QueueCheckout]:
    made = QueueCheckout.make(tmp_path / "weir", cluster)
    made.use(system.scheduler, system.options, system.launcher)
    yield made
    made.hold.unlink(missing_ok=True)
    made.end()
