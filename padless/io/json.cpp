#include "padless/io/json.h"

#include <algorithm>
#include <cmath>

#include "padless/core/error.h"
#include "padless/core/quote.h"
#include "padless/io/atomic_file.h"

namespace padless {
namespace {

template <class Real>
Real finite(Real value) {
  require_value(std::isfinite(value), "Json: a number is ", value, ", expected a finite one");
  return value;
}

/// What a message shows of a value: itself when it is short, else its kind.
std::string describe(const Json& value) {
  if (const auto* text = value.get_if<std::string>()) return quote(*text);
  if (const auto* array = value.get_if<Json::Array>()) {
    return message("an array of ", array->size());
  }
  if (const auto* object = value.get_if<Json::Object>()) {
    return message("an object of ", object->size(), " members");
  }
  return value.compact();
}

const Json* find_member(const Json& value, std::string_view key) {
  const auto* object = value.get_if<Json::Object>();
  if (object == nullptr) return nullptr;
  const auto found = std::ranges::find(*object, key, &Json::Member::first);
  return found == object->end() ? nullptr : &found->second;
}

}  // namespace

Json::Json(float value) : value_(finite(value)) {}
Json::Json(double value) : value_(finite(value)) {}

Json& Json::push(Json value) {
  auto* array = std::get_if<Array>(&value_);
  require_value(array != nullptr, "Json::push: the value is ", describe(*this),
                ", expected an array");
  array->push_back(std::move(value));
  return *this;
}

Json& Json::set(std::string_view key, Json value) {
  auto* object = std::get_if<Object>(&value_);
  require_value(object != nullptr, "Json::set: the value is ", describe(*this),
                ", expected an object");
  const auto found = std::ranges::find(*object, key, &Member::first);
  if (found != object->end()) {
    found->second = std::move(value);
  } else {
    object->emplace_back(key, std::move(value));
  }
  return *this;
}

bool Json::is_number() const {
  return std::holds_alternative<std::int64_t>(value_) ||
         std::holds_alternative<std::uint64_t>(value_) || std::holds_alternative<float>(value_) ||
         std::holds_alternative<double>(value_);
}

std::string JsonView::place() const { return path_.empty() ? "the document" : "'" + path_ + "'"; }

void JsonView::fail(std::string_view expected) const {
  throw FormatError(
      message(*name_, ": ", place(), " is ", describe(*value_), ", expected ", expected));
}

bool JsonView::as_bool() const {
  const bool* value = value_->get_if<bool>();
  if (value == nullptr) fail("true or false");
  return *value;
}

std::int64_t JsonView::as_int(std::int64_t low, std::int64_t high) const {
  const auto* value = value_->get_if<std::int64_t>();
  if (value == nullptr && value_->get_if<std::uint64_t>() == nullptr) fail("a whole number");
  if (value == nullptr || *value < low || *value > high) {
    fail(message("a whole number from ", low, " to ", high));
  }
  return *value;
}

std::uint64_t JsonView::as_uint64() const {
  if (const auto* value = value_->get_if<std::uint64_t>()) return *value;
  const auto* value = value_->get_if<std::int64_t>();
  if (value == nullptr) fail("a whole number");
  if (*value < 0) fail("a whole number from 0");
  return static_cast<std::uint64_t>(*value);
}

std::size_t JsonView::as_size(std::size_t low, std::size_t high) const {
  const std::uint64_t value = as_uint64();
  if (value < low || value > high) fail(message("a whole number from ", low, " to ", high));
  return value;
}

double JsonView::as_double() const {
  if (const auto* value = value_->get_if<double>()) return *value;
  if (const auto* value = value_->get_if<float>()) return *value;
  if (const auto* value = value_->get_if<std::int64_t>()) return static_cast<double>(*value);
  if (const auto* value = value_->get_if<std::uint64_t>()) return static_cast<double>(*value);
  fail("a number");
}

float JsonView::as_float() const {
  const auto value = static_cast<float>(as_double());
  if (!std::isfinite(value)) fail("a number within the range of floats");
  return value;
}

const std::string& JsonView::as_string() const {
  const auto* value = value_->get_if<std::string>();
  if (value == nullptr) fail("a string");
  return *value;
}

std::size_t JsonView::size() const {
  if (const auto* array = value_->get_if<Json::Array>()) return array->size();
  if (const auto* object = value_->get_if<Json::Object>()) return object->size();
  fail("an array or an object");
}

JsonView JsonView::at(std::size_t i) const {
  const auto* array = value_->get_if<Json::Array>();
  if (array == nullptr) fail("an array");
  if (i >= array->size()) fail(message("an array of at least ", i + 1));
  return {*name_, (*array)[i], message(path_, "[", i, "]")};
}

std::optional<JsonView> JsonView::find(std::string_view key) const {
  if (!value_->is_object()) fail("an object");
  const Json* member = find_member(*value_, key);
  if (member == nullptr) return std::nullopt;
  return JsonView(*name_, *member, path_.empty() ? std::string(key) : message(path_, ".", key));
}

JsonView JsonView::at(std::string_view key) const {
  if (auto member = find(key)) return *std::move(member);
  constexpr std::size_t kShown = 20;
  const auto& object = *value_->get_if<Json::Object>();
  std::string keys;
  for (std::size_t i = 0; i < object.size() && i < kShown; ++i) {
    keys += message(i == 0 ? "" : ", ", "'", object[i].first, "'");
  }
  if (object.size() > kShown) keys += ", ...";
  throw FormatError(message(*name_, ": ", place(), " has ", object.empty() ? "no members" : keys,
                            ", expected a member '", key, "'"));
}

std::vector<JsonView> JsonView::elements() const {
  const auto* array = value_->get_if<Json::Array>();
  if (array == nullptr) fail("an array");
  std::vector<JsonView> out;
  out.reserve(array->size());
  for (std::size_t i = 0; i < array->size(); ++i) out.push_back(at(i));
  return out;
}

std::vector<std::pair<std::string_view, JsonView>> JsonView::members() const {
  const auto* object = value_->get_if<Json::Object>();
  if (object == nullptr) fail("an object");
  std::vector<std::pair<std::string_view, JsonView>> out;
  out.reserve(object->size());
  for (const auto& [key, member] : *object) {
    out.emplace_back(key, JsonView(*name_, member, path_.empty() ? key : message(path_, ".", key)));
  }
  return out;
}

JsonDocument JsonDocument::read(const std::filesystem::path& path, std::size_t max_bytes) {
  return parse(read_file(path, max_bytes), path.string());
}

}  // namespace padless
