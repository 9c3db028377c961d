"""Tools: every directory here is one, and all that knows a tool stands in its directory."""

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
    """What the numbers of a tool are about; nothing for a name that is no tool of ours."""
    tool = tools().get(name or "")
    return tool.purpose if tool else None
