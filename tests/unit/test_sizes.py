"""The sizes of docs/architecture.md: files up to 400 lines, functions up to 60."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

from tests.conftest import ROOT

FILE_LINES, FUNCTION_LINES = 400, 60
FOLDERS = ("weir", "reframe_checks", "snakemake_executor_plugin_weir", "bench")


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
