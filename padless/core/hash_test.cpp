#include "padless/core/hash.h"

#include <gtest/gtest.h>

namespace padless {
namespace {

std::uint64_t hash_of(std::string_view text) {
  Fnv1a hash;
  hash.add(text);
  return hash.value();
}

// Known answers of its authors' page.
TEST(Fnv1a, GivesTheKnownAnswers) {
  EXPECT_EQ(hash_of(""), 0xcbf29ce484222325u);
  EXPECT_EQ(hash_of("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(hash_of("foobar"), 0x85944171f73967e8u);
}

TEST(Fnv1a, ANumberIsItsBytesFromTheLowest) {
  Fnv1a number;
  number.add(std::uint64_t{0x6f6f66});
  EXPECT_EQ(number.value(), hash_of(std::string_view("foo\0\0\0\0\0", 8)));
}

}  // namespace
}  // namespace padless
