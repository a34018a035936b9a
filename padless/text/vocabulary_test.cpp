#include "padless/text/vocabulary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "padless/core/error.h"

namespace padless {
namespace {

VocabularyBuilder counted(const std::vector<std::string>& words) {
  VocabularyBuilder builder;
  for (const std::string& word : words) builder.add(word);
  return builder;
}

std::string refusal(std::string_view text) {
  try {
    Vocabulary::from_text(text, "han/vocabulary.txt");
  } catch (const FormatError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Vocabulary, IsOrderedByFallingCountThenByBytes) {
  const Vocabulary vocabulary = counted({"b", "é", "a", "c", "c", "B", "é", "c"}).build({});
  EXPECT_EQ(vocabulary.to_text(), "<unk>\nc\né\nB\na\nb\n");
  EXPECT_EQ(vocabulary.size(), 6u);
}

TEST(Vocabulary, DoesNotDependOnTheOrderOfTheWords) {
  std::vector<std::string> words;
  words.reserve(3000);
  for (int i = 0; i < 500; ++i) words.push_back(message("w", i * i % 97));
  const std::string expected = counted(words).build({}).to_text();
  std::mt19937 random(1);
  for (int i = 0; i < 10; ++i) {
    std::shuffle(words.begin(), words.end(), random);
    EXPECT_EQ(counted(words).build({}).to_text(), expected);
  }
}

TEST(Vocabulary, LeavesOutRareWordsAndThoseBeyondItsSize) {
  const VocabularyBuilder builder = counted({"a", "b", "b", "c", "c", "c", "d", "d"});
  EXPECT_EQ(builder.build({.min_count = 2}).to_text(), "<unk>\nc\nb\nd\n");
  EXPECT_EQ(builder.build({.max_size = 3}).to_text(), "<unk>\nc\nb\n");
  EXPECT_EQ(builder.build({.max_size = 1}).to_text(), "<unk>\n");
  EXPECT_THROW(builder.build({.max_size = 0}), ValueError);
  EXPECT_THROW(builder.build({.max_size = Vocabulary::kMaxSize + 1}), ValueError);
}

TEST(Vocabulary, AWordHasItsIdAndEveryOtherWordIsUnknown) {
  std::vector<std::string> words;
  words.reserve(3000);
  for (int i = 0; i < 3000; ++i) words.push_back(message("w", i));
  const Vocabulary vocabulary = counted(words).build({});
  ASSERT_EQ(vocabulary.size(), 3001u);
  for (std::int32_t id = 1; id <= 3000; ++id) EXPECT_EQ(vocabulary.id(vocabulary.word(id)), id);
  for (const char* other : {"", "w", "w3000", "W1", "w1 ", "w1\nw10", "<unk>"}) {
    EXPECT_EQ(vocabulary.id(other), Vocabulary::kUnknownId) << other;
  }
  EXPECT_EQ(vocabulary.word(Vocabulary::kUnknownId), "<unk>");
}

TEST(Vocabulary, OneWithoutWordsKnowsNone) {
  EXPECT_EQ(Vocabulary().size(), 1u);
  EXPECT_EQ(Vocabulary().id("a"), Vocabulary::kUnknownId);
  EXPECT_EQ(Vocabulary().to_text(), "<unk>\n");
}

TEST(Vocabulary, ReadsBackWhatItWrote) {
  const Vocabulary vocabulary =
      counted({"the", "дом", "isn't", "👩‍🚀", "the", "'", "1\u202F000"}).build({});
  const Vocabulary read = Vocabulary::from_text(vocabulary.to_text(), "test");
  EXPECT_EQ(read.to_text(), vocabulary.to_text());
  for (const char* word : {"the", "дом", "isn't", "👩‍🚀", "'", "1\u202F000", "absent"}) {
    EXPECT_EQ(read.id(word), vocabulary.id(word));
  }
}

TEST(Vocabulary, IsSafeToCopyAndToMove) {
  Vocabulary original = Vocabulary::from_text("<unk>\na\nb\n", "test");
  const Vocabulary copy = original;
  const Vocabulary moved = std::move(original);
  EXPECT_EQ(copy.id("b"), 2);
  EXPECT_EQ(moved.id("b"), 2);
}

TEST(Vocabulary, ARefusalSaysWhichLineIsWrongAndWhy) {
  EXPECT_EQ(refusal("<unk>\na\n"), "accepted");
  EXPECT_EQ(refusal(""), "han/vocabulary.txt:1: found \"\", expected <unk>, the word with id 0");
  EXPECT_EQ(refusal("the\na\n"),
            "han/vocabulary.txt:1: found \"the\", expected <unk>, the word with id 0");
  EXPECT_EQ(refusal("<unk>\r\na\r\n"),
            "han/vocabulary.txt:1: found \"<unk>\\x0d\", expected <unk>, the word with id 0");
  EXPECT_EQ(refusal("<unk>\na\n\nb\n"),
            "han/vocabulary.txt:3: an empty word, expected one word a line");
  EXPECT_EQ(refusal("<unk>\na\nb\xC3\n"),
            "han/vocabulary.txt:3: not UTF-8 at byte 1, expected one word a line");
  EXPECT_EQ(refusal("<unk>\nab\u2028c\n"),
            "han/vocabulary.txt:2: a line break or carriage return at byte 2 of the word, expected "
            "one word a line");
  EXPECT_EQ(refusal("<unk>\na b\n"),
            "han/vocabulary.txt:2: white space at byte 1 of the word \"a b\", expected one word a "
            "line");
  EXPECT_EQ(
      refusal("<unk>\na\n\u00A0b\n"),
      "han/vocabulary.txt:3: white space at byte 0 of the word \"\u00A0b\", expected one word "
      "a line");
  EXPECT_EQ(refusal(std::string_view("<unk>\na\0\n", 9)),
            "han/vocabulary.txt:2: a control character at byte 1 of the word \"a\\x00\", expected "
            "one word a line");
  EXPECT_EQ(refusal("<unk>\na\tb\n"),
            "han/vocabulary.txt:2: a control character at byte 1 of the word \"a\\x09b\", expected "
            "one word a line");
  EXPECT_EQ(refusal("<unk>\na\nb\na\n"),
            "han/vocabulary.txt:4: \"a\" stands in line 2 already, expected each word once");
  EXPECT_EQ(refusal("<unk>\n<unk>\n"),
            "han/vocabulary.txt:2: \"<unk>\" stands in line 1 already, expected each word once");
  EXPECT_EQ(refusal("<unk>\na\nb"),
            "han/vocabulary.txt:3: the line does not end with a line feed: the file is cut off");
}

TEST(Vocabulary, ARefusalShowsTheBeginningOfALongLine) {
  EXPECT_EQ(refusal(std::string(1000, 'x') + "\n"),
            message("han/vocabulary.txt:1: found \"", std::string(40, 'x'),
                    "...\", expected <unk>, the word with id 0"));
  EXPECT_EQ(refusal("\x1B[31m\xFF\n"),
            "han/vocabulary.txt:1: found \"\\x1b[31m\\xff\", expected <unk>, the word with id 0");
}

TEST(Vocabulary, RefusesMoreWordsThanItHoldsBeforeItReadsThem) {
  EXPECT_EQ(refusal("<unk>" + std::string(Vocabulary::kMaxSize + 1, '\n')),
            "han/vocabulary.txt:16777217: 16777217 lines, expected at most 16777216");
}

TEST(Vocabulary, RandomBytesAreRefusedOrReadBack) {
  std::mt19937 random(1);
  for (int i = 0; i < 5000; ++i) {
    std::string text = "<unk>\n";
    for (std::size_t left = random() % 12; left > 0; --left) {
      text.push_back(random() % 3 == 0 ? static_cast<char>(random())
                                       : "ab\n\xC3\xA9"[random() % 5]);
    }
    try {
      EXPECT_EQ(Vocabulary::from_text(text, "test").to_text(), text);
    } catch (const FormatError&) {
      // Most of such texts are refused; none may do anything else.
    }
  }
}

TEST(VocabularyBuilder, RefusesWhatCannotBeALine) {
  VocabularyBuilder builder;
  for (const char* word : {"", "a\nb", "a\r", "a b", "a\x01", "\xFF", "<unk>"}) {
    EXPECT_THROW(builder.add(word), ValueError) << word;
  }
}

TEST(VocabularyBuilder, CountsDocumentsAsItCountsTheirWords) {
  VocabularyBuilder builder;
  builder.add(Document("The cat. The dog!", {}));
  builder.add("dog", 5);
  EXPECT_EQ(builder.build({}).to_text(), "<unk>\ndog\nthe\ncat\n");
}

TEST(VocabularyBuilder, WordsOfAnyTextCanBeRead) {
  std::mt19937 random(1);
  VocabularyBuilder builder;
  for (int i = 0; i < 3000; ++i) {
    const std::string_view units[] = {"<",      ">",      "unk",      "\n",  "\r", "\u2028",
                                      "a",      "\v",     "😀",        " ",   "\t", "\x01",
                                      "\u200D", "\u0301", "\xE2\x80", "\xA8"};
    std::string text;
    for (std::size_t left = random() % 16; left > 0; --left) {
      text += units[random() % std::size(units)];
    }
    builder.add(Document(text, {.lower_case = random() % 2 == 0}));
  }
  const Vocabulary vocabulary = builder.build({});
  EXPECT_GT(vocabulary.size(), 10u);
  EXPECT_EQ(Vocabulary::from_text(vocabulary.to_text(), "test").to_text(), vocabulary.to_text());
}

TEST(DocumentIds, AreAnIdForEachWordAndALengthForEachSentence) {
  const Vocabulary vocabulary = Vocabulary::from_text("<unk>\nthe\ndog\n", "test");
  const DocumentIds ids = look_up(Document("The dog barks. The end!", {}), vocabulary);
  EXPECT_EQ(ids.words, (std::vector<std::int32_t>{1, 2, 0, 1, 0}));
  EXPECT_EQ(ids.sentence_lengths, (std::vector<std::size_t>{3, 2}));
  EXPECT_TRUE(look_up(Document("", {}), vocabulary).sentence_lengths.empty());
}

}  // namespace
}  // namespace padless
