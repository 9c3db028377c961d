include(${PROJECT_SOURCE_DIR}/src/cmake/parallel_libraries.cmake)
if(WEIR_HDF5)
  target_link_libraries(weir_engine PUBLIC weir::hdf5)
else()
  weir_leave_out(HOW "-DWEIR_HDF5=ON" NAMES HDF5 
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/hdf5.c ${CMAKE_CURRENT_LIST_DIR}/hdf5_library.c
            ${CMAKE_CURRENT_LIST_DIR}/hdf5_stored.c)
endif()
