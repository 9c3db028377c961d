"""Tools are found by their directories, and a wrong hook is named before anything runs."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.programs import write_file
from weir.audit import registry
from weir.audit.subject import Subject
from weir.base.errors import ConfigError
from weir.tools import find_tools, tools
from weir.tools.base import PURPOSES, Tool

PEBBLE = """
from weir.tools.base import Tool


class Pebble(Tool):
    name = "pebble"
    purpose = "bandwidth"
    parameters = {}

    def label(self, params):
        return ""

    def problems(self, cell, target):
        return []

    def command(self, cell, target, program, paths):
        return []

    def footprint(self, cell):
        return None

    def parse(self, outputs):
        return None


TOOL = Pebble()
"""


def package(folder: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str]) -> ModuleType:
    """A package with these files, imported."""
    for name, text in {"__init__.py": "", **files}.items():
        write_file(folder / "stones" / name, text)
    monkeypatch.syspath_prepend(str(folder))
    for name in [name for name in sys.modules if name.split(".")[0] == "stones"]:
        monkeypatch.delitem(sys.modules, name)
    return importlib.import_module("stones")


def test_a_directory_is_a_tool_and_a_file_beside_it_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"pebble/__init__.py": PEBBLE, "shared.py": "NUMBER = 1\n"}
    assert list(find_tools(package(tmp_path, monkeypatch, files))) == ["pebble"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("def footprint(self, cell)", "def footprnt(self, cell)", "Pebble.footprnt: is not a hook of a tool"),
        ("def footprint(self, cell)", "def footprnt(self, cell)", "did you mean 'footprint'?"),
        ("def footprint(self, cell)", "def _cost(self, cell)", "Pebble.footprint: is a required hook"),
        ("def footprint(self, cell)", "def _cost(self, cell)", "def footprint(self, cell)"),
        ("def label(self, params)", "def label(self, cell, target)", "label: takes (self, cell, target)"),
        ("    parameters = {}\n", "    parameters = {}\n    parse_log = None\n", "Pebble.parse_log: must be"),
        ("    parameters = {}\n", "", "Pebble.parameters: is a required hook"),
        ('purpose = "bandwidth"', 'purpose = "bandwith"', "did you mean 'bandwidth'?"),
        ("class Pebble(Tool)", "class Pebble", "TOOL: is of the class Pebble"),
        ("TOOL =", "TOOLS =", "TOOL: is missing"),
    ],
)
def test_a_wrong_tool_is_named_with_its_file_and_hook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, expected: str
) -> None:
    assert old in PEBBLE
    stones = package(tmp_path, monkeypatch, {"pebble/__init__.py": PEBBLE.replace(old, new)})
    with pytest.raises(ConfigError) as error:
        find_tools(stones)
    assert str(tmp_path / "stones" / "pebble" / "__init__.py") in str(error.value)
    assert expected in str(error.value)


def test_a_tool_in_a_file_is_told_where_it_belongs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="a tool is a directory"):
        find_tools(package(tmp_path, monkeypatch, {"pebble.py": PEBBLE}))


RULES = '''
from weir.audit.registry import degraded
from weir.audit.registry import rule


@rule("DEGRADED")
def pebble_sank(subject):
    """The pebble sank.

    Hint: throw a flatter one.
    """
    return degraded("after 3 jumps")
'''


def test_rules_beside_a_tool_look_at_its_records_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"pebble/__init__.py": PEBBLE, "pebble/rules.py": RULES}
    found = find_tools(package(tmp_path, monkeypatch, files))
    monkeypatch.setattr(registry, "tools", lambda: found)
    registry.rules.cache_clear()
    registry.rules_for.cache_clear()
    try:
        (rule,) = [rule for rule in registry.rules_for("pebble") if rule.tool]
        assert rule not in registry.rules_for("other")
    finally:
        registry.rules.cache_clear()
        registry.rules_for.cache_clear()
    assert (rule.id, rule.tool, rule.hint) == ("pebble-sank", "pebble", "throw a flatter one.")
    outcome = rule.check(Subject({"tool": "pebble"}))
    assert outcome.text == "after 3 jumps"


def test_every_tool_has_a_purpose_that_is_explained() -> None:
    shipped = {
        "find": "search",
        "io-model": "latency",
        "ior": "bandwidth",
        "madbench": "application",
        "mdtest": "metadata",
        "netcdf-bench": "format",
    }
    assert shipped.items() <= {name: tool.purpose for name, tool in tools().items()}.items()
    assert set(PURPOSES) == {tool.purpose for tool in tools().values()}


def test_a_hook_that_a_tool_leaves_out_has_a_default() -> None:
    tool = Tool()
    assert (tool.parse_log("text"), tool.latencies({}), tool.ranks_started(Path(), "")) == ((), (), [])
