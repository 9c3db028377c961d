"""h5bench: results of its programs to write, read and stress metadata are imported."""

from weir.tools.h5bench.tool import H5bench

TOOL = H5bench()
