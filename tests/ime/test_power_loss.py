"""Power lost during evictions: what was drained and synced, or flushed, is there after the boot."""

import os

import pytest

from tests.ime.conftest import TIMES, Start, Store, StoreMaker

INDEX_BYTES = 64 << 10  # more than the index of these files takes


def lose_power(store: Store, rounds: int, seed: int) -> None:
    arguments = ("--fast", store.fast, "--path", "ime://file", "--rounds", rounds, "--seed", seed)
    done = store.program("ime-power_loss", *arguments, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == f"{rounds} rounds, nothing lost\n"


def test_a_hundred_evictions_with_a_loss_of_power(make_store: StoreMaker) -> None:
    lose_power(make_store(), 100, seed=1)


@pytest.mark.weekly
@pytest.mark.parametrize("granule", ["4 KiB", "64 KiB"])
def test_many_evictions_with_a_loss_of_power(granule: str, make_store: StoreMaker) -> None:
    for seed in range(2 * TIMES):
        lose_power(make_store(granule=granule), 300, seed=100 + seed)


@pytest.mark.parametrize("when", ["written", "drained"])
def test_an_index_from_before_the_eviction(when: str, start: Start, make_store: StoreMaker) -> None:
    """Even if the disk has lost the flush: holes in the fast tier are never drained over the backing."""
    store = make_store()
    native = start(store)
    data = bytes(range(1, 251)) * 4000
    fd = native.open(b"ime://file", os.O_CREAT | os.O_RDWR, 0o600)
    native.pwrite(fd, data, len(data), 0)
    (file,) = (store.fast / "objects").iterdir()
    before = file.open("rb").read(INDEX_BYTES) if when == "written" else b""
    store.imectl("drain")
    before = before or file.open("rb").read(INDEX_BYTES)
    store.imectl("evict")
    with file.open("r+b") as restored:
        restored.write(before)
    store.begin_another_boot()
    store.imectl("drain")
    assert (store.backing / "file").read_bytes() == data
    assert native.contents(fd, len(data)) == data
    native.close(fd)
