#include "padless/io/safetensors.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "padless/core/error.h"
#include "padless/core/quote.h"
#include "padless/io/json.h"
#include "padless/io/regular_file.h"

namespace padless {
namespace {

// The format is little-endian, and values are copied as they are.
static_assert(std::endian::native == std::endian::little);

struct DtypeRow {
  Dtype dtype;
  std::string_view name;
  std::size_t size;
};
constexpr std::array<DtypeRow, 15> kDtypes = {{{Dtype::boolean, "BOOL", 1},
                                               {Dtype::u8, "U8", 1},
                                               {Dtype::i8, "I8", 1},
                                               {Dtype::f8_e4m3, "F8_E4M3", 1},
                                               {Dtype::f8_e5m2, "F8_E5M2", 1},
                                               {Dtype::u16, "U16", 2},
                                               {Dtype::i16, "I16", 2},
                                               {Dtype::f16, "F16", 2},
                                               {Dtype::bf16, "BF16", 2},
                                               {Dtype::u32, "U32", 4},
                                               {Dtype::i32, "I32", 4},
                                               {Dtype::f32, "F32", 4},
                                               {Dtype::u64, "U64", 8},
                                               {Dtype::i64, "I64", 8},
                                               {Dtype::f64, "F64", 8}}};

const DtypeRow& row_of(Dtype dtype) { return *std::ranges::find(kDtypes, dtype, &DtypeRow::dtype); }

constexpr std::string_view kMetadataKey = "__metadata__";

/// a * b, or nothing when that is beyond std::size_t.
std::optional<std::size_t> product(std::size_t a, std::size_t b) {
  std::size_t out = 0;
  if (__builtin_mul_overflow(a, b, &out)) return std::nullopt;
  return out;
}

Dtype read_dtype(const JsonView& json) {
  const auto found = std::ranges::find(kDtypes, json.as_string(), &DtypeRow::name);
  if (found == kDtypes.end()) {
    std::string known;
    for (const DtypeRow& row : kDtypes) known += message(known.empty() ? "" : ", ", row.name);
    json.fail("one of " + known);
  }
  return found->dtype;
}

}  // namespace

std::size_t dtype_size(Dtype dtype) { return row_of(dtype).size; }
std::string_view dtype_name(Dtype dtype) { return row_of(dtype).name; }

std::string shape_text(std::span<const std::size_t> shape) {
  std::string out = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) out += message(i == 0 ? "" : ", ", shape[i]);
  return out + "]";
}

struct SafetensorsFile::State {
  explicit State(const std::filesystem::path& where) : path(where), file(open_regular_file(where)) {
    read_header();
  }

  void read_at(std::size_t offset, std::span<std::byte> out) const {
    while (!out.empty()) {
      const ::ssize_t got =
          ::pread(file.fd.get(), out.data(), out.size(), static_cast<::off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw system_error(path, "read");
      if (got == 0) {
        throw IoError(message(path.string(), ": ends at byte ", offset, ", expected ", file.size,
                              " bytes as when it was opened"));
      }
      out = out.subspan(static_cast<std::size_t>(got));
      offset += static_cast<std::size_t>(got);
    }
  }

  void read_header() {
    constexpr std::size_t kLengthBytes = 8;
    std::uint64_t length = 0;
    if (file.size < kLengthBytes) {
      throw FormatError(message(path.string(), ": is ", file.size,
                                " bytes, expected a safetensors file", " of at least ",
                                kLengthBytes));
    }
    read_at(0, std::as_writable_bytes(std::span(&length, 1)));
    if (length > kMaxHeader || length > file.size - kLengthBytes) {
      throw FormatError(message(path.string(), ": the header's length is ", length,
                                ", expected at most ",
                                std::min(kMaxHeader, file.size - kLengthBytes),
                                " in a safetensors file of ", file.size, " bytes"));
    }
    std::string text(length, '\0');
    read_at(kLengthBytes, std::as_writable_bytes(std::span(text)));
    if (text.empty() || text.front() != '{') {
      throw FormatError(message(path.string(), ": the header starts with ",
                                quote(text.substr(0, 8)), ", expected \"{\""));
    }
    const JsonDocument header = JsonDocument::parse(text, path.string());
    data_begin = kLengthBytes + length;
    for (const auto& [name, entry] : header.root().members()) {
      if (name == kMetadataKey) {
        for (const auto& [key, value] : entry.members()) {
          metadata.emplace_back(key, value.as_string());
        }
      } else {
        tensors.push_back(read_entry(name, entry));
      }
    }
    check_layout();
  }

  TensorInfo read_entry(std::string_view name, const JsonView& entry) const {
    TensorInfo tensor;
    tensor.name = name;
    tensor.dtype = read_dtype(entry.at("dtype"));
    tensor.count = 1;
    const JsonView shape = entry.at("shape");
    // A zero anywhere makes the product zero, but what stands before it may not overflow either.
    for (const JsonView& extent : shape.elements()) {
      tensor.shape.push_back(extent.as_size());
      const auto count = product(tensor.count, tensor.shape.back());
      if (!count) extent.fail("a shape whose elements can be counted");
      tensor.count = *count;
    }
    const auto bytes = product(tensor.count, dtype_size(tensor.dtype));
    if (!bytes) shape.fail("a shape whose bytes can be counted");

    const JsonView offsets = entry.at("data_offsets");
    if (offsets.size() != 2) offsets.fail("[begin, end]");
    const std::size_t data_size = file.size - data_begin;
    const std::size_t begin = offsets.at(0).as_size(0, data_size);
    const std::size_t end = offsets.at(1).as_size(begin, data_size);
    if (end - begin != *bytes) {
      throw FormatError(message(path.string(), ": '", name, "' has ", end - begin,
                                " bytes, expected ", *bytes, " for ", shape_text(tensor.shape),
                                " of ", dtype_name(tensor.dtype)));
    }
    tensor.offset = data_begin + begin;
    return tensor;
  }

  static std::size_t end_of(const TensorInfo& tensor) {
    return tensor.offset + tensor.count * dtype_size(tensor.dtype);
  }

  void check_layout() {
    std::ranges::stable_sort(tensors, [](const TensorInfo& a, const TensorInfo& b) {
      return std::pair(a.offset, end_of(a)) < std::pair(b.offset, end_of(b));
    });
    std::size_t expected = data_begin;
    for (const TensorInfo& tensor : tensors) {
      if (tensor.offset != expected) {
        throw FormatError(message(path.string(), ": '", tensor.name, "' begins at byte ",
                                  tensor.offset - data_begin, " of the data, expected ",
                                  expected - data_begin, ", where the tensor before it ends"));
      }
      expected = end_of(tensor);
    }
    if (expected != file.size) {
      throw FormatError(message(path.string(), ": is ", file.size, " bytes, expected ", expected,
                                " as its tensors say"));
    }
    for (std::size_t i = 0; i < tensors.size(); ++i) by_name.emplace(tensors[i].name, i);
  }

  std::filesystem::path path;
  RegularFile file;
  std::size_t data_begin = 0;
  std::vector<TensorInfo> tensors;
  std::unordered_map<std::string, std::size_t> by_name;
  Metadata metadata;
};

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path)
    : state_(std::make_unique<State>(path)) {}
SafetensorsFile::~SafetensorsFile() = default;
SafetensorsFile::SafetensorsFile(SafetensorsFile&&) noexcept = default;
SafetensorsFile& SafetensorsFile::operator=(SafetensorsFile&&) noexcept = default;

const std::vector<TensorInfo>& SafetensorsFile::tensors() const { return state_->tensors; }
const Metadata& SafetensorsFile::metadata() const { return state_->metadata; }

const std::string* SafetensorsFile::find_metadata(std::string_view key) const {
  const auto found = std::ranges::find(state_->metadata, key, &Metadata::value_type::first);
  return found == state_->metadata.end() ? nullptr : &found->second;
}

const TensorInfo* SafetensorsFile::find(std::string_view name) const {
  const auto found = state_->by_name.find(std::string(name));
  return found == state_->by_name.end() ? nullptr : &state_->tensors[found->second];
}

const TensorInfo& SafetensorsFile::at(std::string_view name) const {
  const TensorInfo* tensor = find(name);
  if (tensor == nullptr) {
    throw FormatError(message(state_->path.string(), ": has no tensor '", name, "' among its ",
                              state_->tensors.size(), ", expected it"));
  }
  return *tensor;
}

void SafetensorsFile::read(const TensorInfo& tensor, std::span<float> out) const {
  if (tensor.dtype != Dtype::f32) {
    throw FormatError(message(state_->path.string(), ": '", tensor.name, "' is of ",
                              dtype_name(tensor.dtype), ", expected F32"));
  }
  require_value(out.size() == tensor.count, "SafetensorsFile::read: out is [", out.size(),
                "], expected [", tensor.count, "] for '", tensor.name, "'");
  state_->read_at(tensor.offset, std::as_writable_bytes(out));
}

void SafetensorsFile::read_bytes(const TensorInfo& tensor, std::span<std::byte> out) const {
  const std::size_t bytes = tensor.count * dtype_size(tensor.dtype);
  require_value(out.size() == bytes, "SafetensorsFile::read_bytes: out is [", out.size(),
                "], expected [", bytes, "] for '", tensor.name, "'");
  state_->read_at(tensor.offset, out);
}

}  // namespace padless
