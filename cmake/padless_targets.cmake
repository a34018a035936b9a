# One line a test, one line a benchmark, one line an example.

# padless_add_test(ops/linear [ALONE] [LABELS isa slow ...]): padless/ops/linear_test.cpp is the test
# "ops/linear". ALONE: no other test runs meanwhile, for what measures time.
function(padless_add_test name)
  if(NOT PADLESS_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "ALONE" "" "LABELS;LIBRARIES")
  find_package(GTest REQUIRED)
  string(REPLACE / _ target ${name}_test)
  add_executable(${target} ${PROJECT_SOURCE_DIR}/padless/${name}_test.cpp)
  target_link_libraries(${target} PRIVATE
    padless_testing padless_warnings ${arg_LIBRARIES} GTest::gtest_main)
  # A test's own code is compiled more often than it runs; what it calls is the library's.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  target_compile_definitions(${target} PRIVATE
    PADLESS_TESTDATA="${PROJECT_SOURCE_DIR}/testdata")
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${target})
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 600
    RUN_SERIAL ${arg_ALONE})
  # So that a build for one label (ThreadSanitizer's) can leave out the rest.
  foreach(label ${arg_LABELS})
    if(NOT TARGET padless_tests_${label})
      add_custom_target(padless_tests_${label})
    endif()
    add_dependencies(padless_tests_${label} ${target})
  endforeach()
endfunction()

# Everything that `make bench` runs.
add_custom_target(padless_benches)

# padless_add_bench(ops/linear): padless/ops/linear_bench.cpp is the program bench/ops_linear_bench.
function(padless_add_bench name)
  if(NOT PADLESS_BUILD_BENCH)
    return()
  endif()
  find_package(benchmark REQUIRED)
  string(REPLACE / _ target ${name}_bench)
  add_executable(${target} ${PROJECT_SOURCE_DIR}/padless/${name}_bench.cpp)
  target_link_libraries(${target} PRIVATE
    padless_whole padless_warnings benchmark::benchmark benchmark::benchmark_main)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
  add_dependencies(padless_benches ${target})
endfunction()

# padless_add_example(errors): docs/examples/errors.cpp prints exactly docs/examples/errors.output.
function(padless_add_example name)
  if(NOT PADLESS_BUILD_TESTS)
    return()
  endif()
  set(source ${PROJECT_SOURCE_DIR}/docs/examples/${name})
  add_executable(example_${name} ${source}.cpp)
  target_link_libraries(example_${name} PRIVATE padless_whole padless_warnings)
  set_target_properties(example_${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
  add_test(NAME examples/${name}
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:example_${name}> -DEXPECTED=${source}.output
      -P ${PROJECT_SOURCE_DIR}/cmake/compare_output.cmake)
endfunction()
