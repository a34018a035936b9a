# The libraries, static and shared, made of the same objects, and the package that
# find_package(padless CONFIG) finds.
include(CMakePackageConfigHelpers)

# Rooms append to it what their own outside library must be linked with (zlib); the package's
# padlessConfig.cmake.in and padless.pc.in name the same.
get_property(PADLESS_PRIVATE_LIBRARIES GLOBAL PROPERTY PADLESS_PRIVATE_LIBRARIES)

foreach(kind static shared)
  string(TOUPPER ${kind} KIND)
  add_library(padless_${kind} ${KIND} $<TARGET_OBJECTS:padless_objects>)
  add_library(padless::${kind} ALIAS padless_${kind})
  target_link_libraries(padless_${kind} PUBLIC padless_settings PRIVATE ${PADLESS_PRIVATE_LIBRARIES})
  set_target_properties(padless_${kind} PROPERTIES OUTPUT_NAME padless EXPORT_NAME ${kind})
endforeach()

# Before 1.0 a new minor version may break its users, so it is part of the library's name.
set_target_properties(padless_shared PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  LINK_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/padless.map)
target_link_options(padless_shared PRIVATE
  -Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/padless.map)

# For our own programs: the archive, whose hidden symbols are within reach.
add_library(padless_whole ALIAS padless_static)

# padless::padless is padless::shared where BUILD_SHARED_LIBS is set, else padless::static; the
# package says the same in padlessConfig.cmake.
if(BUILD_SHARED_LIBS)
  add_library(padless::padless ALIAS padless_shared)
else()
  add_library(padless::padless ALIAS padless_static)
endif()

set_target_properties(padless_settings PROPERTIES EXPORT_NAME settings)
install(TARGETS padless_settings padless_static padless_shared EXPORT padless)
if(TARGET padless_command)
  install(TARGETS padless_command)
endif()

install(CODE "set(SOURCE [[${PROJECT_SOURCE_DIR}]])
set(INCLUDEDIR [[${CMAKE_INSTALL_INCLUDEDIR}]])")
install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/install_headers.cmake)
install(FILES LICENSE NOTICE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/padless)
install(EXPORT padless NAMESPACE padless:: FILE padlessTargets.cmake DESTINATION ${package})
configure_package_config_file(cmake/padlessConfig.cmake.in padlessConfig.cmake
  INSTALL_DESTINATION ${package})
write_basic_package_version_file(padlessConfigVersion.cmake COMPATIBILITY SameMinorVersion)
file(RELATIVE_PATH PADLESS_PC_TO_PREFIX
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/padless.pc.in padless.pc @ONLY)
install(FILES
  ${PROJECT_BINARY_DIR}/padlessConfig.cmake ${PROJECT_BINARY_DIR}/padlessConfigVersion.cmake
  DESTINATION ${package})
install(FILES ${PROJECT_BINARY_DIR}/padless.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(PADLESS_BUILD_TESTS)
  add_test(NAME package/consumer COMMAND ${CMAKE_COMMAND}
    -DBUILD=${PROJECT_BINARY_DIR} -DSOURCE=${CMAKE_CURRENT_LIST_DIR}/consumer
    -DGENERATOR=${CMAKE_GENERATOR} -DCXX=${CMAKE_CXX_COMPILER}
    -P ${CMAKE_CURRENT_LIST_DIR}/test_package.cmake)
  set_tests_properties(package/consumer PROPERTIES LABELS slow TIMEOUT 600)
endif()
