"""A private batch system of virtual nodes for the tests of it; skipped by name where it is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.queues import flux, gridengine, pbs
from tests.queues.checkout import QueueCheckout
from tests.queues.nodes import Cluster
from tests.queues.system import System

SYSTEMS = [gridengine.SYSTEM, pbs.SYSTEM, flux.SYSTEM]
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
