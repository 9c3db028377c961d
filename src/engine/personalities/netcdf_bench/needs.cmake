# The formats of netcdf-bench: NetCDF-4 (which lies on HDF5) and, by PnetCDF, CDF-5.
include(${PROJECT_SOURCE_DIR}/src/cmake/parallel_libraries.cmake)
target_link_libraries(weir_engine PUBLIC weir::netcdf weir::hdf5 weir::pnetcdf)
