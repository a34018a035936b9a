#include "padless/train/text_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "padless/batch/shards.h"
#include "padless/core/error.h"
#include "padless/core/rng.h"
#include "padless/io/atomic_file.h"
#include "padless/io/sealed_safetensors.h"
#include "padless/testing/bits.h"
#include "padless/testing/temporary_folder.h"

namespace padless {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kTexts = {
    "A small text.", "", "Two sentences here. And another one, somewhat longer than the first!",
    "unknownword", "One. Two. Three. Four."};

TextModel small_model(Answer answer) {
  VocabularyBuilder builder;
  for (const std::string& text : kTexts) builder.add(Document(text, {}));
  Rng rng(4);
  const Vocabulary vocabulary = builder.build({});
  const HanConfig config{.vocabulary = vocabulary.size(),
                         .outputs = answer == Answer::number ? 1u : 3u,
                         .embedding = 6,
                         .word_hidden = 5,
                         .word_attention = 4,
                         .sentence_hidden = 3,
                         .sentence_attention = 7};
  TextModel model{.tokenizer = {.max_words = 40},
                  .vocabulary = vocabulary,
                  .answer = answer,
                  .labels = {},
                  .network = Network(config, rng)};
  if (answer == Answer::number) {
    model.target_mean = 0.1;
    model.target_scale = 1.0 / 3;
  } else {
    model.labels = {"apple", "pear", "\"quoted\" \n\u00e9"};
  }
  return model;
}

void expect_same_predictions(const std::vector<TextPrediction>& found,
                             const std::vector<TextPrediction>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].label, expected[i].label);
    testing::expect_same_bits(found[i].scores, expected[i].scores);
    EXPECT_EQ(found[i].value, expected[i].value);
  }
}

TEST(TextModel, ComesBackFromItsFolderToTheSameBits) {
  for (const auto& [answer, name] : answer_names()) {
    SCOPED_TRACE(name);
    const TemporaryFolder folder;
    TextModel model = small_model(answer);
    save_text_model(folder.path() / "new" / "model", model);
    const TextModel loaded = load_text_model(folder.path() / "new" / "model");
    EXPECT_EQ(loaded.tokenizer, model.tokenizer);
    EXPECT_EQ(loaded.answer, answer);
    EXPECT_EQ(loaded.labels, model.labels);
    Runtime runtime;
    expect_same_predictions(predict(runtime, loaded, kTexts), predict(runtime, model, kTexts));
  }
}

TEST(TextModel, SaysWhatItsVocabularyWasLimitedToAndIsReadWithoutThat) {
  const TemporaryFolder folder;
  TextModel model = small_model(Answer::one_class);
  save_text_model(folder / "older", model);
  EXPECT_EQ(read_file(folder / "older" / "config.json", 1 << 20).find("vocabulary_limits"),
            std::string::npos);
  EXPECT_FALSE(load_text_model(folder / "older").vocabulary_limits.has_value());

  model.vocabulary_limits = VocabularyLimits{.min_count = 3, .max_size = 70};
  save_text_model(folder / "model", model);
  const std::optional<VocabularyLimits> limits =
      load_text_model(folder / "model").vocabulary_limits;
  ASSERT_TRUE(limits.has_value());
  EXPECT_EQ(limits.value_or(VocabularyLimits()).min_count, 3u);
  EXPECT_EQ(limits.value_or(VocabularyLimits()).max_size, 70u);
}

TEST(TextModel, PredictsATextTheSameInAnyBatch) {
  for (const auto& [answer, name] : answer_names()) {
    SCOPED_TRACE(name);
    const TextModel model = small_model(answer);
    Runtime one, three({.threads = 3, .isa = {}});
    const auto expected = predict(one, model, kTexts, 1);
    expect_same_predictions(predict(one, model, kTexts, 100000), expected);
    expect_same_predictions(predict(three, model, kTexts, 7), expected);
    for (std::size_t i = 0; i < kTexts.size(); ++i) {
      const auto alone = predict(one, model, std::span(kTexts).subspan(i, 1));
      testing::expect_same_bits(alone[0].scores, expected[i].scores);
    }
  }
}

// The network is the same: its scores are read in another way.
TEST(TextModel, GivesEachOfSeveralLabelsAProbabilityByItself) {
  Runtime runtime;
  const auto classes = predict(runtime, small_model(Answer::one_class), kTexts);
  const auto labels = predict(runtime, small_model(Answer::several_labels), kTexts);
  for (std::size_t i = 0; i < kTexts.size(); ++i) {
    const auto odds = [](float p) { return std::log(p / (1 - p)); };
    const std::vector<float>& own = labels[i].scores;
    ASSERT_EQ(own.size(), 3u);
    // A softmax of the same scores: differences of log odds are those of log probabilities.
    for (const std::size_t k : {1u, 2u}) {
      EXPECT_NEAR(odds(own[k]) - odds(own[0]),
                  std::log(classes[i].scores[k] / classes[i].scores[0]), 1e-5);
    }
  }
}

std::string refusal_of(const fs::path& folder) {
  try {
    load_text_model(folder);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "accepted";
}

std::string with(std::string config, const std::string& from, const std::string& to) {
  const std::size_t at = config.find(from);
  EXPECT_NE(at, std::string::npos) << from << " in " << config;
  if (at != std::string::npos) config.replace(at, from.size(), to);
  return config;
}

TEST(TextModel, RefusesAnAnswerThatIsNoneOrDoesNotFit) {
  const TemporaryFolder folder;
  TextModel model = small_model(Answer::several_labels);
  save_text_model(folder.path(), model);
  const fs::path path = folder.path() / "config.json";
  const std::string whole = read_file(path, std::size_t{1} << 20);
  const auto refused = [&](const std::string& from, const std::string& to) {
    write_file(path, with(whole, from, to));
    const std::string error = refusal_of(folder.path());
    EXPECT_EQ(error.find(path.string() + ": "), 0u) << error;
    return error.substr(std::min(error.size(), path.string().size() + 2));
  };
  const std::string answer = "\"answer\": \"labels\"";
  EXPECT_EQ(refused(answer, "\"answer\": \"sets\""),
            "'answer' is \"sets\", expected \"class\" or \"labels\" or \"number\"");
  EXPECT_NE(refused(answer, "\"answer\": 3").find("'answer' is 3, expected"), std::string::npos);
  EXPECT_NE(refused(answer, "\"reply\": \"labels\"").find("'answer'"), std::string::npos);
  EXPECT_NE(refused(answer, "\"answer\": \"number\"").find("'target'"), std::string::npos);
  EXPECT_NE(refused("\"labels\": [", "\"tags\": [").find("'labels'"), std::string::npos);
  EXPECT_EQ(refused("\"pear\"", "\"apple\""),
            "'labels[1]' is \"apple\", expected every label once");
  EXPECT_NE(refused("\"pear\", ", "").find("expected 3 labels (its 'outputs')"), std::string::npos);
  EXPECT_EQ(refused("\"format_version\": 2", "\"format_version\": 1"),
            "'format_version' is 1, expected 2 (what this padless reads)");
}

TEST(TextModel, ExplainsWithWeightsThatAddUpToOne) {
  const TextModel model = small_model(Answer::one_class);
  Runtime runtime;
  const TextExplanation explanation = explain(runtime, model, kTexts[2]);
  EXPECT_EQ(explanation.document.sentence_count(), 2u);
  ASSERT_EQ(explanation.word_weights.size(), explanation.document.word_count());
  const auto sum = [](std::span<const float> weights) {
    return std::accumulate(weights.begin(), weights.end(), 0.0);
  };
  EXPECT_NEAR(sum(explanation.sentence_weights), 1, 1e-6);
  for (std::size_t s = 0; s < 2; ++s) {
    const Document::Range words = explanation.document.sentence(s);
    EXPECT_NEAR(sum(std::span(explanation.word_weights).subspan(words.begin, words.size())), 1,
                1e-6);
  }
  // Asking for weights moves no bit of the prediction.
  const auto plain = predict(runtime, model, std::span(kTexts).subspan(2, 1));
  testing::expect_same_bits(explanation.prediction.scores, plain[0].scores);
}

TEST(TextModel, OfATextWithoutWordsIsNoNaN) {
  const TextModel model = small_model(Answer::one_class);
  Runtime runtime;
  const TextExplanation explanation = explain(runtime, model, " ... ");
  EXPECT_TRUE(explanation.word_weights.empty());
  for (const float score : explanation.prediction.scores) EXPECT_GT(score, 0);
}

// Every truncation of each file is an error that names it, and so is every changed byte of
// config.json and vocabulary.txt. A changed byte of model.safetensors is an error too, or one space
// for another between the parts of its header: never a crash.
TEST(TextModel, ADamagedFolderIsAnErrorAndNeverACrash) {
  const TemporaryFolder folder;
  TextModel model = small_model(Answer::several_labels);
  save_text_model(folder.path(), model);
  Rng rng(9);
  for (const char* name : {"config.json", "vocabulary.txt", "model.safetensors"}) {
    const fs::path path = folder.path() / name;
    const std::string whole = read_file(path, std::size_t{1} << 20);
    const auto expect_refusal = [&](const std::string& bytes) {
      write_file(path, bytes);
      try {
        load_text_model(folder.path());
        ADD_FAILURE() << name << " of " << bytes.size() << " bytes was accepted";
      } catch (const FormatError& error) {
        EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
      }
    };
    const std::size_t step = 1 + whole.size() / 30;
    // The last byte of config.json is a line break, which may be missing.
    for (std::size_t size = 0; size + 1 < whole.size(); size += step) {
      expect_refusal(whole.substr(0, size));
    }
    for (int flip = 0; flip < 60; ++flip) {
      std::string bytes = whole;
      bytes[rng.below(bytes.size())] = static_cast<char>(rng.below(256));
      if (bytes == whole) continue;
      write_file(path, bytes);
      try {
        load_text_model(folder.path());
        EXPECT_EQ(name, std::string("model.safetensors")) << "accepted with another byte";
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
      }
    }
    write_file(path, whole);
  }
  EXPECT_NO_THROW(load_text_model(folder.path()));
}

// What neither a length nor a shape tells: another word of the same id, another way to read texts.
TEST(TextModel, FilesThatDoNotBelongTogetherAreRefused) {
  const TemporaryFolder folder;
  TextModel model = small_model(Answer::one_class);
  save_text_model(folder.path(), model);
  const auto refusal_with = [&](const char* name, const std::string& from, const std::string& to) {
    const fs::path path = folder.path() / name;
    const std::string whole = read_file(path, std::size_t{1} << 20);
    std::string changed = whole;
    changed.replace(changed.find(from), from.size(), to);
    write_file(path, changed);
    std::string refusal = refusal_of(folder.path());
    write_file(path, whole);
    return refusal;
  };
  const std::string vocabulary = refusal_with("vocabulary.txt", "\nsmall\n", "\nsmell\n");
  EXPECT_TRUE(vocabulary.starts_with((folder / "vocabulary.txt").string() + ": its checksum is "))
      << vocabulary;
  EXPECT_TRUE(vocabulary.ends_with(
      " as model.safetensors says: it was changed, or belongs to another model"))
      << vocabulary;
  const std::string config =
      refusal_with("config.json", "\"lower_case\": true", "\"lower_case\": false");
  EXPECT_TRUE(config.starts_with((folder / "config.json").string() + ": its checksum is "))
      << config;
  EXPECT_EQ(refusal_of(folder.path()), "accepted");

  // The parameters of a model of the same sizes.
  TextModel other = small_model(Answer::one_class);
  other.labels[0] = "quince";
  save_parameters(folder / "model.safetensors", other);
  EXPECT_TRUE(refusal_of(folder.path())
                  .starts_with((folder / "config.json").string() + ": its checksum is "));
}

TEST(TextModel, ParametersOfAnotherToolNeedNoChecksumAndThoseOfPadlessDo) {
  const TemporaryFolder folder;
  TextModel model = small_model(Answer::one_class);
  save_text_model(folder.path(), model);
  std::vector<TensorToWrite> tensors;
  for (const auto& [name, parameter] : model.network.parameters()) {
    const Matrix<float>& value = parameter->value;
    tensors.emplace_back(name, std::vector<std::size_t>{value.rows(), value.cols()}, value.cells());
  }
  const fs::path path = folder / "model.safetensors";
  write_safetensors(path, tensors, {{"format", "pt"}});
  EXPECT_EQ(refusal_of(folder.path()), "accepted");
  write_safetensors(path, tensors, {{"format", "padless"}, {"padless_checksun", "0"}});
  EXPECT_EQ(refusal_of(folder.path()),
            path.string() +
                ": its metadata lack 'padless_checksum', expected it in a file of padless: the "
                "file is damaged");
  write_sealed_safetensors(path, tensors, {{"format", "padless"}});
  EXPECT_EQ(refusal_of(folder.path()),
            path.string() +
                ": its metadata lack 'checksum of config.json', expected it in a file of padless: "
                "the file is damaged");
}

TEST(TextModel, AHugeConfigurationIsRefusedBeforeMemoryIsTaken) {
  const TemporaryFolder folder;
  TextModel model = small_model(Answer::one_class);
  save_text_model(folder.path(), model);
  const fs::path path = folder.path() / "config.json";
  std::string config = read_file(path, std::size_t{1} << 20);
  const std::string small = "\"embedding\": 6";
  config.replace(config.find(small), small.size(), "\"embedding\": 16000000");
  write_file(path, config);
  EXPECT_THROW(load_text_model(folder.path()), FormatError);
}

TEST(TextModel, HasShardsThatATrainingCouldHave) {
  const TemporaryFolder folder;
  TextModel model = small_model(Answer::one_class);
  const std::string where = (folder / "config.json").string() + ": 'shards' is ";
  for (const std::size_t wrong : {std::size_t{0}, std::size_t{3}, 2 * Shards::kMost}) {
    model.shards = wrong;
    save_text_model(folder.path(), model);
    EXPECT_EQ(refusal_of(folder.path()),
              message(where, wrong, ", expected a power of two, at most 65536"));
  }
  model.shards = Shards::kMost;
  save_text_model(folder.path(), model);
  EXPECT_EQ(refusal_of(folder.path()), "accepted");
}

TEST(TextModel, AMissingFolderIsAnIoError) {
  EXPECT_THROW(load_text_model("/nowhere/at/all"), IoError);
}

}  // namespace
}  // namespace padless
