"""Tools found by their files: every module here that defines TOOL is a tool of that name."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from weir.tools.base import Tool


@cache
def tools() -> dict[str, Tool]:
    """All tools by the name a suite uses."""
    found: dict[str, Tool] = {}
    for info in pkgutil.iter_modules(__path__):
        tool = getattr(importlib.import_module(f"{__name__}.{info.name}"), "TOOL", None)
        if tool is not None:
            found[tool.name] = tool
    return found
