"""mdtest: operations per second on many files or directories, on weir-io or on the original mdtest."""

from weir.tools.mdtest.tool import Mdtest

TOOL = Mdtest()
