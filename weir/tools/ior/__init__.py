"""ior: parallel reads and writes of one file or one file per process, on weir-io or on the original IOR."""

from weir.tools.ior.tool import Ior

TOOL = Ior()
