#include "padless/io/sealed_safetensors.h"

#include <string>
#include <utility>
#include <vector>

#include "padless/core/error.h"
#include "padless/core/hash.h"
#include "padless/core/quote.h"

namespace padless {
namespace {

/// Each part is added with its size, so that neighbours cannot lend each other bytes.
class ContentHash {
 public:
  void add_metadata(const Metadata& metadata) {
    for (const auto& [key, value] : metadata) {
      if (key == kSealKey) continue;
      add_text(key);
      add_text(value);
    }
  }
  void add_tensor(std::string_view name, Dtype dtype, std::span<const std::size_t> shape,
                  std::span<const std::byte> bytes) {
    add_text(name);
    add_text(dtype_name(dtype));
    hash_.add(std::uint64_t{shape.size()});
    for (const std::size_t extent : shape) hash_.add(std::uint64_t{extent});
    hash_.add(std::uint64_t{bytes.size()});
    hash_.add(bytes);
  }

  std::string digits() const { return hash_.digits(); }

 private:
  void add_text(std::string_view text) {
    hash_.add(std::uint64_t{text.size()});
    hash_.add(text);
  }

  Fnv1a hash_;
};

}  // namespace

void write_sealed_safetensors(const std::filesystem::path& path,
                              std::span<const TensorToWrite> tensors, Metadata metadata) {
  ContentHash hash;
  hash.add_metadata(metadata);
  for (const TensorToWrite& tensor : tensors) {
    hash.add_tensor(tensor.name, tensor.dtype, tensor.shape, tensor.bytes);
  }
  metadata.emplace_back(kSealKey, hash.digits());
  write_safetensors(path, tensors, metadata);
}

bool check_seal(const SafetensorsFile& file, const std::filesystem::path& path) {
  const std::string* stated = file.find_metadata(kSealKey);
  if (stated == nullptr) return false;
  ContentHash hash;
  hash.add_metadata(file.metadata());
  std::vector<std::byte> bytes;
  for (const TensorInfo& tensor : file.tensors()) {
    bytes.resize(tensor.count * dtype_size(tensor.dtype));
    file.read_bytes(tensor, bytes);
    hash.add_tensor(tensor.name, tensor.dtype, tensor.shape, bytes);
  }
  if (hash.digits() != *stated) {
    throw FormatError(message(path.string(), ": its content has the checksum ", hash.digits(),
                              ", expected ", quote(*stated),
                              " by its metadata: the file is damaged"));
  }
  return true;
}

}  // namespace padless
