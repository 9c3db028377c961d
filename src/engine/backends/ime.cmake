# The client library of a burst buffer: the vendor's where IME_ROOT names its prefix, else the emulator of this tree.
option(WEIR_IME "Build the back end IME" ON)
set(IME_ROOT "$ENV{IME_ROOT}" CACHE PATH "Prefix of an IME client: include/ime_native.h and lib/libim_client.so")

if(NOT WEIR_IME OR (NOT IME_ROOT AND NOT WEIR_EMULATOR))
  if(WEIR_IME)
    message(STATUS "weir-io is built without -a IME: there is no emulator in this build and IME_ROOT names no client")
  endif()
  weir_leave_out(HOW "-DWEIR_IME=ON and IME_ROOT, the prefix of an IME client" NAMES IME
                 SOURCES ${CMAKE_CURRENT_LIST_DIR}/ime.c)
elseif(IME_ROOT)
  find_path(IME_INCLUDE ime_native.h PATHS ${IME_ROOT}/include NO_DEFAULT_PATH)
  find_library(IME_LIBRARY im_client PATHS ${IME_ROOT}/lib ${IME_ROOT}/lib64
               ${IME_ROOT}/${CMAKE_INSTALL_LIBDIR} NO_DEFAULT_PATH)
  if(NOT IME_INCLUDE OR NOT IME_LIBRARY)
    message(FATAL_ERROR
      "IME_ROOT=${IME_ROOT} holds no IME client: include/ime_native.h and lib/libim_client.so are needed.\n"
      "Give the prefix of DDN's client, or unset IME_ROOT to use the emulator of this tree.")
  endif()
  message(STATUS "weir-io uses the IME client ${IME_LIBRARY}")
  target_include_directories(weir_engine PUBLIC ${IME_INCLUDE})
  target_link_libraries(weir_engine PUBLIC ${IME_LIBRARY})
else()
  target_link_libraries(weir_engine PUBLIC im_client)
endif()
