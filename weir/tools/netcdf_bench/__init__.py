"""netcdf-bench: one 4D variable in NetCDF-4 or CDF-5, on weir-io or on the original benchtool."""

from weir.tools.netcdf_bench.tool import NetcdfBench

TOOL = NetcdfBench()
