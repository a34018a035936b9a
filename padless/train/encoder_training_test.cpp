// A Transformer encoder through all that stands around a model: files, training, resuming, looking.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <numeric>
#include <string>
#include <variant>
#include <vector>

#include "padless/core/error.h"
#include "padless/data/synthetic.h"
#include "padless/io/atomic_file.h"
#include "padless/testing/bits.h"
#include "padless/testing/contract.h"
#include "padless/testing/enumerators.h"
#include "padless/testing/temporary_folder.h"
#include "padless/train/text_training.h"

namespace padless {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMost = std::size_t{1} << 26;

LabelledSet small_set(bool several_labels = false) {
  LabelledSet set =
      make_synthetic_set({.texts = 60, .classes = 3, .seed = 5, .several_labels = several_labels});
  set.targets.clear();
  return set;
}

TransformerEncoderConfig small_encoder() {
  return {.width = 8,
          .layers = 2,
          .heads = 2,
          .feed_forward = 12,
          .max_length = 50,
          .pooling_attention = 5};
}

TextTraining small_training(const TransformerEncoderConfig& encoder) {
  TextTraining training;
  training.vocabulary.min_count = 1;
  training.model = encoder;
  training.options.epochs = 2;
  training.options.batch_tokens = 400;
  training.options.batch_documents = 8;
  training.options.shards = 4;
  training.options.patience = 0;
  return training;
}

std::string bytes(const fs::path& file) { return read_file(file, kMost); }

TrainingOutcome train(const fs::path& folder, const TransformerEncoderConfig& encoder, bool resume,
                      Runtime& runtime,
                      const std::function<void(const TrainingProgress&)>& progress = {},
                      const LabelledSet& set = small_set()) {
  return train_text_model(
      runtime, set, small_training(encoder),
      {.folder = folder, .resume = resume, .checkpoint_steps = 3, .progress = progress});
}

TEST(EncoderTraining, GivesTheSameFileForAnyThreadsAndInstructionSet) {
  for (const bool several_labels : {false, true}) {
    const LabelledSet set = small_set(several_labels);
    const TemporaryFolder folder;
    Runtime scalar({.threads = 1, .isa = Isa::scalar});
    train(folder.path() / "scalar", small_encoder(), false, scalar, {}, set);
    const std::string expected = bytes(folder.path() / "scalar" / "model.safetensors");
    int run = 0;
    testing::for_each_runtime([&](Runtime& runtime) {
      const fs::path to = folder.path() / std::to_string(run++);
      train(to, small_encoder(), false, runtime, {}, set);
      EXPECT_TRUE(bytes(to / "model.safetensors") == expected);
    });
  }
}

// Also where the second process recomputes what the first kept: that decides no bit.
void expect_the_same_bits_resumed(const LabelledSet& set) {
  struct Interruption {};
  const TemporaryFolder folder;
  Runtime runtime;
  const fs::path whole = folder.path() / "whole";
  std::size_t steps = 0;
  train(
      whole, small_encoder(), false, runtime, [&steps](const TrainingProgress&) { ++steps; }, set);
  for (std::size_t stop = 1; stop < steps; stop += 5) {
    const fs::path parts = folder.path() / std::to_string(stop);
    std::size_t step = 0;
    const auto interrupt = [&](const TrainingProgress&) {
      if (++step == stop) throw Interruption();
    };
    EXPECT_THROW(train(parts, small_encoder(), true, runtime, interrupt, set), Interruption);
    TransformerEncoderConfig again = small_encoder();
    again.recompute = true;
    train(parts, again, true, runtime, {}, set);
    for (const char* file : {"model.safetensors", "last.safetensors", "config.json"}) {
      EXPECT_TRUE(bytes(parts / file) == bytes(whole / file)) << file << " after step " << stop;
    }
  }
}

TEST(EncoderTraining, ResumesToTheSameBitsWhereverItWasInterrupted) {
  expect_the_same_bits_resumed(small_set());
}

TEST(EncoderTraining, ResumesToTheSameBitsWhereSeveralLabelsAreLearnt) {
  expect_the_same_bits_resumed(small_set(true));
}

/// One of each choice that scores texts, the others as they are.
std::vector<TransformerEncoderConfig> all_choices() {
  std::vector<TransformerEncoderConfig> all;
  const auto add = [&all](auto change) { change(all.emplace_back(small_encoder())); };
  for (const Activation value : testing::enumerators<Activation>()) {
    add([value](auto& config) { config.activation = value; });
  }
  for (const Positions value : testing::enumerators<Positions>()) {
    add([value](auto& config) { config.positions = value; });
  }
  for (const EncoderPooling value : testing::enumerators<EncoderPooling>()) {
    if (value == EncoderPooling::per_token) continue;
    add([value](auto& config) { config.pooling = value; });
  }
  add([](auto& config) { config.norm = NormKind::rms; });
  add([](auto& config) { config.norm_place = NormPlace::post; });
  add([](auto& config) { config.gated = config.share_layers = true; });
  add([](auto& config) { config.key_heads = 1; });
  add([](auto& config) { config.head_width = 6; });
  add([](auto& config) { config.frozen_blocks = 1; });
  add([](auto& config) { config.frozen_embeddings = true; });
  return all;
}

const std::vector<std::string> kTexts = {
    "A small text.", "", "Two sentences here. And another one, longer than the first!",
    "unknownword", "One. Two. Three. Four."};

TextModel model_of(TransformerEncoderConfig config) {
  VocabularyBuilder builder;
  for (const std::string& text : kTexts) builder.add(Document(text, {}));
  const Vocabulary vocabulary = builder.build({});
  Rng rng(4);
  config.vocabulary = vocabulary.size();
  config.outputs = 3;
  return {.tokenizer = {.max_words = 50},
          .vocabulary = vocabulary,
          .labels = {"apple", "pear", "plum"},
          .network = Network(config, rng)};
}

TEST(EncoderTraining, AModelComesBackFromItsFolderToTheSameBits) {
  Runtime runtime;
  for (const TransformerEncoderConfig& config : all_choices()) {
    const TemporaryFolder folder;
    TextModel model = model_of(config);
    save_text_model(folder.path() / "model", model);
    const TextModel loaded = load_text_model(folder.path() / "model");
    const auto expected = predict(runtime, model, kTexts), found = predict(runtime, loaded, kTexts);
    for (std::size_t i = 0; i < kTexts.size(); ++i) {
      testing::expect_same_bits(found[i].scores, expected[i].scores);
    }
    TextModel again = loaded;
    save_text_model(folder.path() / "again", again);
    EXPECT_EQ(bytes(folder.path() / "again" / "config.json"),
              bytes(folder.path() / "model" / "config.json"));
  }
}

TEST(EncoderTraining, OneThatScoresWordsComesBackToo) {
  TransformerEncoderConfig config = small_encoder();
  config.pooling = EncoderPooling::per_token;
  const TemporaryFolder folder;
  TextModel model = model_of(config);
  save_text_model(folder.path(), model);
  TextModel loaded = load_text_model(folder.path());
  EXPECT_EQ(std::get<TransformerEncoderConfig>(loaded.network.config()).pooling,
            EncoderPooling::per_token);
  const auto expected = model.network.parameters(), found = loaded.network.parameters();
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t p = 0; p < found.size(); ++p) {
    testing::expect_same_bits(found[p].second->value.cells(), expected[p].second->value.cells());
  }
}

TEST(EncoderTraining, OneThatScoresWordsHasNoAnswerForAText) {
  TransformerEncoderConfig config = small_encoder();
  config.pooling = EncoderPooling::per_token;
  const TextModel model = model_of(config);
  Runtime runtime;
  const auto refusal_of = [](const auto& ask) -> std::string {
    try {
      ask();
    } catch (const ValueError& error) {
      return error.what();
    }
    return "";
  };
  const std::string why =
      ": the model's pooling is per-token, which scores each word, expected one that scores a text";
  EXPECT_EQ(refusal_of([&] { predict(runtime, model, kTexts); }), "predict" + why);
  EXPECT_EQ(refusal_of([&] { explain(runtime, model, kTexts[0]); }), "explain" + why);
  EXPECT_EQ(refusal_of([&] { prepare(small_set(), small_training(config)); }), "prepare" + why);
}

TEST(EncoderTraining, ExplainsWithWeightsThatAddUpToOneAndMoveNoBit) {
  Runtime runtime;
  for (const TransformerEncoderConfig& config : all_choices()) {
    const TextModel model = model_of(config);
    const auto plain = predict(runtime, model, kTexts);
    for (std::size_t i = 0; i < kTexts.size(); ++i) {
      const TextExplanation explanation = explain(runtime, model, kTexts[i]);
      testing::expect_same_bits(explanation.prediction.scores, plain[i].scores);
      const auto sum = [](std::span<const float> weights) {
        return std::accumulate(weights.begin(), weights.end(), 0.0);
      };
      const std::size_t sentences = explanation.document.sentence_count();
      ASSERT_EQ(explanation.sentence_weights.size(), sentences);
      EXPECT_NEAR(sum(explanation.sentence_weights), sentences > 0 ? 1 : 0, 1e-5);
      for (std::size_t s = 0; s < sentences; ++s) {
        const Document::Range words = explanation.document.sentence(s);
        const auto own = std::span(explanation.word_weights).subspan(words.begin, words.size());
        EXPECT_NEAR(sum(own), own.empty() ? 0 : 1, 1e-5);
      }
    }
  }
}

// Weight decay would move what has no gradient.
TEST(EncoderTraining, WhatIsFrozenKeepsItsFirstValues) {
  TransformerEncoderConfig config = small_encoder();
  config.frozen_blocks = 1;
  const TemporaryFolder folder;
  Runtime runtime;
  train(folder.path() / "run", config, false, runtime);
  TextModel trained = load_text_model(folder.path() / "run");
  PreparedTraining first = prepare(small_set(), small_training(config));
  std::map<std::string, bool> moved;
  const auto before = first.model.network.parameters(), after = trained.network.parameters();
  for (std::size_t p = 0; p < before.size(); ++p) {
    moved[before[p].first] =
        !std::ranges::equal(before[p].second->value.cells(), after[p].second->value.cells());
  }
  EXPECT_FALSE(moved.at("embedding.words.weight"));
  EXPECT_FALSE(moved.at("embedding.positions.weight"));
  EXPECT_FALSE(moved.at("blocks.0.attention.query.weight"));
  EXPECT_TRUE(moved.at("blocks.1.attention.query.weight"));
  EXPECT_TRUE(moved.at("head.weight"));
}

TEST(EncoderTraining, CutsTextsToWhatTheModelReads) {
  TransformerEncoderConfig config = small_encoder();
  config.max_length = 5;
  const PreparedTraining prepared = prepare(small_set(), small_training(config));
  EXPECT_EQ(prepared.model.tokenizer.max_words, 5u);
  EXPECT_GT(prepared.words_cut, 0u);
}

std::string refusal(const fs::path& folder) {
  try {
    load_text_model(folder);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

TEST(EncoderTraining, RefusesConfigurationsThatMakeNoModel) {
  const TemporaryFolder folder;
  TextModel model = model_of(small_encoder());
  save_text_model(folder.path(), model);
  const std::string whole = bytes(folder.path() / "config.json");
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = whole;
    const std::size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    changed.replace(at, from.size(), to);
    write_file(folder.path() / "config.json", changed);
    return refusal(folder.path());
  };
  const std::string file = (folder.path() / "config.json").string();
  EXPECT_EQ(with("\"gelu\"", "\"gulp\""),
            file +
                ": 'activation' is \"gulp\", expected \"relu\" or \"gelu\" or \"gelu-tanh\" or "
                "\"silu\" or \"tanh\" or \"sigmoid\"");
  EXPECT_EQ(with("\"heads\": 2", "\"heads\": 3"),
            file +
                ": MultiHeadAttention: width is 8, expected a multiple of heads, 3, or a "
                "head_width beside it");
  EXPECT_EQ(with("\"max_words\": 50", "\"max_words\": 51"),
            file + ": 'tokenizer.max_words' is 51, expected 1 to 50 (its 'max_length')");
  EXPECT_EQ(with("\"max_words\": 50", "\"max_words\": null"),
            file + ": 'tokenizer.max_words' is null, expected 1 to 50 (its 'max_length')");
  EXPECT_NE(with("\"layers\": 2", "\"layers\": 0"), "");
  EXPECT_NE(with("\"layers\": 2", "\"layers\": 16777216"), "");
  EXPECT_NE(with("\"width\": 8", "\"width\": 16777216"), "");
  EXPECT_NE(with("\"max_length\": 50", "\"max_length\": 16777216"), "");
  EXPECT_NE(with("\"dropout\": 0.1", "\"dropout\": 1.5"), "");
  EXPECT_NE(with("\"encoder\"", "\"decoder\""), "");
  EXPECT_EQ(with("\"gelu\"", "\"gelu\""), "");
}

}  // namespace
}  // namespace padless
