"""A program built for IME's interface elsewhere runs on ours unchanged: name an IOR with IME in IOR_IME."""

import json
import os
import subprocess

import pytest

from tests.engine.runs import open_mpi
from tests.ime.conftest import Store, StoreMaker
from tests.programs import ran


def ior(store: Store, ranks: int, *arguments: object) -> subprocess.CompletedProcess[str]:
    named = os.environ.get("IOR_IME")
    if not named or not os.access(named, os.X_OK):
        pytest.skip("IOR_IME names no IOR that was built with its IME back end")
    launch = ["mpiexec.openmpi", "--oversubscribe", "--mca", "pml", "ob1", "--mca", "btl", "self,vader"]
    # built against another prefix perhaps; the library under test is this one
    environment = {**store.environment, **open_mpi(), "LD_LIBRARY_PATH": str(store.programs)}
    return ran([*launch, "-n", ranks, named, "-a", "IME", *arguments], env=environment, timeout=300)


@pytest.mark.parametrize("order", [("-R",), ("-z", "--random-offset-seed=7", "-R")])
@pytest.mark.parametrize("layout", [(), ("-F",)])
def test_data_are_right(
    order: tuple[object, ...], layout: tuple[object, ...], make_store: StoreMaker
) -> None:
    store = make_store(capacity="4 MiB", drain="auto")
    summary = store.folder / "summary.json"
    output = (f"--json={summary}",)
    sizes = ("-t", "16k", "-b", "1m", "-i", 3)
    done = ior(store, 4, "-w", "-r", *sizes, *order, *layout, *output, "-o", "ime://ior.dat")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Incorrect data" not in done.stdout
    answer = json.loads(summary.read_text())
    assert len(answer["tests"][0]["Results"]) == 6
    status = store.status()
    assert status["clients"] == 0


def test_ranks_that_truncate_a_kept_file(make_store: StoreMaker) -> None:
    """IOR opens with O_TRUNC on every rank, without a barrier: five runs over the file of the run before."""
    store = make_store()
    for _ in range(5):
        arguments = ("-w", "-r", "-R", "-k", "-t", "256k", "-b", "1m", "-o", "ime://ior.dat")
        done = ior(store, 4, *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "Incorrect data" not in done.stdout


def test_a_full_tier_without_a_backing_to_drain_to(make_store: StoreMaker) -> None:
    store = make_store(capacity="1 MiB", faults=("drain ENOSPC",))
    done = ior(store, 2, "-w", "-t", "64k", "-b", "4m", "-o", "ime://ior.dat")
    assert done.returncode != 0
