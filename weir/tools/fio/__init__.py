"""fio: run by suites, one process with its jobs as threads; its JSON and JSON+ outputs are imported."""

from weir.tools.fio.tool import Fio

TOOL = Fio()
