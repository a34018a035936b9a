# cmake -DBUILD=... -DSOURCE=... -DGENERATOR=... -DCXX=... -P test_package.cmake: installs the build
# tree BUILD into a prefix of its own; then configures, builds and runs the project SOURCE with it,
# by find_package and, where pkg-config is there, by padless.pc.
set(room ${BUILD}/package_test)
file(REMOVE_RECURSE ${room})

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${room}/first)
file(RENAME ${room}/first ${room}/prefix)  # an installed package can be moved
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${room}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX}
  -DCMAKE_PREFIX_PATH=${room}/prefix)
run(${CMAKE_COMMAND} --build ${room}/build)
foreach(variant static shared padless)
  run(${room}/build/uses_${variant})
endforeach()

find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  file(GLOB_RECURSE pc_file ${room}/prefix/padless.pc)
  execute_process(COMMAND ${PKG_CONFIG} --cflags --libs --define-prefix ${pc_file}
    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  get_filename_component(libdir ${pc_file}/../.. ABSOLUTE)
  run(${CXX} ${SOURCE}/main.cpp ${flags} -Wl,-rpath,${libdir} -o ${room}/uses_pkg_config)
  run(${room}/uses_pkg_config)
endif()
