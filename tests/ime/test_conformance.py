"""The store does what a plain directory does, whoever operates on it and however the data move between the tiers."""

from __future__ import annotations

import filecmp
from pathlib import Path

import pytest

from tests.ime.conftest import Store, StoreMaker

VARIANTS = {
    "plain": {},
    "tight": {"capacity": "512 KiB"},
    "tight-through": {"capacity": "512 KiB", "when_full": "through"},
    "drained-meanwhile": {"drain": "auto"},
    "large-granules": {"granule": "64 KiB", "capacity": "8 MiB"},
    "staged-reads": {"read_miss": "stage"},
}


def same_tree(left: Path, right: Path) -> bool:
    names = sorted(path.relative_to(left) for path in left.rglob("*"))
    if names != sorted(path.relative_to(right) for path in right.rglob("*")):
        return False
    files = [str(name) for name in names if (left / name).is_file()]
    return filecmp.cmpfiles(left, right, files, shallow=False)[1:] == ([], [])


def compare(store: Store, operations: int, seed: int) -> None:
    model = store.folder / "model"
    model.mkdir()
    done = store.program(
        "ime-conformance",
        "--store",
        store.backing,
        "--model",
        model,
        "--operations",
        operations,
        "--seed",
        seed,
    )
    assert f"{operations} operations" in done.stdout
    assert "no difference" in done.stdout
    store.imectl("destroy")
    assert same_tree(store.backing, model)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_few_thousand_operations(variant: str, programs: Path, make_store: StoreMaker) -> None:
    compare(make_store(programs, truncate="strict", **VARIANTS[variant]), 5000, seed=20)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_hundred_thousand_operations(variant: str, programs: Path, make_store: StoreMaker) -> None:
    compare(make_store(programs, truncate="strict", **VARIANTS[variant]), 100_000, seed=4)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_sanitizers_find_nothing(variant: str, sanitized: Path, make_store: StoreMaker) -> None:
    compare(make_store(sanitized, truncate="strict", **VARIANTS[variant]), 10_000, seed=7)
