"""The store does what a plain directory does, whoever operates on it and wherever the data are."""

import filecmp
from pathlib import Path

import pytest

from tests.ime.conftest import TIMES, Mounter, Store, StoreMaker, wait_for

VARIANTS = {
    "plain": {},
    "tight": {"capacity": "512 KiB"},
    "tight-through": {"capacity": "512 KiB", "when_full": "through"},
    "drained-meanwhile": {"drain": "auto"},
    "large-granules": {"granule": "64 KiB", "capacity": "8 MiB"},
    "staged-reads": {"read_miss": "stage"},
}


def same_tree(left: Path, right: Path) -> bool:
    ours = {Path(".weir-ime")}
    names = sorted({path.relative_to(left) for path in left.rglob("*")} - ours)
    if names != sorted(path.relative_to(right) for path in right.rglob("*")):
        return False
    files = [str(name) for name in names if (left / name).is_file()]
    return filecmp.cmpfiles(left, right, files, shallow=False)[1:] == ([], [])


def compare(store: Store, operations: int, seed: int, *options: object) -> None:
    model = store.folder / "model"
    model.mkdir()
    sizes = ("--operations", operations, "--seed", seed)
    done = store.program("ime-conformance", "--store", store.backing, "--model", model, *sizes, *options)
    assert f"{operations} operations" in done.stdout
    assert "no difference" in done.stdout
    store.imectl("drain")
    store.imectl("evict")
    # A drainer that still looks at a file keeps its link a moment longer.
    links = store.backing / ".weir-ime"
    wait_for(lambda: not any(links.rglob("*")), "no link to a file that is not buffered is left")
    assert same_tree(store.backing, model)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_few_thousand_operations(variant: str, make_store: StoreMaker) -> None:
    compare(make_store(truncate="strict", **VARIANTS[variant]), 5000, seed=20)


@pytest.mark.weekly
@pytest.mark.parametrize("variant", VARIANTS)
def test_many_operations(variant: str, make_store: StoreMaker) -> None:
    compare(make_store(truncate="strict", **VARIANTS[variant]), 20_000 * TIMES, seed=4)


@pytest.mark.sample(2)
@pytest.mark.parametrize("variant", VARIANTS)
def test_sanitizers_find_nothing(variant: str, sanitized: Path, make_store: StoreMaker) -> None:
    compare(make_store(sanitized, truncate="strict", **VARIANTS[variant]), 10_000, seed=7)


def test_a_few_thousand_through_library_and_mount(make_store: StoreMaker, mounted: Mounter) -> None:
    store = make_store(truncate="strict")
    compare(store, 3000, 5, "--mount", mounted(store))


@pytest.mark.sample(2)
@pytest.mark.parametrize("variant", VARIANTS)
def test_many_operations_through_library_and_mount(
    variant: str, make_store: StoreMaker, mounted: Mounter
) -> None:
    store = make_store(truncate="strict", **VARIANTS[variant])
    compare(store, 20_000 * TIMES, 6, "--mount", mounted(store))


def test_sanitizers_find_nothing_in_the_mount(
    sanitized: Path, make_store: StoreMaker, mounted: Mounter
) -> None:
    store = make_store(sanitized, truncate="strict")
    compare(store, 10_000, 8, "--mount", mounted(store))
