"""Every animal is recognised by the right rule, and the honest ones are proven."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.zoo.__main__ import is_recognised
from tests.zoo.animals import ABSENT, ANIMALS, CONTROLS, Animal
from tests.zoo.keeper import ENGINE, Keeper, found
from weir.audit import rules

# What the machine of the test does besides is true of a record, and no fault of the controls.
_OF_THE_MACHINE = {"others-on-device", "machine-busy", "phase-too-short", "slow-rank"}


@pytest.fixture(scope="module")
def keeper(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keeper]:
    if not ENGINE.is_file():
        pytest.skip("weir-io is not built")
    zoo = Keeper(tmp_path_factory.mktemp("zoo"))
    zoo.open()
    yield zoo
    zoo.close()


@pytest.mark.slow
@pytest.mark.parametrize("animal", ANIMALS, ids=[animal.name.replace(" ", "-") for animal in ANIMALS])
def test_an_animal_is_recognised(keeper: Keeper, animal: Animal) -> None:
    visit = keeper.visit(animal)
    rows = visit.run or visit.document
    if "sync-not-effective" in animal.rules and rows and all("stored" in row["missing"] for row in rows):
        pytest.skip("the device behind /var/tmp shows no counters")
    assert is_recognised(animal, visit), found(rows, animal.access)
    if animal.preload:
        assert any(
            "interposed-library" in reasons or "tool-error" in reasons
            for _, reasons, _ in found(rows, animal.access)
        )


@pytest.mark.slow
@pytest.mark.parametrize("animal", CONTROLS, ids=[animal.name.replace(" ", "-") for animal in CONTROLS])
def test_an_honest_storage_has_no_finding(keeper: Keeper, animal: Animal) -> None:
    (read,) = found(keeper.visit(animal).run, "read")
    verdict, reasons, notes = read
    assert {*reasons, *notes} <= _OF_THE_MACHINE
    assert verdict in ("VALID", "DEGRADED")


def test_animals_name_rules_that_exist() -> None:
    assert {name for animal in ANIMALS for name in animal.rules} <= set(rules())


def test_the_page_has_every_animal() -> None:
    page = (ROOT / "docs" / "zoo.md").read_text()
    for name in (*(animal.name for animal in (*CONTROLS, *ANIMALS)), *ABSENT):
        assert f"| {name} |" in page, "write it again: make zoo"


def test_the_page_shows_every_animal_recognised() -> None:
    lines = {line.split(" | ")[0].removeprefix("| "): line for line in _page_lines()}
    for animal in ANIMALS:
        assert any(f"[{name}](audit.md#{name})" in lines[animal.name] for name in animal.rules), animal.name


def _page_lines() -> list[str]:
    return (Path(ROOT) / "docs" / "zoo.md").read_text().splitlines()
