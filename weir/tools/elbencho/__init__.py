"""elbencho: run by suites as one process of threads; its JSON, CSV and tables are imported."""

from weir.tools.elbencho.tool import Elbencho

TOOL = Elbencho()
