"""dd: what it prints at its end is imported, and judged under weir prove."""

from weir.tools.dd.tool import Dd

TOOL = Dd()
