// Text -> Json. The library's event parser does not recurse, so nesting costs no stack in it; the
// limit on depth is for what walks and destroys the value.
#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "padless/core/error.h"
#include "padless/core/quote.h"
#include "padless/io/json.h"

namespace padless {
namespace {

class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(const std::string& name, JsonDocument::Numbers numbers)
      : name_(name), as_text_(numbers == JsonDocument::Numbers::as_text) {}
  Json take() { return std::move(root_); }

  bool null() override { return add(Json()); }
  bool boolean(bool value) override { return add(Json(value)); }
  // A whole number has one spelling in JSON (but -0), so its text is found again from its value.
  bool number_integer(number_integer_t value) override { return add(whole(value)); }
  bool number_unsigned(number_unsigned_t value) override { return add(whole(value)); }
  bool number_float(number_float_t value, const string_t& digits) override {
    if (as_text_) return add(Json(digits));
    // The library's own conversion heeds the locale; this one does not.
    (void)std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return add(Json(value));
  }
  bool string(string_t& value) override { return add(Json(std::move(value))); }
  bool binary(binary_t&) override { throw FormatError(name_ + ": binary, expected text"); }

  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override {
    Json done = pop();
    return add(std::move(done));
  }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool key(string_t& key) override {
    open_.back().key = std::move(key);
    return true;
  }
  bool end_object() override {
    // Sorted once: comparing each key with all before it would let a large object stall the parser.
    std::vector<std::string> keys;
    for (const auto& [key, value] : open_.back().members) keys.push_back(key);
    std::ranges::sort(keys);
    const auto twice = std::ranges::adjacent_find(keys);
    if (twice != keys.end()) {
      throw FormatError(
          message(name_, ": the key ", quote(*twice), " stands twice in an object, expected once"));
    }
    Json done = pop();
    return add(std::move(done));
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ...": the first part is
    // the library's own affair.
    std::string_view what = error.what();
    if (const std::size_t end = what.find("] "); end != std::string_view::npos) {
      what.remove_prefix(end + 2);
    }
    std::string reason = quote(what, 300);
    reason = reason.substr(1, reason.size() - 2);
    throw FormatError(
        message(name_, ": not valid JSON at byte ", position, ": ", reason, ", expected JSON"));
  }

 private:
  struct Open {
    bool is_object;
    std::string key;
    Json::Object members;
    Json::Array elements;
  };

  template <class Int>
  Json whole(Int value) const {
    return as_text_ ? Json(std::to_string(value)) : Json(value);
  }

  bool open(const Json& kind) {
    if (open_.size() == JsonDocument::kMaxDepth) {
      throw FormatError(message(name_, ": nested deeper than ", JsonDocument::kMaxDepth,
                                " levels, expected at most that"));
    }
    open_.push_back({kind.is_object(), {}, {}, {}});
    return true;
  }

  Json pop() {
    Open done = std::move(open_.back());
    open_.pop_back();
    return done.is_object ? Json(std::move(done.members)) : Json(std::move(done.elements));
  }

  bool add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().is_object) {
      open_.back().members.emplace_back(std::move(open_.back().key), std::move(value));
    } else {
      open_.back().elements.push_back(std::move(value));
    }
    return true;
  }

  const std::string& name_;
  bool as_text_;
  std::vector<Open> open_;
  Json root_;
};

}  // namespace

JsonDocument JsonDocument::parse(std::string_view text, std::string name, Numbers numbers) {
  Builder builder(name, numbers);
  nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  return {std::move(name), builder.take()};
}

}  // namespace padless
