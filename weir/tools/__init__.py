"""Tools: every directory here is a tool and contains everything specific to it."""

from __future__ import annotations

import sys
from functools import cache

from weir.tools.base import Tool
from weir.tools.registry import find_tools


@cache
def tools() -> dict[str, Tool]:
    """All tools by the name a suite uses."""
    return find_tools(sys.modules[__name__])


def purpose_of(name: str | None) -> str | None:
    """The purpose of a tool; empty for a name without a tool."""
    tool = tools().get(name or "")
    return tool.purpose if tool else None
