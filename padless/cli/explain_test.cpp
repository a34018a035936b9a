#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "padless/cli/trained_for_test.h"
#include "padless/io/atomic_file.h"
#include "padless/io/json.h"

namespace padless::cli {
namespace {

class Explain : public TrainedModels {
 protected:
  static void SetUpTestSuite() {
    TrainedModels::SetUpTestSuite();
    train("lines", {"--label", "kind", "--lines-are-sentences", "--max-words", "4"});
  }
  static Ran explain(const std::string& text, const Arguments& more = {},
                     const std::string& model = "classes") {
    return run_command(Arguments{"explain", "--model", path(model), "--text", text} + more);
  }
  static JsonDocument json(const std::string& text, const std::string& model = "classes") {
    const Ran ran = explain(text, {"--format", "json"}, model);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return JsonDocument::parse(ran.out, "out");
  }
};

std::vector<std::string> strings(const JsonView& list) {
  std::vector<std::string> out;
  for (const JsonView& item : list.elements()) out.push_back(item.as_string());
  return out;
}

std::vector<float> floats(const JsonView& list) {
  std::vector<float> out;
  for (const JsonView& item : list.elements()) out.push_back(item.as_float());
  return out;
}

using Strings = std::vector<std::string>;

TEST_F(Explain, GivesWordsAndSentencesAsTheyStandInTheText) {
  const JsonDocument document = json("  \"Is it?\" The ÄPFEL fell - he said.  A saw!\n");
  const JsonView root = document.root();
  EXPECT_EQ(strings(root.at("words")),
            (Strings{"Is", "it", "The", "ÄPFEL", "fell", "he", "said", "A", "saw"}));
  EXPECT_EQ(strings(root.at("sentences")),
            (Strings{"\"Is it?\"", "The ÄPFEL fell - he said.", "A saw!"}));
}

TEST_F(Explain, GivesWeightsThatAreSharesOfOne) {
  const JsonDocument document = json("Is it? The pear fell. A saw!");
  const JsonView root = document.root();
  const std::vector<float> words = floats(root.at("word_weights"));
  const std::vector<float> sentences = floats(root.at("sentence_weights"));
  ASSERT_EQ(words.size(), 7u);
  ASSERT_EQ(sentences.size(), 3u);
  // A rounding to float for each weight.
  constexpr float kEpsilon = std::numeric_limits<float>::epsilon();
  EXPECT_NEAR(std::reduce(sentences.begin(), sentences.end()), 1, 3 * kEpsilon);
  auto word = words.begin();
  for (const JsonView& length : root.at("sentence_lengths").elements()) {
    const auto end = word + static_cast<std::ptrdiff_t>(length.as_size());
    EXPECT_NEAR(std::reduce(word, end), 1, 3 * kEpsilon);
    word = end;
  }
  EXPECT_EQ(word, words.end());
}

TEST_F(Explain, SaysWhatPredictSays) {
  for (const char* model : {"classes", "labels", "numbers"}) {
    const Ran predicted =
        run_command({"predict", "--model", path(model), "--data", "-", "--text", "text"},
                    "text\nIs it? The pear fell.\n");
    const Ran ran = explain("Is it? The pear fell.", {"--format", "json"}, model);
    const std::string inside = predicted.out.substr(0, predicted.out.size() - 2);
    EXPECT_EQ(ran.out.find(inside), 0u) << ran.out;
  }
}

TEST_F(Explain, TakesLinesAsSentencesAndCutsAsInTraining) {
  const JsonDocument document = json("One. Two\n\n - \nthree four five\nsix", "lines");
  EXPECT_EQ(strings(document.root().at("words")), (Strings{"One", "Two", "three", "four"}));
  EXPECT_EQ(strings(document.root().at("sentences")), (Strings{"One. Two", "three four five"}));
}

TEST_F(Explain, TellsHowManyWordsItCut) {
  const Ran ran = explain("One. Two\nthree four five six.", {"--format", "json"}, "lines");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "2 words behind the model's --max-words were cut from 1 long texts\n");
  EXPECT_EQ(explain("One two three four.", {}, "lines").err, "");
}

TEST_F(Explain, HasNoColourWhereItDrawsNothing) {
  const Ran ran = explain("A pear.", {"--format", "json", "--colour", "dark"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.err,
            "padless explain: --colour is given, which --format terminal has, expected no such "
            "option with --format json\n");
}

TEST_F(Explain, HasEmptyListsForATextWithoutWords) {
  for (const char* text : {"", " ... \n"}) {
    const JsonDocument document = json(text);
    EXPECT_EQ(document.root().at("words").size(), 0u);
    EXPECT_EQ(document.root().at("sentences").size(), 0u);
    EXPECT_TRUE(document.root().find("label"));
    EXPECT_EQ(explain(text).code, 0);
  }
}

TEST_F(Explain, DrawsOnATerminalWhatNoTerminalObeys) {
  const Ran ran = explain("A pear\x1b[2J fell.");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out.find('\x1b'), std::string::npos);
  EXPECT_NE(ran.out.find("pear"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("fruit ("), std::string::npos) << ran.out;
  const Ran coloured = explain("A pear fell.", {"--colour", "dark"});
  EXPECT_NE(coloured.out.find("\x1b["), std::string::npos);
}

TEST_F(Explain, MarksTheWordsThatTheModelDoesNotKnow) {
  const JsonDocument document = json("It is the ZEBRA. The pear fell.");
  std::vector<bool> known;
  for (const JsonView& word : document.root().at("words_known").elements()) {
    known.push_back(word.as_bool());
  }
  EXPECT_EQ(known, (std::vector<bool>{true, true, true, false, true, true, false}));
  EXPECT_EQ(strings(document.root().at("words")),
            (Strings{"It", "is", "the", "ZEBRA", "The", "pear", "fell"}));

  const std::string unknown = "*: not in the vocabulary; all such words are one to the model\n";
  const Ran ran = explain("It is the ZEBRA. The pear fell.");
  EXPECT_NE(ran.out.find("It is the ZEBRA*\n"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("The pear fell*\n"), std::string::npos) << ran.out;
  EXPECT_TRUE(ran.out.ends_with(unknown)) << ran.out;
  EXPECT_EQ(explain("It is the pear.").out.find('*'), std::string::npos);
}

TEST_F(Explain, HasALegendForItsSigns) {
  const auto expect_end = [](const Ran& ran, const std::string& end) {
    EXPECT_TRUE(ran.out.ends_with("\n\nbefore a sentence: its share of the attention\n" + end))
        << ran.out;
  };
  expect_end(explain("The pear."),
             "the taller the bar under a word, the more attention within its sentence\n");
  expect_end(explain("The pear.", {"--colour", "dark"}),
             "the brighter a word, the more attention within its sentence\n");
  expect_end(explain("The pear.", {"--colour", "light"}),
             "the darker a word, the more attention within its sentence\n");
  EXPECT_EQ(explain(" ... ").out.find("attention"), std::string::npos);
}

TEST_F(Explain, ShowsTheLabelsAboveTheThresholdOrTheNearest) {
  const auto first_line = [](const char* threshold) {
    const Ran ran = explain("A pear fell.", {"--threshold", threshold}, "labels");
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.out.substr(0, ran.out.find('\n'));
  };
  const std::string all = first_line("0");
  for (const char* label : {"bird (0.", "fruit (0.", "long (0.", "tool (0."}) {
    EXPECT_NE(all.find(label), std::string::npos) << all;
  }
  const std::string none = first_line("0.999");
  EXPECT_EQ(none, "no label; the nearest: " + all.substr(0, all.find(',')));
  EXPECT_EQ(explain("A pear fell.", {"--threshold", "0.5"}).code, 2);
}

TEST_F(Explain, ReadsTheTextFromStandardInput) {
  const Arguments arguments = {"explain", "--model",  path("classes"), "--text",
                               "-",       "--format", "json"};
  EXPECT_EQ(run_command(arguments, "The pear fell.").out,
            explain("The pear fell.", {"--format", "json"}).out);
}

TEST_F(Explain, RefusesBytesThatAreNotUtf8) {
  const Ran ran = explain("pear \xFF");
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.err,
            "padless explain: byte 6 of the text, \"\\xff\", is not UTF-8, expected UTF-8\n");
}

}  // namespace
}  // namespace padless::cli
