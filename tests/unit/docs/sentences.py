"""Every text that a user can meet, with the file and line it stands in."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml

from tests.checkout import ROOT
from tests.unit.docs.pages import pages

_COMMENT_OF_C = re.compile(r"/\*.*?\*/", re.DOTALL)
_COMMENT = re.compile(r"(^|\s)# .*")
_QUOTED = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


class Text(NamedTuple):
    path: str
    line: int
    text: str


def texts() -> Iterator[Text]:
    """Pages, string literals of Python, R and C, values of YAML, reports, and the help of make."""
    for path in pages():
        yield from _lines(path)
    for folder in ("weir", "reframe_checks"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield from _python(path)
    for pattern in ("analysis/**/*.R", "src/**/*.[ch]"):
        for path in sorted(ROOT.glob(pattern)):
            if "tests" not in path.relative_to(ROOT).parts:
                yield from _quoted(path)
    for path in sorted(ROOT.glob("config/**/*.yaml")):
        yield from _yaml(path)
    for path in sorted(ROOT.glob("reports/**/*.tex")):
        yield from (text for text in _lines(path) if not text.text.lstrip().startswith("%"))
    yield from (text for text in _lines(ROOT / "Makefile") if "## " in text.text)


def comments() -> Iterator[Text]:
    """Comments and docstrings of Python, comments of C and R."""
    for folder in ("weir", "reframe_checks", "bench", "tests"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield from _comments_of_python(path)
    for path in sorted(ROOT.glob("analysis/**/*.R")):
        yield from (text for text in _lines(path) if text.text.lstrip().startswith("#"))
    for folder in ("src", "tests"):
        for path in sorted((ROOT / folder).rglob("*.[ch]")):
            yield from _comments_of_c(path)


def docstrings() -> Iterator[Text]:
    """Docstrings of product code: modules, classes and functions."""
    for folder in ("weir", "reframe_checks", "snakemake_executor_plugin_weir", "envs", ".ci", "bench"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in _constants_of(path)[0]:
                yield Text(_name(path), node.lineno, str(node.value))


def _comments_of_c(path: Path) -> Iterator[Text]:
    text = path.read_text()
    for found in _COMMENT_OF_C.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        yield Text(_name(path), line, re.sub(r"\n \* ?", " ", found[0]))


@cache
def _constants_of(path: Path) -> tuple[list[ast.Constant], list[ast.Constant]]:
    """String constants of a file: its docstrings, and the others."""
    constants: list[ast.Constant] = []
    docstrings: dict[int, ast.Constant] = {}
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            docstrings[id(node.value)] = node.value
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            constants.append(node)
    return list(docstrings.values()), [node for node in constants if id(node) not in docstrings]


def _comments_of_python(path: Path) -> Iterator[Text]:
    name = _name(path)
    for node in _constants_of(path)[0]:
        yield Text(name, node.lineno, str(node.value))
    for text in _lines(path):
        if "#" in text.text and (found := _COMMENT.search(text.text)):
            yield text._replace(text=found[0])


@cache
def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _lines(path: Path) -> Iterator[Text]:
    name = _name(path)
    for number, line in enumerate(path.read_text().splitlines(), 1):
        yield Text(name, number, line)


def _python(path: Path) -> Iterator[Text]:
    """String constants that are no docstrings: messages, help, captions; parts of f-strings too."""
    for node in _constants_of(path)[1]:
        yield Text(_name(path), node.lineno, str(node.value))


def _quoted(path: Path) -> Iterator[Text]:
    """Strings in double quotes, as R and C have them; lines of comments do not count."""
    for text in _lines(path):
        if not text.text.lstrip().startswith(("#", "//", "*", "/*")):
            yield from (text._replace(text=found) for found in _QUOTED.findall(text.text))


def _yaml(path: Path) -> Iterator[Text]:
    for node in yaml.compose_all(path.read_text(), Loader=yaml.CSafeLoader):
        yield from _scalars(path, node)


def _scalars(path: Path, node: yaml.Node | None) -> Iterator[Text]:
    if isinstance(node, yaml.ScalarNode):
        yield Text(_name(path), node.start_mark.line + 1, node.value)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _scalars(path, item)
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _scalars(path, key)
            yield from _scalars(path, value)
