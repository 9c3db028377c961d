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
