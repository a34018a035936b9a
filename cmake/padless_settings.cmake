# How everything is compiled. The bits of every result depend on these: see padless/core/fp.h.

find_package(Threads REQUIRED)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
find_program(PADLESS_CCACHE ccache)
if(PADLESS_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PADLESS_CCACHE})
endif()

# For us and for those who link us: C++20, and never a contraction of a*b+c into a fused operation.
add_library(padless_settings INTERFACE)
target_compile_features(padless_settings INTERFACE cxx_std_20)
target_compile_options(padless_settings INTERFACE -ffp-contract=off)
target_include_directories(padless_settings INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(padless_settings INTERFACE Threads::Threads)
if(PADLESS_SANITIZE)
  # Over the build type's: soon compiled, lines in the reports, assertions and poisoned scratch memory.
  target_compile_options(padless_settings INTERFACE -O1 -g1 -UNDEBUG
    -fsanitize=${PADLESS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(padless_settings INTERFACE -fsanitize=${PADLESS_SANITIZE})
endif()

# For us alone.
add_library(padless_warnings INTERFACE)
target_compile_options(padless_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-qual
  -Wno-missing-field-initializers  # a designated initialiser leaves defaults on purpose
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>  # g++ 12 sees overlaps in std::string that are not there
  $<$<BOOL:${PADLESS_WERROR}>:-Werror>)
if(PADLESS_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # g++ says of itself that its sanitizers' code confuses it here; it does, about std::variant.
  target_compile_options(padless_warnings INTERFACE -Wno-maybe-uninitialized)
endif()
