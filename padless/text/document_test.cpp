#include "padless/text/document.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "padless/core/error.h"
#include "padless/core/utf8.h"

namespace padless {
namespace {

using Sentences = std::vector<std::vector<std::string>>;

Sentences spelled(const Document& document) {
  Sentences sentences;
  for (std::size_t s = 0; s < document.sentence_count(); ++s) {
    sentences.emplace_back();
    const Document::Range words = document.sentence(s);
    for (std::size_t i = words.begin; i < words.end; ++i) {
      sentences.back().emplace_back(document.word(i));
    }
  }
  return sentences;
}

Sentences spelled(std::string_view text, const TokenizerSettings& settings = {}) {
  return spelled(Document(text, settings));
}

TEST(Document, IsSentencesOfLowerCasedWords) {
  EXPECT_EQ(spelled("The film isn't bad. See it!\nTwice: 3.5 €"),
            (Sentences{{"the", "film", "isn't", "bad"}, {"see", "it"}, {"twice", "3.5"}}));
}

TEST(Document, KeepsTheCaseWhereAsked) {
  EXPECT_EQ(spelled("See IT", {.lower_case = false}), (Sentences{{"See", "IT"}}));
}

TEST(Document, SaysWhereAWordStandsInTheText) {
  const std::string text = "«İnce», dedi.";
  const Document document(text, {});
  ASSERT_EQ(document.word_count(), 2u);
  const Document::Range source = document.source(0);
  EXPECT_EQ(text.substr(source.begin, source.size()), "İnce");
  EXPECT_EQ(document.word(0), "i\u0307nce");
  EXPECT_EQ(document.source(1), (Document::Range{11, 15}));
}

TEST(Document, ASentenceWithoutAWordIsLeftOut) {
  EXPECT_EQ(spelled("...! One. (!) --- \n\n \n???\nTwo"), (Sentences{{"one"}, {"two"}}));
  EXPECT_EQ(spelled("?! --- \n ..."), Sentences{});
  EXPECT_EQ(spelled(""), Sentences{});
}

TEST(Document, LinesAreSentencesWhereAsked) {
  EXPECT_EQ(spelled("One. Two!\r\nThree\n\n!\nFour\u2028Five", {.lines_are_sentences = true}),
            (Sentences{{"one", "two"}, {"three"}, {"four"}, {"five"}}));
}

TEST(Document, AWordThatASentenceEndsInBelongsToTheSentenceItBeginsIn) {
  // A full stop between Hebrew letters holds a word together, and yet ends a sentence.
  EXPECT_EQ(spelled("א.ב ג"), (Sentences{{"א.ב"}, {"ג"}}));
}

TEST(Document, IsCutAfterTheMostWordsAllowedAndCountsTheOthers) {
  const std::string text = "One two. Three four five. Six.";
  const auto cut = [&](std::size_t max_words) { return Document(text, {.max_words = max_words}); };
  EXPECT_EQ(spelled(cut(4)), (Sentences{{"one", "two"}, {"three", "four"}}));
  EXPECT_EQ(cut(4).words_cut(), 2u);
  EXPECT_EQ(spelled(cut(2)), (Sentences{{"one", "two"}}));
  EXPECT_EQ(cut(2).words_cut(), 4u);
  EXPECT_EQ(spelled(cut(0)), Sentences{});
  EXPECT_EQ(cut(0).words_cut(), 6u);
  EXPECT_EQ(spelled(cut(6)), spelled(text));
  EXPECT_EQ(cut(6).words_cut(), 0u);
}

TEST(Document, WordsAreUtf8WhateverTheTextIs) {
  // A joiner holds a pictograph to anything before it, a malformed byte included.
  const std::string text = "\xFF\u200D😀";
  for (const bool lower : {true, false}) {
    const Document document(text, {.lower_case = lower});
    ASSERT_EQ(document.word_count(), 1u);
    EXPECT_EQ(document.word(0), "\uFFFD\u200D😀");
    EXPECT_EQ(document.source(0), (Document::Range{0, text.size()}));
  }
}

TEST(Document, ReadsAnyBytesAndItsRangesFit) {
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    std::string text(random() % 80, '\0');
    for (char& c : text) {
      constexpr std::string_view kUsual = "aB1. \n'!)\xE2\x80\x8D\xF0\x9F\x98\x80";
      c = random() % 4 == 0 ? static_cast<char>(random()) : kUsual[random() % kUsual.size()];
    }
    const TokenizerSettings settings{.lower_case = random() % 2 == 0,
                                     .lines_are_sentences = random() % 2 == 0};
    const Document document(text, settings);
    std::size_t text_at = 0, word_at = 0;
    for (std::size_t s = 0; s < document.sentence_count(); ++s) {
      ASSERT_EQ(document.sentence(s).begin, word_at);
      ASSERT_GT(document.sentence(s).end, word_at);
      word_at = document.sentence(s).end;
    }
    ASSERT_EQ(word_at, document.word_count());
    for (std::size_t w = 0; w < document.word_count(); ++w) {
      ASSERT_GE(document.source(w).begin, text_at);
      ASSERT_GT(document.source(w).end, document.source(w).begin);
      text_at = document.source(w).end;
      ASSERT_EQ(find_malformed_utf8(document.word(w)), std::nullopt);
    }
    ASSERT_LE(text_at, text.size());
  }
}

TEST(Document, AParagraphDoesNotSeeItsNeighbours) {
  const std::string paragraphs[] = {"One. Two a.b! (x", "'Σ.Σ 1,2", "🇩🇪🇫 \"A.\" b?", "\xE2\x82"};
  for (const std::string& before : paragraphs) {
    for (const std::string& paragraph : paragraphs) {
      for (const std::string& after : paragraphs) {
        Sentences expected = spelled(before);
        for (const std::string& each : {paragraph, after}) {
          for (const auto& sentence : spelled(each)) expected.push_back(sentence);
        }
        EXPECT_EQ(spelled(message(before, "\n", paragraph, "\n", after)), expected);
      }
    }
  }
}

}  // namespace
}  // namespace padless
