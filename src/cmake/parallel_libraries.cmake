# The parallel I/O libraries, found by pkg-config, as targets weir::hdf5, weir::netcdf and weir::pnetcdf. What is
# missing, or cannot do parallel I/O, ends the configuration with the name of the package and of the switch that
# disables what needs it.
include_guard(GLOBAL)
find_package(PkgConfig REQUIRED)
include(CheckCSourceCompiles)
option(WEIR_HDF5 "Build the back end HDF5" ON)
option(WEIR_NETCDF4 "Build the back end NETCDF4 and the format of netcdf-bench, which lie on HDF5" ON)
option(WEIR_PNETCDF "Build the back end PNETCDF and the format CDF-5 of netcdf-bench" ON)

# weir_existing_includes(target): removes the include folders that do not exist. Debian 13 gives PnetCDF a .pc file that
# names folders in which the package was built, and CMake ends at a folder that does not exist.
function(weir_existing_includes target)
  get_target_property(named ${target} INTERFACE_INCLUDE_DIRECTORIES)
  if(NOT named)
    return()
  endif()
  set(existing "")
  foreach(folder IN LISTS named)
    if(IS_DIRECTORY "${folder}")
      list(APPEND existing "${folder}")
    endif()
  endforeach()
  set_property(TARGET ${target} PROPERTY INTERFACE_INCLUDE_DIRECTORIES "${existing}")
endfunction()

# weir_parallel_library(TARGET name MODULES names of pkg-config HEADERS files CALL code that needs parallel I/O
#                       PACKAGE name in Debian SWITCHES what needs it)
function(weir_parallel_library)
  cmake_parse_arguments(lib "" "TARGET;CALL;PACKAGE" "MODULES;HEADERS;SWITCHES" ${ARGN})
  set(prefix WEIR_LIB_${lib_TARGET})
  set(needed FALSE)
  foreach(switch ${lib_SWITCHES})
    if(${switch})
      set(needed TRUE)
    endif()
  endforeach()
  if(NOT needed)
    return()
  endif()
  pkg_search_module(${prefix} QUIET IMPORTED_TARGET GLOBAL ${lib_MODULES})
  set(found FALSE)
  if(${prefix}_FOUND)
    weir_existing_includes(PkgConfig::${prefix})
    # Debian keeps the headers of its second NetCDF away and its pkg-config file does not say where.
    pkg_get_variable(libdir ${${prefix}_MODULE_NAME} libdir)
    if(lib_TARGET STREQUAL netcdf AND EXISTS ${libdir}/netcdf/mpi/include)
      set_property(TARGET PkgConfig::${prefix} APPEND PROPERTY
                   INTERFACE_INCLUDE_DIRECTORIES ${libdir}/netcdf/mpi/include)
    endif()
    set(CMAKE_REQUIRED_LIBRARIES PkgConfig::${prefix} MPI::MPI_C)
    set(CMAKE_REQUIRED_QUIET TRUE)
    list(TRANSFORM lib_HEADERS REPLACE "(.+)" "#include <\\1>" OUTPUT_VARIABLE includes)
    list(JOIN includes "\n" includes)
    check_c_source_compiles("#include <mpi.h>\n${includes}\nint main(void) { return ${lib_CALL}; }"
                            ${prefix}_PARALLEL)
    set(found ${${prefix}_PARALLEL})
  endif()
  if(NOT found)
    unset(${prefix}_PARALLEL CACHE)
    list(JOIN lib_MODULES ", " names)
    list(TRANSFORM lib_SWITCHES REPLACE "(.+)" "-D\\1=OFF" OUTPUT_VARIABLE without)
    list(JOIN without " " without)
    message(FATAL_ERROR
      "weir-io needs ${lib_TARGET} with parallel I/O on the same MPI (pkg-config knows: ${names}); "
      "found none that compiles and links.\n"
      "On Debian and Ubuntu: apt-get install ${lib_PACKAGE}\n"
      "Elsewhere: build it with the MPI of ${MPI_C_COMPILER} and put its .pc file on PKG_CONFIG_PATH\n"
      "To build without what needs it: ${without}")
  endif()
  add_library(weir::${lib_TARGET} ALIAS PkgConfig::${prefix})
  message(STATUS "weir-io uses ${lib_TARGET} ${${prefix}_VERSION} (${${prefix}_MODULE_NAME})")
endfunction()

weir_parallel_library(TARGET hdf5 MODULES hdf5-openmpi hdf5-mpi hdf5 HEADERS hdf5.h
  CALL "H5Pset_fapl_mpio(0, MPI_COMM_SELF, MPI_INFO_NULL)" PACKAGE libhdf5-openmpi-dev
  SWITCHES WEIR_HDF5 WEIR_NETCDF4)
weir_parallel_library(TARGET netcdf MODULES netcdf-mpi netcdf HEADERS netcdf.h netcdf_par.h
  CALL "nc_create_par(0, 0, MPI_COMM_SELF, MPI_INFO_NULL, 0)" PACKAGE libnetcdf-mpi-dev
  SWITCHES WEIR_NETCDF4)
weir_parallel_library(TARGET pnetcdf MODULES pnetcdf HEADERS pnetcdf.h
  CALL "ncmpi_create(MPI_COMM_SELF, 0, 0, MPI_INFO_NULL, 0)" PACKAGE libpnetcdf-dev
  SWITCHES WEIR_PNETCDF)
