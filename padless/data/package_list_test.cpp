#include "padless/data/package_list.h"

#include <gtest/gtest.h>

#include <string>

namespace padless {
namespace {

std::vector<Stanza> stanzas_of(const std::string& text, std::size_t piece = 1 << 20) {
  std::vector<Stanza> stanzas;
  StanzaReader reader([&](const Stanza& stanza) { stanzas.push_back(stanza); });
  for (std::size_t at = 0; at < text.size(); at += piece) {
    reader.feed(std::string_view(text).substr(at, piece));
  }
  reader.finish();
  return stanzas;
}

TEST(PackageList, FieldsMayGoOnOverLines) {
  const std::string text =
      "Package: kite\nDescription-en: flies\n Flies in wind.\n .\n\t* red\n\n\n"
      "Package: top\r\nEmpty:\r\n\r\nPackage: last";
  for (const std::size_t piece : {1U, 7U, 1000U}) {
    const std::vector<Stanza> stanzas = stanzas_of(text, piece);
    ASSERT_EQ(stanzas.size(), 3U) << piece;
    EXPECT_EQ(stanzas[0].field("Package"), "kite");
    EXPECT_EQ(stanzas[0].field("Description-en"), "flies\nFlies in wind.\n.\n* red");
    EXPECT_EQ(stanzas[1].field("Package"), "top");
    EXPECT_EQ(stanzas[1].field("Empty"), "");
    EXPECT_EQ(stanzas[1].field("None"), "");
    EXPECT_EQ(stanzas[2].field("Package"), "last");
  }
}

TEST(PackageList, LinesThatAreNoFieldsArePassedOver) {
  const std::vector<Stanza> stanzas =
      stanzas_of(" before any field\nno colon here\nPackage: a\nPackage: b\n:\n\n \n");
  ASSERT_EQ(stanzas.size(), 1U);
  EXPECT_EQ(stanzas[0].field("Package"), "a");
}

TEST(PackageList, AHugeStanzaOrLineIsKeptInBoundedMemory) {
  std::string text = "Package: a\n";
  for (int i = 0; i < 3000; ++i) text += " " + std::string(999, 'x') + "\n";
  text += "\nPackage: b\nLong: " + std::string(3'000'000, 'y') + "\nAfter: z\n\nPackage: c\n";
  const std::vector<Stanza> stanzas = stanzas_of(text, 65'536);
  ASSERT_EQ(stanzas.size(), 3U);
  EXPECT_LE(stanzas[0].field("Package").size(), StanzaReader::kMaxBytes);
  EXPECT_GT(stanzas[0].field("Package").size(), StanzaReader::kMaxBytes / 2);
  EXPECT_EQ(stanzas[1].field("Long"), "");
  EXPECT_EQ(stanzas[2].field("Package"), "c");
}

}  // namespace
}  // namespace padless
