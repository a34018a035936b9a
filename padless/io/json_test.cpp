#include "padless/io/json.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "padless/core/error.h"
#include "padless/io/atomic_file.h"
#include "padless/testing/temporary_folder.h"

namespace padless {
namespace {

template <class Call>
std::string error_of(Call&& call) {
  try {
    call();
  } catch (const FormatError& error) {
    return error.what();
  }
  return "no FormatError";
}

JsonDocument parse(std::string_view text) { return JsonDocument::parse(text, "f.json"); }

TEST(Json, WritesWhatWasBuiltInTheOrderOfInsertion) {
  Json json = Json::object();
  json.set("zeta", 1)
      .set("alpha", "a\"\\\n\x01")
      .set("list", Json::array_of(std::vector{1.5, 2.0}));
  json.set("none", Json()).set("yes", true).set("zeta", -7).set("empty", Json::object());
  EXPECT_EQ(json.compact(),
            R"({"zeta":-7,"alpha":"a\"\\\n\u0001","list":[1.5,2.0],"none":null,"yes":true,)"
            R"("empty":{}})");
}

TEST(Json, PrettyFormKeepsPlainArraysOnOneLine) {
  Json json = Json::object();
  json.set("a", Json::array_of(std::vector{1, 2}));
  json.set("b", Json::array().push(Json::object().set("c", 3)));
  EXPECT_EQ(json.pretty(),
            "{\n  \"a\": [1, 2],\n  \"b\": [\n    {\n      \"c\": 3\n    }\n  ]\n}\n");
}

TEST(Json, FloatsReadBackToTheSameBits) {
  std::uint32_t bits = 1;
  for (int i = 0; i < 200'000; ++i) {
    bits = bits * 1'664'525U + 1'013'904'223U;
    const auto value = std::bit_cast<float>(bits);
    if (!std::isfinite(value)) continue;
    const std::string text = Json(value).compact();
    const float read = parse(text).root().as_float();
    ASSERT_EQ(std::bit_cast<std::uint32_t>(read), bits) << text;
    ASSERT_EQ(std::bit_cast<std::uint32_t>(std::strtof(text.c_str(), nullptr)), bits) << text;
  }
  EXPECT_EQ(Json(0.1f).compact(), "0.1");
  EXPECT_EQ(Json(-0.0f).compact(), "-0.0");
  EXPECT_EQ(Json(3.0f).compact(), "3.0");
  EXPECT_TRUE(std::signbit(parse("-0.0").root().as_float()));
}

TEST(Json, DoublesReadBackToTheSameBits) {
  std::uint64_t bits = 1;
  for (int i = 0; i < 200'000; ++i) {
    bits = bits * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    const auto value = std::bit_cast<double>(bits);
    if (!std::isfinite(value)) continue;
    const std::string text = Json(value).compact();
    ASSERT_EQ(std::bit_cast<std::uint64_t>(parse(text).root().as_double()), bits) << text;
  }
  EXPECT_EQ(Json(0.1).compact(), "0.1");
  EXPECT_EQ(Json(5e-324).compact(), "5e-324");
}

TEST(Json, WholeNumbersAreExactToTheirLimits) {
  const auto lowest = std::numeric_limits<std::int64_t>::min();
  const auto highest = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(parse(Json(lowest).compact()).root().as_int(), lowest);
  EXPECT_EQ(parse(Json(highest).compact()).root().as_uint64(), highest);
  EXPECT_EQ(Json(std::size_t{5}).get_if<std::uint64_t>(), nullptr);
}

TEST(Json, NaNAndInfinityAreRefused) {
  EXPECT_THROW((void)Json(std::nan("")), ValueError);
  EXPECT_THROW((void)Json(std::numeric_limits<float>::infinity()), ValueError);
  EXPECT_THROW(parse("NaN"), FormatError);
  EXPECT_THROW(parse("[Infinity]"), FormatError);
  EXPECT_THROW(parse("1e999"), FormatError);
  EXPECT_EQ(error_of([] { (void)parse("1e99").root().as_float(); }),
            "f.json: the document is 1e+99, expected a number within the range of floats");
}

TEST(Json, WritingAStringThatIsNotUtf8IsRefused) {
  EXPECT_THROW((void)Json("caf\xE9").compact(), ValueError);
}

TEST(Json, BuildingOnAnotherKindIsRefused) {
  EXPECT_THROW(Json(1).push(2), ValueError);
  EXPECT_THROW(Json::array().set("a", 2), ValueError);
}

TEST(JsonView, ReadsEveryKind) {
  const JsonDocument document = parse(
      R"({"flag": true, "n": 3, "x": 0.5, "s": "\u00e9", "list": [1, [2]], "o": {"k": null}})");
  const JsonView root = document.root();
  EXPECT_TRUE(root.at("flag").as_bool());
  EXPECT_EQ(root.at("n").as_size(), 3U);
  EXPECT_EQ(root.at("n").as_double(), 3.0);
  EXPECT_EQ(root.at("x").as_float(), 0.5F);
  EXPECT_EQ(root.at("s").as_string(), "\xC3\xA9");
  EXPECT_EQ(root.at("list").size(), 2U);
  EXPECT_EQ(root.at("list").elements()[1].at(0).as_int(), 2);
  EXPECT_TRUE(root.at("o").at("k").value().is_null());
  EXPECT_FALSE(root.find("none").has_value());
  EXPECT_EQ(root.members()[2].first, "x");
}

TEST(JsonView, ErrorsSayWhereAndWhatWasExpected) {
  const JsonDocument document =
      parse(R"({"hidden": "x", "layers": [{"n": 1}, {"n": -2.5}], "k": -3})");
  const JsonView root = document.root();
  EXPECT_EQ(error_of([&] { (void)root.at("hidden").as_size(); }),
            R"(f.json: 'hidden' is "x", expected a whole number)");
  EXPECT_EQ(error_of([&] { (void)root.at("layers").at(1).at("n").as_int(); }),
            "f.json: 'layers[1].n' is -2.5, expected a whole number");
  EXPECT_EQ(error_of([&] { (void)root.at("k").as_size(); }),
            "f.json: 'k' is -3, expected a whole number from 0");
  EXPECT_EQ(error_of([&] { (void)root.at("k").as_int(1, 9); }),
            "f.json: 'k' is -3, expected a whole number from 1 to 9");
  EXPECT_EQ(error_of([&] { (void)root.at("layers").at(0).at("m"); }),
            "f.json: 'layers[0]' has 'n', expected a member 'm'");
  EXPECT_EQ(error_of([&] { (void)root.at("layers").at(2); }),
            "f.json: 'layers' is an array of 2, expected an array of at least 3");
  EXPECT_EQ(error_of([&] { (void)root.at("layers").as_string(); }),
            "f.json: 'layers' is an array of 2, expected a string");
  EXPECT_EQ(error_of([&] { (void)root.as_bool(); }),
            "f.json: the document is an object of 3 members, expected true or false");
  EXPECT_EQ(error_of([&] { (void)root.at("k").find("x"); }),
            "f.json: 'k' is -3, expected an object");
}

TEST(JsonDocument, BrokenTextIsRefusedWithItsName) {
  for (const std::string_view text :
       {"", " ", "{", "[1,", "{\"a\":1,}", "tru", "[1] x", "'a'", "\"\x01\"", "01", "+1", ".5",
        "\"\\ud800\"", "\"\\x\"", "{1:2}", "[1 2]", "\xFF\xFE[\0"}) {
    const std::string error = error_of([&] { (void)parse(text); });
    EXPECT_EQ(error.find("f.json: not valid JSON at byte "), 0U) << text << " gave " << error;
  }
  EXPECT_THROW(parse(std::string_view("\0", 1)), FormatError);
  EXPECT_THROW(parse("\"caf\xE9\""), FormatError);
}

TEST(JsonDocument, NumbersAreTextWhereAsked) {
  const JsonDocument document = JsonDocument::parse(R"([1.10, -7, 18446744073709551616, 1e2])",
                                                    "f.json", JsonDocument::Numbers::as_text);
  const std::vector<JsonView> numbers = document.root().elements();
  EXPECT_EQ(numbers[0].as_string(), "1.10");
  EXPECT_EQ(numbers[1].as_string(), "-7");
  EXPECT_EQ(numbers[2].as_string(), "18446744073709551616");
  EXPECT_EQ(numbers[3].as_string(), "1e2");
}

TEST(JsonDocument, ADoubledKeyIsRefused) {
  EXPECT_EQ(error_of([] { (void)parse(R"({"a": 1, "b": {"c": 1, "d": 2, "c": 3}})"); }),
            R"(f.json: the key "c" stands twice in an object, expected once)");
}

TEST(JsonDocument, HostileNestingIsRefused) {
  EXPECT_NO_THROW(parse(std::string(100, '[') + std::string(100, ']')));
  EXPECT_THROW(parse(std::string(101, '[') + std::string(101, ']')), FormatError);
  EXPECT_THROW(parse(std::string(8'000'000, '[')), FormatError);
  std::string objects;
  for (int i = 0; i < 1'000'000; ++i) objects += "{\"a\":";
  EXPECT_THROW(parse(objects), FormatError);
}

TEST(JsonDocument, ReadsAFileAndNamesItInErrors) {
  const TemporaryFolder folder;
  const auto path = folder / "config.json";
  write_file(path, R"({"a": 1})");
  EXPECT_EQ(JsonDocument::read(path).root().at("a").as_int(), 1);
  EXPECT_EQ(error_of([&] { (void)JsonDocument::read(path).root().at("a").as_bool(); }),
            path.string() + ": 'a' is 1, expected true or false");
  EXPECT_THROW(JsonDocument::read(path, 3), FormatError);
  EXPECT_THROW(JsonDocument::read(folder / "none.json"), IoError);
}

}  // namespace
}  // namespace padless
