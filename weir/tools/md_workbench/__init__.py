"""md-workbench: what it printed is imported."""

from weir.tools.md_workbench.tool import MdWorkbench

TOOL = MdWorkbench()
