# SystemC as an imported target. Debian's package is built for one C++ standard and refuses to link with another; say so here, in
# one sentence, instead of leaving it to an undefined symbol.
find_path(SYSTEMC_INCLUDE_DIR systemc)
find_library(SYSTEMC_LIBRARY systemc)
if(NOT SYSTEMC_INCLUDE_DIR OR NOT SYSTEMC_LIBRARY)
  message(FATAL_ERROR "SystemC was not found: install libsystemc-dev (Debian) or set SYSTEMC_INCLUDE_DIR and SYSTEMC_LIBRARY.")
endif()
add_library(SystemC::systemc UNKNOWN IMPORTED)
set_target_properties(SystemC::systemc PROPERTIES
  IMPORTED_LOCATION ${SYSTEMC_LIBRARY}
  INTERFACE_INCLUDE_DIRECTORIES ${SYSTEMC_INCLUDE_DIR}
  INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${SYSTEMC_INCLUDE_DIR})

file(WRITE ${CMAKE_BINARY_DIR}/systemc_check.cpp "#include <systemc>\nint sc_main(int, char **) { return 0; }\n")
try_compile(DMASIM_SYSTEMC_LINKS ${CMAKE_BINARY_DIR}/systemc_check ${CMAKE_BINARY_DIR}/systemc_check.cpp
  LINK_LIBRARIES SystemC::systemc CXX_STANDARD ${CMAKE_CXX_STANDARD} CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
  OUTPUT_VARIABLE DMASIM_SYSTEMC_OUTPUT)
if(NOT DMASIM_SYSTEMC_LINKS)
  if(DMASIM_SYSTEMC_OUTPUT MATCHES "sc_api_version")
    message(FATAL_ERROR "The SystemC library ${SYSTEMC_LIBRARY} was built for another C++ standard than C++${CMAKE_CXX_STANDARD}: rebuild it with -DCMAKE_CXX_STANDARD=${CMAKE_CXX_STANDARD}, or install a libsystemc-dev that was.")
  endif()
  message(FATAL_ERROR "A SystemC program does not link with ${SYSTEMC_LIBRARY}:\n${DMASIM_SYSTEMC_OUTPUT}")
endif()
