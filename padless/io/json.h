#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "padless/core/export.h"

namespace padless {

/// An integer type that is a number: neither bool nor a character.
template <class T>
concept WholeNumber = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>;

/// A JSON value that a program builds and writes. What is read from a file is looked at through
/// JsonView, whose errors say where.
///
/// Objects keep their keys in the order of insertion. A number prints in the fewest digits that
/// read back to the same bits: a float as a float, a double as a double, whole numbers exactly.
class PADLESS_API Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;

  Json() = default;  ///< null
  Json(bool value) : value_(value) {}
  template <WholeNumber Int>
  Json(Int value) {
    // One form a value: std::uint64_t only where std::int64_t does not reach.
    if (std::in_range<std::int64_t>(value)) {
      value_ = static_cast<std::int64_t>(value);
    } else {
      value_ = static_cast<std::uint64_t>(value);
    }
  }
  Json(float value);   ///< throws ValueError for NaN and infinities, which JSON does not have
  Json(double value);  ///< likewise
  Json(std::string value) : value_(std::move(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(Array value) : value_(std::move(value)) {}
  Json(Object value) : value_(std::move(value)) {}  ///< the caller sees to it that no key is twice
  Json(const void*) = delete;                       // a pointer is not a bool

  static Json array() { return Json(Array{}); }
  static Json object() { return Json(Object{}); }
  /// An array of anything that Json can be made of.
  template <class Range>
  static Json array_of(const Range& values) {
    Json out = array();
    for (const auto& value : values) out.push(Json(value));
    return out;
  }

  /// Appends to an array; sets a member of an object, replacing the one of that key. Both return
  /// *this, so that calls chain, and throw ValueError on a value of another kind.
  Json& push(Json value);
  Json& set(std::string_view key, Json value);

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_bool() const { return std::holds_alternative<bool>(value_); }
  bool is_number() const;
  bool is_string() const { return std::holds_alternative<std::string>(value_); }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }

  /// The value if it is of that kind, else null.
  template <class T>
  const T* get_if() const {
    return std::get_if<T>(&value_);
  }

  /// On one line, without spaces. Throws ValueError for a string that is not UTF-8.
  std::string compact() const;
  /// Two spaces a level, arrays of plain values on one line, a line break at the end.
  std::string pretty() const;

 private:
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, float, double, std::string, Array,
               Object>
      value_;
};

class JsonDocument;

/// A place in a JsonDocument, which must outlive it. Every getter checks and throws FormatError:
///   model/config.json: 'hidden' is "x", expected a whole number
class PADLESS_API JsonView {
 public:
  const Json& value() const { return *value_; }
  /// Of this place in messages: 'layers[2].hidden', or "the document".
  std::string place() const;

  bool as_bool() const;
  /// A whole number from `low` to `high`; 3.0 is none.
  std::int64_t as_int(std::int64_t low = std::numeric_limits<std::int64_t>::min(),
                      std::int64_t high = std::numeric_limits<std::int64_t>::max()) const;
  std::uint64_t as_uint64() const;
  std::size_t as_size(std::size_t low = 0,
                      std::size_t high = std::numeric_limits<std::size_t>::max()) const;
  double as_double() const;
  /// The nearest float; a number beyond the range of floats is refused.
  float as_float() const;
  const std::string& as_string() const;

  /// Elements of an array or members of an object.
  std::size_t size() const;
  /// Element i of an array.
  JsonView at(std::size_t i) const;
  /// A member of an object; the error lists the keys there are.
  JsonView at(std::string_view key) const;
  /// A member of an object, or nothing.
  std::optional<JsonView> find(std::string_view key) const;
  std::vector<JsonView> elements() const;
  std::vector<std::pair<std::string_view, JsonView>> members() const;

  /// Throws the FormatError "FILE: PLACE is VALUE, expected `expected`".
  [[noreturn]] void fail(std::string_view expected) const;

 private:
  friend class JsonDocument;
  JsonView(const std::string& name, const Json& value, std::string path)
      : name_(&name), value_(&value), path_(std::move(path)) {}

  const std::string* name_;
  const Json* value_;
  std::string path_;
};

/// A parsed JSON text and its name. Refused with a FormatError: what is not JSON, a key twice in an
/// object, bytes that are not UTF-8, numbers beyond the range of doubles, nesting beyond kMaxDepth.
class PADLESS_API JsonDocument {
 public:
  static constexpr std::size_t kMaxDepth = 100;

  /// Whether numbers become numbers, or strings of the very characters that stand in the text (a
  /// table's fields: 1.10 stays "1.10").
  enum class Numbers { as_numbers, as_text };

  /// `name` is the file's, for messages.
  static JsonDocument parse(std::string_view text, std::string name,
                            Numbers numbers = Numbers::as_numbers);
  static JsonDocument read(const std::filesystem::path& path, std::size_t max_bytes = 256U << 20);

  JsonView root() const { return {name_, value_, ""}; }

 private:
  JsonDocument(std::string name, Json value) : name_(std::move(name)), value_(std::move(value)) {}

  std::string name_;
  Json value_;
};

}  // namespace padless
