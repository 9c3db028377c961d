"""The layers of the emulator, in the sources and in the compiled objects: no layer needs a later one."""

import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.ime.conftest import ROOT
from tests.programs import ran

SOURCES = ROOT / "src/ime"
LAYERS = ("layout", "object", "space", "drain", "client")
ABOVE = ("native", "mount", "tools")


def included(file: Path) -> list[str]:
    return re.findall(r'^#include "(\w+)/[\w.]+"', file.read_text(), flags=re.MULTILINE)


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_includes_only_itself_and_earlier_ones(layer: str) -> None:
    allowed = set(LAYERS[: LAYERS.index(layer) + 1])
    files = sorted((SOURCES / layer).glob("*.[ch]"))
    assert files
    wrong = {file.name: later for file in files if (later := set(included(file)) - allowed)}
    assert wrong == {}


def symbols(library: Path, option: str) -> dict[str, set[str]]:
    """Per object file: its global symbols that are defined, or that it needs."""
    done = ran(["nm", "-g", option, "-A", library], check=True, timeout=60)
    found: dict[str, set[str]] = {}
    for line in done.stdout.splitlines():
        where, _, what = line.partition(".o:")
        found.setdefault(where.rsplit(":", 1)[1], set()).add(what.split()[-1])
    return found


def test_object_files_form_no_circle(programs: Path) -> None:
    """What a source file calls lies in its own layer or an earlier one, and no two files need each other."""
    library = programs.parent / "src/ime/libime_store.a"
    defined, needed = symbols(library, "--defined-only"), symbols(library, "--undefined-only")
    owner = {symbol: name for name, names in defined.items() for symbol in names}
    layer_of = {
        f"{file.stem}.c": LAYERS.index(layer) for layer in LAYERS for file in (SOURCES / layer).glob("*.c")
    }
    uses = {name: {owner[s] for s in needed.get(name, set()) if s in owner} - {name} for name in defined}
    assert len(uses) == len(layer_of)
    later = {
        (name, other) for name, others in uses.items() for other in others if layer_of[other] > layer_of[name]
    }
    assert later == set()
    assert list(TopologicalSorter(uses).static_order())  # raises CycleError with the files of a circle
