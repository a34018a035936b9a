# The libraries, static and shared, made of the same objects.

# For our own programs: the objects in an archive, hidden symbols within reach.
get_property(PADLESS_PRIVATE_LIBRARIES GLOBAL PROPERTY PADLESS_PRIVATE_LIBRARIES)
add_library(padless_whole STATIC $<TARGET_OBJECTS:padless_objects>)
target_link_libraries(padless_whole PUBLIC padless_settings ${PADLESS_PRIVATE_LIBRARIES})
