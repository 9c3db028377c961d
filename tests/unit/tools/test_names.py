"""Nothing outside weir/tools names a tool: code that must know one belongs in the directory of the tool."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from weir.tools import tools

ROOT = Path(__file__).resolve().parents[3]
# Tools and their programs, as a string of code may hold them; find is a verb of prose, too.
NAMES = "|".join(sorted({*tools(), "IOR", "benchtool", "MADbench2", "NetCDF-Bench"} - {"find"}))
IN_TEXT = re.compile(rf"(?<![\w-])({NAMES})(?![\w-])")
IN_R = re.compile(rf'"({NAMES})"')


def strings(file: Path) -> Iterator[str]:
    """String constants of a Python file that are not docstrings."""
    tree = ast.parse(file.read_text())
    holders = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    first = (node.body[0] for node in ast.walk(tree) if isinstance(node, holders) and node.body)
    docstrings = {id(node.value) for node in first if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def named() -> Counter[str]:
    """How often each file outside weir/tools names a tool."""
    found: Counter[str] = Counter()
    for file in [*(ROOT / "weir").rglob("*.py"), *(ROOT / "reframe_checks").rglob("*.py")]:
        name = str(file.relative_to(ROOT))
        if not name.startswith("weir/tools/") and IN_TEXT.search(file.read_text()):
            found[name] += sum(bool(IN_TEXT.search(text)) for text in strings(file))
    for file in (ROOT / "analysis").rglob("*.R"):
        if "tests" not in file.parts and not file.name.endswith(".world.R"):  # records made up for tests
            name = str(file.relative_to(ROOT))
            found[name] += sum(bool(IN_R.search(line)) for line in file.read_text().splitlines())
    return +found


def test_no_file_outside_names_a_tool() -> None:
    assert not named(), f"use a hook of weir/tools/base.py, or the column purpose in R: {dict(named())}"
