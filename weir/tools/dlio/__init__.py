"""DLIO, and so MLPerf Storage: the summary that it leaves is imported."""

from weir.tools.dlio.tool import Dlio

TOOL = Dlio()
