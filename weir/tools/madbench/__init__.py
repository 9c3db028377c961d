"""madbench: the out-of-core matrices of MADbench2 in its I/O mode, on weir-io."""

from weir.tools.madbench.tool import Madbench

TOOL = Madbench()
