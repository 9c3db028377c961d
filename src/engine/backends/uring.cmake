# io_uring by liburing, and Linux AIO by libaio where a kernel forbids io_uring.
option(WEIR_URING "Build the back end URING" ON)
find_path(URING_INCLUDE liburing.h)
find_library(URING_LIBRARY uring)
find_path(AIO_INCLUDE libaio.h)
find_library(AIO_LIBRARY aio)

if(WEIR_URING AND URING_INCLUDE AND URING_LIBRARY AND AIO_INCLUDE AND AIO_LIBRARY)
  message(STATUS "weir-io uses ${URING_LIBRARY} and ${AIO_LIBRARY}")
  target_include_directories(weir_engine PUBLIC ${URING_INCLUDE} ${AIO_INCLUDE})
  target_link_libraries(weir_engine PUBLIC ${URING_LIBRARY} ${AIO_LIBRARY})
else()
  if(WEIR_URING)
    message(STATUS "weir-io is built without -a URING: liburing and libaio were not found "
                   "(on Debian and Ubuntu: apt-get install liburing-dev libaio-dev)")
  endif()
  weir_leave_out(HOW "-DWEIR_URING=ON, liburing and libaio" NAMES URING AIO
                 SOURCES ${CMAKE_CURRENT_LIST_DIR}/uring.c)
endif()
