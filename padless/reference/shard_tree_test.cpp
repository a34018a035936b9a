#include "padless/reference/shard_tree.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace padless {
namespace {

/// A sum that remembers how it was made.
struct Spelled {
  std::string text;

  Spelled() = default;
  explicit Spelled(int) : text("0") {}
  explicit Spelled(std::string of) : text(std::move(of)) {}
  friend Spelled operator+(const Spelled& a, const Spelled& b) {
    return Spelled("(" + a.text + "+" + b.text + ")");
  }
};

/// '.' for a shard without rows.
std::string tree_of(const std::string& shards) {
  reference::ShardTree<Spelled> tree;
  for (const char shard : shards) {
    if (shard == '.') {
      tree.add_absent();
    } else {
      tree.add(Spelled(std::string(1, shard)));
    }
  }
  return tree.total().text;
}

TEST(ShardTree, AddsNeighboursFirst) {
  EXPECT_EQ(tree_of("0"), "0");
  EXPECT_EQ(tree_of("01"), "(0+1)");
  EXPECT_EQ(tree_of("0123"), "((0+1)+(2+3))");
  EXPECT_EQ(tree_of("01234567"), "(((0+1)+(2+3))+((4+5)+(6+7)))");
}

TEST(ShardTree, LeavesOutWhatIsAbsent) {
  EXPECT_EQ(tree_of(".1"), "1");
  EXPECT_EQ(tree_of("0."), "0");
  EXPECT_EQ(tree_of("0.23"), "(0+(2+3))");
  EXPECT_EQ(tree_of("..23"), "(2+3)");
  EXPECT_EQ(tree_of("01..4..7"), "((0+1)+(4+7))");
  EXPECT_EQ(tree_of(".......7"), "7");
}

TEST(ShardTree, IsZeroWhereAllAreAbsent) {
  EXPECT_EQ(tree_of("."), "0");
  EXPECT_EQ(tree_of("...."), "0");
}

}  // namespace
}  // namespace padless
