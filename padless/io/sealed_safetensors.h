// Safetensors files that know their own content: a changed byte is found out.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "padless/core/export.h"
#include "padless/io/safetensors.h"

namespace padless {

/// The metadata's key under which such a file keeps the hash of all else in it.
inline constexpr std::string_view kSealKey = "padless_checksum";

/// As write_safetensors, with one more entry in the metadata: an FNV-1a hash of 64 bits over the
/// metadata and every tensor's name, type, shape and bytes.
PADLESS_API void write_sealed_safetensors(const std::filesystem::path& path,
                                          std::span<const TensorToWrite> tensors,
                                          Metadata metadata);

/// Reads the whole file once and throws FormatError when its content is not what its checksum says.
/// Returns whether it has one: files of other tools have none.
PADLESS_API bool check_seal(const SafetensorsFile& file, const std::filesystem::path& path);

}  // namespace padless
