"""The layers of docs/architecture.md hold: no arrow upwards, and no circle inside a directory."""

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Set
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLE = (ROOT / "docs" / "architecture.md").read_text().partition("## Layers")[2].partition("\n## ")[0]
PICTURE = (ROOT / "docs" / "architecture.md").read_text().partition("## From a suite to a figure")[2]
Graph = dict[str, set[str]]
_LITERAL = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"', re.DOTALL)
_DEFINITION = re.compile(r"^(?!static\b|typedef\b|#)[A-Za-z_][\w *]*?\b(\w+)\([^;{}]*\)\s*\{", re.MULTILINE)


@cache
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


@cache
def python_graph() -> Graph:
    modules = python_modules()
    return {name: set(imports(file, modules.keys())) - {name} for name, file in modules.items()}


@cache
def c_includes() -> Graph:
    """Files below src/; a header is found beside its user, or by its path from a directory above."""
    files = [*(ROOT / "src").rglob("*.[ch]")]
    graph: Graph = {}
    for file in files:
        graph[name_of(file)] = set()
        for text in re.findall(r'^#include "([^"]+)"', file.read_text(), re.MULTILINE):
            beside = (file.parent / text).resolve()
            found = (
                [beside] if beside.exists() else [each for each in files if str(each).endswith(f"/{text}")]
            )
            assert len(found) == 1, f"{file}: {text} is {found}"
            graph[name_of(file)].add(name_of(found[0]))
    return graph


@cache
def c_calls() -> Graph:
    """From a source to those that define the functions that it names, within one product below src/."""
    graph: Graph = {}
    for product in (ROOT / "src").iterdir():
        texts = {file: _LITERAL.sub(" ", file.read_text()) for file in product.rglob("*.c")}
        defined: dict[str, list[Path]] = defaultdict(list)
        for file, text in texts.items():
            for name in _DEFINITION.findall(text):
                defined[name].append(file)
        for file, text in texts.items():
            names = set(re.findall(r"\w+", text)) & defined.keys()
            used = {defined[name][0] for name in names if len(defined[name]) == 1}
            graph[name_of(file)] = {name_of(one) for one in used - {file}}
    return graph


def c_folders() -> Graph:
    """What the includes and the calls of the files come to."""
    found: Graph = defaultdict(set)
    for user, all_used in [*c_includes().items(), *c_calls().items()]:
        found[str(Path(user).parent)] |= {str(Path(used).parent) for used in all_used}
    return {name: used - {name} for name, used in found.items()}


@cache
def r_calls() -> Graph:
    """From a file of analysis/ to those that define the functions that it calls. Names of a plug-in are its
    own, so that the same in R/ or in the caller goes first."""
    home = ROOT / "analysis"
    files = sorted((file for file in home.rglob("*.R") if "tests" not in file.parts), reverse=True)
    texts = {
        str(file.relative_to(home)): re.sub(r'#[^\n]*|"(?:\\.|[^"\\])*"', '""', file.read_text())
        for file in sorted(files, key=lambda file: file.parent.name == "R")
    }
    own = {file: set(re.findall(r"([\w.]+)(?: <- |[,=)])", text)) for file, text in texts.items()}
    defined = {
        name: file
        for file, text in texts.items()
        for name in re.findall(r"^([\w.]+) <- ", text, re.MULTILINE)
    }
    return {
        file: {
            defined[name]
            for name in re.findall(r"(?<![\w.$@])([\w.]+)\(", text)
            if name in defined.keys() - own[file]
        }
        for file, text in texts.items()
    }


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT / "src"))


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


@cache
def room(module: str) -> str:
    """The innermost room of the table that a module belongs to; a tool's audit rules are a part of audit."""
    parts = module.split(".")
    if len(parts) == 4 and parts[1] == "tools" and parts[3] == "rules":
        return "audit"
    above = ("/".join(parts[1:end]) for end in range(len(parts), 1, -1))
    return next((name for name in above if name in levels("weir")), "/".join(parts[1:]))


def packages(graph: Graph) -> Graph:
    """The arrows between the rooms of weir/; weir itself holds the version only."""
    found: Graph = defaultdict(set)
    for user, all_used in graph.items():
        for used in all_used - {"weir"}:
            source, aim = room(user), room(used)
            if source and source != aim:
                found[source].add(aim)
    return found


def test_a_circle_is_found() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}}) == ["a", "b", "c", "a"]
    assert circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []
    assert upward({"a": {"b"}, "b": {"a"}}, {"a": 1, "b": 0}) == ["b -> a"]


def test_every_room_has_a_layer() -> None:
    entries = {
        path.stem
        for path in (ROOT / "weir").iterdir()
        if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    assert entries - {"__init__"} == {name.partition("/")[0] for name in levels("weir")}
    inner = {name for name in levels("weir") if "/" in name}
    assert {name for name in inner if not (ROOT / "weir" / name / "__init__.py").is_file()} == set()
    assert {name_of(file.parent) for file in (ROOT / "src").rglob("*.[ch]")} == set(levels("src"))


def test_no_arrow_of_weir_goes_up() -> None:
    assert upward(packages(python_graph()), levels("weir")) == []


def test_no_arrow_of_src_goes_up() -> None:
    assert upward(c_folders(), levels("src")) == []


def test_engine_and_emulator_know_nothing_of_each_other() -> None:
    """Each is a product of its own; libweir-witness shares parts of the engine."""
    products = {
        (user.split("/")[0], used.split("/")[0])
        for graph in (c_includes(), c_calls())
        for user, all_used in graph.items()
        for used in all_used
    }
    assert ("witness", "engine") in products
    assert {pair for pair in products if len({*pair}) > 1 and "ime" in pair} == set()


@pytest.mark.parametrize("graph", [python_graph, c_includes, c_calls, c_folders, r_calls])
def test_there_is_no_circle(graph: Callable[[], Graph]) -> None:
    """By file: what includes or imports, and in C and R what calls."""
    found = graph()
    assert sum(map(len, found.values())) > 20
    assert circle(found) == []


def test_plug_ins_of_the_analysis_stand_on_its_parts_alone() -> None:
    """A figure, a table, a claim, a metric or an advice uses files of R/, and no file of R/ knows one."""
    graph = r_calls()
    assert graph["R/page.R"]
    folders = {file: {used.partition("/")[0] for used in all_used} for file, all_used in graph.items()}
    assert {file: used for file, used in folders.items() if "/" in file and not used <= {"R"}} == {}


def test_a_class_shares_its_name_with_no_other() -> None:
    named: dict[str, list[str]] = defaultdict(list)
    for file in [*python_modules().values(), *(ROOT / "reframe_checks").rglob("*.py")]:
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ClassDef):
                named[node.name].append(str(file.relative_to(ROOT)))
    assert {name: files for name, files in named.items() if len(files) > 1} == {}


def test_the_way_of_a_suite_to_a_figure_is_as_it_is_drawn() -> None:
    """Files and functions of the picture are there, and each arrow is an import or a call."""
    lines = re.findall(r"^        (.+)$", PICTURE.partition("\n## ")[0], re.MULTILINE)
    steps = [re.findall(r"([\w/]+\.(?:py|R|sh))(?: (\w+))?", line) for line in lines]
    for file, name in [step for line in steps for step in line]:
        text = (ROOT / file).read_text()
        assert not name or re.search(rf"^(def {name}\(|{name} <- function)", text, re.MULTILINE), (file, name)
    modules = {str(file.relative_to(ROOT)): name for name, file in python_modules().items()}
    imported = python_graph()
    used: Graph = {file: imported[name] for file, name in modules.items()}
    used |= {f"analysis/{file}": {f"analysis/{one}" for one in called} for file, called in r_calls().items()}
    arrows = [(a[0], b[0]) for line in steps for a, b in pairwise(line)]
    wrong = [(a, b) for a, b in arrows if modules.get(b, b) not in used[a]]
    assert len(arrows) > 15
    assert wrong == []
