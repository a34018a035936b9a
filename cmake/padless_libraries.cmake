# The libraries of others that padless itself is made with, found once. tools/check_rooms.py says
# which room may include which; Highway and the JSON library are headers alone.

find_package(ZLIB REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_path(PADLESS_HIGHWAY_INCLUDE hwy/highway.h REQUIRED)

target_include_directories(padless_objects SYSTEM PRIVATE ${PADLESS_HIGHWAY_INCLUDE})
target_link_libraries(padless_objects PRIVATE ZLIB::ZLIB nlohmann_json::nlohmann_json)
