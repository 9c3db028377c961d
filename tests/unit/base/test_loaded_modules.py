"""Modules that are imported by their name alone, where an extra may be missing, exist."""

from __future__ import annotations

import importlib.util
import re

import pytest

from tests.checkout import ROOT

_LOADED = re.compile(r"\bload\(\s*\"(weir[\w.]*)\"")
MODULES = sorted(
    {
        name
        for folder in ("weir", "reframe_checks", "workflow", "snakemake_executor_plugin_weir")
        for file in (ROOT / folder).rglob("*.py")
        for name in _LOADED.findall(file.read_text(encoding="utf-8"))
    }
)


@pytest.mark.parametrize("name", MODULES)
def test_a_module_that_is_loaded_by_name_exists(name: str) -> None:
    """A module that was moved was `the Python package weir.decide.history.reference is not installed`."""
    assert importlib.util.find_spec(name) is not None
