include(${PROJECT_SOURCE_DIR}/src/cmake/parallel_libraries.cmake)
target_link_libraries(weir_engine PUBLIC weir::pnetcdf)
