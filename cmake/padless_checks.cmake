# Rules about the source that the compiler cannot see, as tests. Each script also tests itself: it is
# shown something wrong and must refuse it.
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)

# padless_add_check(rooms ARGUMENT...): tools/check_rooms.py is the test "tools/rooms".
function(padless_add_check name)
  set(script ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_${name}.py)
  add_test(NAME tools/${name} COMMAND ${script} ${ARGN})
  add_test(NAME tools/${name}/self_test COMMAND ${script} --self-test)
endfunction()

padless_add_check(rooms)
padless_add_check(words)
padless_add_check(docs)
padless_add_check(tests ${PROJECT_BINARY_DIR})
padless_add_check(exports $<TARGET_FILE:padless_shared>)
# Without optimisation every call of an inline function leaves a symbol; released objects must not.
if(CMAKE_BUILD_TYPE STREQUAL Release)
  padless_add_check(objects ${PROJECT_BINARY_DIR})
endif()
