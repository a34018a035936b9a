// Json -> text.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "padless/core/error.h"
#include "padless/core/quote.h"
#include "padless/io/json.h"

namespace padless {
namespace {

template <class Number>
std::string digits(Number value) {
  std::array<char, 64> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end};
}

/// With a point or an exponent, so that readers keep the kind, and -0.0 its sign.
std::string as_real(std::string text) {
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string real_digits(double value) { return as_real(digits(value)); }

/// Most readers take a number for a double and round that to a float. Should rounding twice ever
/// end at another float, the double's own digits are written: they cannot miss.
std::string real_digits(float value) {
  const std::string text = digits(value);
  double read = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), read);
  return static_cast<float>(read) == value ? as_real(text) : real_digits(double{value});
}

class Writer {
 public:
  explicit Writer(bool pretty) : pretty_(pretty) {}

  void write(const Json& value) {
    if (const auto* flag = value.get_if<bool>()) {
      out += *flag ? "true" : "false";
    } else if (const auto* whole = value.get_if<std::int64_t>()) {
      out += digits(*whole);
    } else if (const auto* large = value.get_if<std::uint64_t>()) {
      out += digits(*large);
    } else if (const auto* single = value.get_if<float>()) {
      out += real_digits(*single);
    } else if (const auto* real = value.get_if<double>()) {
      out += real_digits(*real);
    } else if (const auto* text = value.get_if<std::string>()) {
      write_string(*text);
    } else if (const auto* array = value.get_if<Json::Array>()) {
      write_array(*array);
    } else if (const auto* object = value.get_if<Json::Object>()) {
      write_object(*object);
    } else {
      out += "null";
    }
  }

  std::string out;

 private:
  void write_string(const std::string& text) {
    const std::optional<std::size_t> bad = find_malformed_utf8(text);
    require_value(!bad, "Json: the string ", quote(text), " is not UTF-8 at byte ", bad.value_or(0),
                  ", expected UTF-8");
    out += '"';
    for (const char c : text) {
      if (c == '"' || c == '\\') {
        out += {'\\', c};
      } else if (c == '\n') {
        out += "\\n";
      } else if (c == '\t') {
        out += "\\t";
      } else if (c == '\r') {
        out += "\\r";
      } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
        constexpr std::string_view kHex = "0123456789abcdef";
        out += "\\u00";
        out += {kHex[static_cast<std::size_t>(c >> 4)], kHex[static_cast<std::size_t>(c & 15)]};
      } else {
        out += c;
      }
    }
    out += '"';
  }

  void write_array(const Json::Array& array) {
    const bool one_line = std::ranges::none_of(
        array, [](const Json& element) { return element.is_array() || element.is_object(); });
    out += '[';
    ++depth_;
    for (std::size_t i = 0; i < array.size(); ++i) {
      if (i > 0) out += pretty_ && one_line ? ", " : ",";
      if (!one_line) new_line();
      write(array[i]);
    }
    --depth_;
    if (!one_line) new_line();
    out += ']';
  }

  void write_object(const Json::Object& object) {
    out += '{';
    ++depth_;
    for (std::size_t i = 0; i < object.size(); ++i) {
      if (i > 0) out += ',';
      new_line();
      write_string(object[i].first);
      out += pretty_ ? ": " : ":";
      write(object[i].second);
    }
    --depth_;
    if (!object.empty()) new_line();
    out += '}';
  }

  void new_line() {
    if (!pretty_) return;
    out += '\n';
    out.append(2 * depth_, ' ');
  }

  bool pretty_;
  std::size_t depth_ = 0;
};

}  // namespace

std::string Json::compact() const {
  Writer writer(false);
  writer.write(*this);
  return std::move(writer.out);
}

std::string Json::pretty() const {
  Writer writer(true);
  writer.write(*this);
  writer.out += '\n';
  return std::move(writer.out);
}

}  // namespace padless
