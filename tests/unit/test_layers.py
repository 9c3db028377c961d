"""The layers of docs/architecture.md hold: no arrow upwards, and no circle inside a directory."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLE = (ROOT / "docs" / "architecture.md").read_text().partition("## Layers")[2].partition("\n## ")[0]
Graph = dict[str, set[str]]


def levels(top: str) -> dict[str, int]:
    """Name to number of its line, counted from below."""
    lines = re.findall(rf"^    {top}/ +(.+)$", TABLE, re.MULTILINE)
    return {name: number for number, line in enumerate(reversed(lines)) for name in line.split()}


def python_modules() -> dict[str, Path]:
    found = {}
    for file in (ROOT / "weir").rglob("*.py"):
        parts = file.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def imports(file: Path, known: Set[str]) -> Iterator[str]:
    """Modules of weir that a file imports, also inside functions."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "weir":
            assert node.module is not None
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in known else node.module for name in inner)


def python_graph() -> Graph:
    modules = python_modules()
    return {name: set(imports(file, modules.keys())) - {name} for name, file in modules.items()}


def c_graph() -> Graph:
    """Directories below src/; a header is found beside its user, or by its path from a directory above."""
    files = [*(ROOT / "src").rglob("*.[ch]")]
    graph: Graph = defaultdict(set)
    for file in files:
        here = file.parent
        for text in re.findall(r'^#include "([^"]+)"', file.read_text(), re.MULTILINE):
            beside = (here / text).resolve()
            found = (
                [beside] if beside.exists() else [each for each in files if str(each).endswith(f"/{text}")]
            )
            assert len(found) == 1, f"{file}: {text} is {found}"
            graph[name_of(here)].add(name_of(found[0].parent))
    return {name: users - {name} for name, users in graph.items()}


def name_of(folder: Path) -> str:
    return str(folder.relative_to(ROOT / "src"))


def circle(graph: Mapping[str, Set[str]]) -> list[str]:
    """One circle of the graph; empty if there is none."""
    state: dict[str, bool] = {}  # False: being looked at

    def visit(name: str, path: list[str]) -> list[str]:
        if state.get(name) is False:
            return [*path[path.index(name) :], name]
        if name not in state:
            state[name] = False
            for each in sorted(graph.get(name, ())):
                if found := visit(each, [*path, name]):
                    return found
            state[name] = True
        return []

    return next((found for name in sorted(graph) if (found := visit(name, []))), [])


def upward(graph: Graph, level: Mapping[str, int]) -> list[str]:
    return sorted(
        f"{user} -> {used}"
        for user, all_used in graph.items()
        for used in all_used
        if level[used] >= level[user]
    )


def entry(module: str) -> str:
    """The entry of weir/ that a module belongs to; a tool's audit rules count as a part of audit."""
    parts = module.split(".")
    if len(parts) == 4 and parts[1] == "tools" and parts[3] == "rules":
        return "audit"
    return parts[1] if len(parts) > 1 else ""


def packages(graph: Graph) -> Graph:
    """The arrows between the entries of weir/; weir itself holds the version only."""
    found: Graph = defaultdict(set)
    for user, all_used in graph.items():
        for used in all_used - {"weir"}:
            source, aim = entry(user), entry(used)
            if source and source != aim:
                found[source].add(aim)
    return found


def test_a_circle_is_found() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}}) == ["a", "b", "c", "a"]
    assert circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []
    assert upward({"a": {"b"}, "b": {"a"}}, {"a": 1, "b": 0}) == ["b -> a"]


def test_every_directory_and_module_has_a_layer() -> None:
    entries = {
        path.stem
        for path in (ROOT / "weir").iterdir()
        if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    assert entries - {"__init__"} == set(levels("weir"))
    assert {name_of(file.parent) for file in (ROOT / "src").rglob("*.[ch]")} == set(levels("src"))


def test_no_arrow_of_weir_goes_up() -> None:
    assert upward(packages(python_graph()), levels("weir")) == []


def test_no_arrow_of_src_goes_up() -> None:
    assert upward(c_graph(), levels("src")) == []


@pytest.mark.parametrize("graph", [python_graph, c_graph])
def test_there_is_no_circle(graph: object) -> None:
    assert callable(graph)
    assert circle(graph()) == []
