# The formats of netcdf-bench lie on what the back ends of the same libraries share.
if(NOT WEIR_NETCDF4)
  weir_leave_out(HOW "-DWEIR_NETCDF4=ON" NAMES netcdf4 SOURCES ${CMAKE_CURRENT_LIST_DIR}/format_netcdf4.c)
endif()
if(NOT WEIR_PNETCDF)
  weir_leave_out(HOW "-DWEIR_PNETCDF=ON" NAMES cdf5 SOURCES ${CMAKE_CURRENT_LIST_DIR}/format_cdf5.c)
endif()
