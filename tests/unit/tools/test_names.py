"""Nothing outside weir/tools names a tool: code that must know one belongs in the directory of the tool."""

from __future__ import annotations

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
# What is left, by file: the numbers only fall. Claims quote papers, which are about programs.
KNOWN = {
    "weir/audit/rules/requested.py": 1,
    "weir/audit/rules/exit_status.py": 1,
    "weir/audit/rules/sync.py": 3,
    "weir/audit/rules/volume.py": 4,
    "analysis/R/claims.R": 1,
    "analysis/R/evidence.R": 1,
    "analysis/R/netcdf_ways.R": 2,
    "analysis/R/records.R": 2,
    "analysis/claims/ime-paper.R": 5,
    "analysis/claims/netcdf-slides.R": 2,
    "analysis/figures/netcdf.R": 1,
    "analysis/figures/netcdf-ior.R": 1,
    "analysis/tables/best-mean.R": 11,
    "analysis/tables/netcdf-configuration.R": 1,
}


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
        if not name.startswith("weir/tools/"):
            found[name] += sum(bool(IN_TEXT.search(text)) for text in strings(file))
    for file in (ROOT / "analysis").rglob("*.R"):
        if "tests" not in file.parts:
            name = str(file.relative_to(ROOT))
            found[name] += sum(bool(IN_R.search(line)) for line in file.read_text().splitlines())
    return +found


def test_no_file_outside_names_a_tool_that_is_not_on_the_shrinking_list() -> None:
    more = {name: count for name, count in named().items() if count > KNOWN.get(name, 0)}
    assert not more, f"use a hook of weir/tools/base.py or the role in facts.json: {more}"


def test_the_list_holds_only_files_that_are_there() -> None:
    assert [name for name in KNOWN if not (ROOT / name).is_file()] == []
