#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "padless/core/export.h"

namespace padless {

/// The element types that the safetensors format names and that fill whole bytes.
enum class Dtype {
  boolean,
  u8,
  i8,
  f8_e4m3,
  f8_e5m2,
  u16,
  i16,
  f16,
  bf16,
  u32,
  i32,
  f32,
  u64,
  i64,
  f64
};

/// Bytes of one element.
PADLESS_API std::size_t dtype_size(Dtype dtype);
/// As it stands in a file: "F32".
PADLESS_API std::string_view dtype_name(Dtype dtype);

/// A shape as messages show it: "[2, 3]".
PADLESS_API std::string shape_text(std::span<const std::size_t> shape);

/// The texts that a file keeps beside its tensors, by their keys.
using Metadata = std::vector<std::pair<std::string, std::string>>;

/// One tensor of an open SafetensorsFile.
struct TensorInfo {
  std::string name;
  Dtype dtype;
  std::vector<std::size_t> shape;  ///< outermost first; none = a single number
  std::size_t count;               ///< elements: the product of the shape
  std::size_t offset;              ///< bytes from the file's start
};

/// An open safetensors file. The header is checked whole against the size of the file before
/// anything else is read: its length, every product, every offset, no gap and no overlap. Tensors
/// are read straight into the caller's memory, whatever their alignment in the file; not by a
/// memory map, so that a file cut short by another program is an error and not a crash.
///
/// Throws IoError when the file cannot be read, FormatError when it is not what the format says.
class PADLESS_API SafetensorsFile {
 public:
  static constexpr std::size_t kMaxHeader = 100'000'000;  ///< bytes, as in the format's own reader

  explicit SafetensorsFile(const std::filesystem::path& path);
  ~SafetensorsFile();
  SafetensorsFile(SafetensorsFile&&) noexcept;
  SafetensorsFile& operator=(SafetensorsFile&&) noexcept;

  /// In the order of their bytes.
  const std::vector<TensorInfo>& tensors() const;
  const Metadata& metadata() const;
  /// What the metadata say of `key`; null when they lack it.
  const std::string* find_metadata(std::string_view key) const;

  const TensorInfo* find(std::string_view name) const;
  /// Throws FormatError when there is none.
  const TensorInfo& at(std::string_view name) const;

  /// out [count] written. `tensor` is one of tensors(), of type F32.
  /// Throws ValueError when out has another size, FormatError when the type is another.
  void read(const TensorInfo& tensor, std::span<float> out) const;
  /// Its bytes as they are in the file, little-endian; out [count * dtype_size] written.
  void read_bytes(const TensorInfo& tensor, std::span<std::byte> out) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A tensor to be written; the bytes are the caller's.
struct PADLESS_API TensorToWrite {
  TensorToWrite(std::string tensor_name, std::vector<std::size_t> tensor_shape,
                std::span<const float> values);
  TensorToWrite(std::string tensor_name, Dtype tensor_dtype, std::vector<std::size_t> tensor_shape,
                std::span<const std::byte> tensor_bytes);

  std::string name;
  Dtype dtype;
  std::vector<std::size_t> shape;
  std::span<const std::byte> bytes;
};

/// Writes the file atomically. Equal arguments give equal bytes: tensors and metadata stand in the
/// order given, the header is padded with spaces to a multiple of 8.
/// Throws ValueError for a name twice or reserved, or bytes that do not fit the shape; IoError.
PADLESS_API void write_safetensors(const std::filesystem::path& path,
                                   std::span<const TensorToWrite> tensors,
                                   const Metadata& metadata = {});

}  // namespace padless
