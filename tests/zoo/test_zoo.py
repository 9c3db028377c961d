"""Every animal is recognised by the right rule, and the honest ones are proven."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.zoo.__main__ import is_recognised
from tests.zoo.animals import EDIT, WEIR_IO, Animal
from tests.zoo.composed.composer import OF_THE_MACHINE
from tests.zoo.controls import CONTROLS
from tests.zoo.errors import skips_unstaged
from tests.zoo.everyone import ANIMALS
from tests.zoo.keeper import ENGINE, Keeper, Visit, found
from tests.zoo.unseen import ABSENT
from weir.audit.evidence import EVIDENCE
from weir.audit.registry import rules

# What the machine of the test does besides is true of a record, and no fault of the controls.
_OF_THE_MACHINE = OF_THE_MACHINE | {"network-stood-still"}
# The first that shows a rule; make zoo has them all.
SAMPLED = list(
    {animal.rules[0]: animal for animal in reversed(ANIMALS) if WEIR_IO in animal.programs}.values()
)
HONEST = [animal for animal in CONTROLS if WEIR_IO in animal.programs]
# Those that the real IOR visits here, where IOR= names it; make zoo has them all.
_WITH_IOR = (
    "no-op fsync",
    "lying O_DIRECT",
    "zeros",
    "half a read",
    "idle rmdir",
    "quick print",
    "best of four",
)


@pytest.fixture(scope="module")
def keeper(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keeper]:
    if not ENGINE.is_file():
        pytest.skip("weir-io is not built")
    ior = os.environ.get("IOR")
    with Keeper(tmp_path_factory.mktemp("zoo"), Path(ior) if ior else None) as zoo:
        yield zoo


_VISITS: dict[tuple[str, Animal], Visit] = {}


def visited(keeper: Keeper, animal: Animal, program: str) -> Visit:
    """Those that are staged alike are one visit, unless others used the disk in the access of this one."""
    staged = (program, replace(animal, name="", what="", access="", rules=(), ior=()))
    known = _VISITS.get(staged)
    if known and "others-on-device" not in str(found(known.run, animal.access)):
        return known
    with skips_unstaged():
        _VISITS[staged] = keeper.visit(animal, program)
    return _VISITS[staged]


@pytest.mark.slow
@pytest.mark.parametrize("animal", SAMPLED, ids=[animal.name.replace(" ", "-") for animal in SAMPLED])
def test_an_animal_is_recognised(keeper: Keeper, animal: Animal) -> None:
    visit = visited(keeper, animal, "weir-io")
    if "sync-not-effective" in animal.rules and all("stored" in (row["missing"] or "") for row in visit.run):
        pytest.skip("the device behind /var/tmp shows no counters")
    assert is_recognised(animal, visit), found(visit.run, animal.access)
    if animal.preload:  # whose library is noted at least
        assert all(verdict != "VALID" or notes for verdict, _, notes in found(visit.run, animal.access))


@pytest.mark.slow
@pytest.mark.parametrize("name", _WITH_IOR)
def test_the_real_ior_is_recognised(keeper: Keeper, name: str) -> None:
    if "ior" not in keeper.programs:
        pytest.skip("the real IOR: name it with IOR=PATH")
    (animal,) = (animal for animal in ANIMALS if animal.name == name)
    visit = visited(keeper, animal, "ior")
    assert is_recognised(animal, visit, "ior"), found(visit.run, animal.access)


@pytest.mark.slow
@pytest.mark.parametrize("animal", HONEST, ids=[animal.name.replace(" ", "-") for animal in HONEST])
def test_an_honest_storage_has_no_finding(keeper: Keeper, animal: Animal) -> None:
    for verdict, reasons, notes in found(visited(keeper, animal, "weir-io").run, animal.access):
        assert {*reasons, *notes} <= _OF_THE_MACHINE
        assert verdict in ("VALID", "DEGRADED")


def test_animals_name_what_exists() -> None:
    known = {*rules(), *EVIDENCE, EDIT}
    assert {name for animal in ANIMALS for name in (*animal.rules, *animal.ior)} <= known


def test_the_page_has_every_animal() -> None:
    page = (ROOT / "docs" / "zoo.md").read_text()
    for name in (*(animal.name for animal in (*CONTROLS, *ANIMALS)), *ABSENT):
        assert f"| {name} |" in page, "write it again: make zoo IOR=PATH"


def test_the_page_shows_every_animal_recognised_by_both_programs() -> None:
    lines = {line.split(" | ")[0].removeprefix("| "): line for line in _page_lines()}
    for animal in ANIMALS:
        cells = lines[animal.name].split(" | ")
        for cell, names in ((cells[3], animal.rules), (cells[4], animal.ior or animal.rules)):
            assert cell == "not staged" or any(_shown(name) in cell for name in names), (animal.name, cell)


def _shown(name: str) -> str:
    """As a cell has it: a rule, evidence that is missing, or a file that was edited."""
    if name == EDIT:
        return "edited: records.csv"
    return f"[{name}](audit.md#{name})" if name in rules() else name


def _page_lines() -> list[str]:
    return (Path(ROOT) / "docs" / "zoo.md").read_text().splitlines()
