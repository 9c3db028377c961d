"""The sizes of docs/architecture.md: files up to 400 lines, functions up to 60."""

import ast
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

from tests.conftest import ROOT

FILE_LINES, FUNCTION_LINES = 400, 60
FOLDERS = ("weir", "reframe_checks", "snakemake_executor_plugin_weir", "bench")


# A function of C or R in the format that the linters demand: it begins and ends at the margin.
FUNCTION = re.compile(
    r"^(?:[a-z][^\n;=<]*?\b(\w+)\([^;{}]*\)|([\w.]+) <- function\((?:(?!<-)[^{}])*\)) \{$.*?^\}", re.M | re.S
)


def python_files() -> Iterator[Path]:
    return chain.from_iterable((ROOT / folder).rglob("*.py") for folder in FOLDERS)


def too_long(file: Path) -> Iterator[str]:
    text = file.read_text()
    name = file.relative_to(ROOT)
    if text.count("\n") > FILE_LINES:
        yield f"{name}: {text.count(chr(10))} lines"
    for part in ast.walk(ast.parse(text)):
        if isinstance(part, ast.FunctionDef):
            lines = (part.end_lineno or 0) - part.lineno + 1
            if lines > FUNCTION_LINES:
                yield f"{name}: {part.name} has {lines} lines"


@pytest.mark.slow
def test_no_file_and_no_function_of_python_is_longer_than_the_standards_say() -> None:
    assert [found for file in python_files() for found in too_long(file)] == []


@pytest.mark.slow
def test_no_function_of_c_or_r_is_longer_than_the_standards_say() -> None:
    files = [*chain.from_iterable((ROOT / folder).rglob("*.c") for folder in ("src", "tests", "bench"))]
    files += (ROOT / "analysis").rglob("*.R")
    lengths = {
        (file.relative_to(ROOT).as_posix(), found[1] or found[2]): found[0].count("\n") + 1
        for file in files
        for found in FUNCTION.finditer(file.read_text())
    }
    assert ("src/engine/personalities/io_model/io_model_options.c", "iom_help") in lengths
    assert ("analysis/R/comparisons.R", "find_effects") in lengths
    assert len(lengths) > 2000
    assert {name: lines for name, lines in lengths.items() if lines > FUNCTION_LINES} == {}
