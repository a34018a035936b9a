#include <cstdint>
#include <unordered_set>

#include "padless/core/error.h"
#include "padless/io/atomic_file.h"
#include "padless/io/json.h"
#include "padless/io/safetensors.h"

namespace padless {
namespace {

constexpr std::size_t kHeaderAlignment = 8;  // the format's advice

void write_bytes(std::ostream& out, std::span<const std::byte> bytes) {
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

/// Bytes that the shape asks for; 0 with `fits` false when they cannot be counted.
std::size_t bytes_of(const TensorToWrite& tensor, bool& fits) {
  std::size_t bytes = dtype_size(tensor.dtype);
  fits = true;
  for (const std::size_t extent : tensor.shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) fits = false;
  }
  return fits ? bytes : 0;
}

}  // namespace

TensorToWrite::TensorToWrite(std::string tensor_name, std::vector<std::size_t> tensor_shape,
                             std::span<const float> values)
    : TensorToWrite(std::move(tensor_name), Dtype::f32, std::move(tensor_shape),
                    std::as_bytes(values)) {}

TensorToWrite::TensorToWrite(std::string tensor_name, Dtype tensor_dtype,
                             std::vector<std::size_t> tensor_shape,
                             std::span<const std::byte> tensor_bytes)
    : name(std::move(tensor_name)),
      dtype(tensor_dtype),
      shape(std::move(tensor_shape)),
      bytes(tensor_bytes) {}

void write_safetensors(const std::filesystem::path& path, std::span<const TensorToWrite> tensors,
                       const Metadata& metadata) {
  constexpr std::string_view kMetadataKey = "__metadata__";
  Json::Object header;
  if (!metadata.empty()) {
    Json members = Json::object();
    for (const auto& [key, value] : metadata) members.set(key, value);
    header.emplace_back(kMetadataKey, std::move(members));
  }
  std::unordered_set<std::string_view> names{kMetadataKey};
  std::size_t offset = 0;
  for (const TensorToWrite& tensor : tensors) {
    require_value(names.insert(tensor.name).second, path.string(), ": the name '", tensor.name,
                  "' is given twice or reserved, expected another");
    bool fits = false;
    const std::size_t bytes = bytes_of(tensor, fits);
    require_value(fits && tensor.bytes.size() == bytes, path.string(), ": '", tensor.name, "' has ",
                  tensor.bytes.size(), " bytes, expected the ", bytes, " of its shape");
    Json entry = Json::object();
    entry.set("dtype", dtype_name(tensor.dtype));
    entry.set("shape", Json::array_of(tensor.shape));
    entry.set("data_offsets", Json::array().push(offset).push(offset + bytes));
    header.emplace_back(tensor.name, std::move(entry));
    offset += bytes;
  }
  std::string text = Json(std::move(header)).compact();
  text.resize((text.size() + kHeaderAlignment - 1) / kHeaderAlignment * kHeaderAlignment, ' ');
  require_value(text.size() <= SafetensorsFile::kMaxHeader, path.string(), ": the header is ",
                text.size(), " bytes, expected at most ", SafetensorsFile::kMaxHeader);

  AtomicFile file(path);
  const std::uint64_t length = text.size();
  write_bytes(file.stream(), std::as_bytes(std::span(&length, 1)));
  file.stream() << text;
  for (const TensorToWrite& tensor : tensors) write_bytes(file.stream(), tensor.bytes);
  file.commit();
}

}  // namespace padless
