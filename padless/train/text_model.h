#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "padless/core/export.h"
#include "padless/core/runtime.h"
#include "padless/io/safetensors.h"
#include "padless/text/document.h"
#include "padless/text/vocabulary.h"
#include "padless/train/names.h"
#include "padless/train/network.h"

namespace padless {

/// The version of the contract (the order of every sum, the polynomials) that results are made by.
inline constexpr std::size_t kContractVersion = 1;

/// What a model says of a text.
enum class Answer {
  one_class,       ///< of several
  several_labels,  ///< any number of them, none included: each a yes or no by itself
  number,
};
/// The answers by their names in config.json.
PADLESS_API const Names<Answer>& answer_names();

/// A network with all that stands between it and a text: how texts become words, words become ids,
/// and scores become labels or a number.
struct TextModel {
  TokenizerSettings tokenizer;
  Vocabulary vocabulary;
  /// Which of the training texts' words those are; not known of a folder that does not say it.
  std::optional<VocabularyLimits> vocabulary_limits = {};
  Answer answer = Answer::one_class;
  std::vector<std::string> labels;  ///< by class or label; none where the model gives a number
  double target_mean = 0;           ///< the number is score * target_scale + target_mean
  double target_scale = 1;
  std::size_t shards = 8;  ///< S of the training
  Network network;
};

/// What a model says of a text.
struct TextPrediction {
  std::size_t label = 0;  ///< the best class, where there is one
  /// Probabilities: of each class, which add up to 1, or of each label by itself.
  std::vector<float> scores;
  double value = 0;           ///< where the model gives a number
  std::size_t words_cut = 0;  ///< of the text, which had no part: those behind max_words
};

/// Where a model looked in a text.
struct TextExplanation {
  Document document;
  std::vector<bool> words_known;        ///< one a word: whether the vocabulary has it
  std::vector<float> word_weights;      ///< one a word; they add up to 1 in each sentence
  std::vector<float> sentence_weights;  ///< one a sentence; they add up to 1
  TextPrediction prediction;
};

/// Predictions for the texts, in their order. A text's does not depend on the others, nor on
/// `batch_tokens` (words computed at once, at most; a longer text alone). Throws ValueError for a
/// network that scores words and not texts.
PADLESS_API std::vector<TextPrediction> predict(Runtime& runtime, const TextModel& model,
                                                std::span<const std::string> texts,
                                                std::size_t batch_tokens = 4096);

/// Throws as predict.
PADLESS_API TextExplanation explain(Runtime& runtime, const TextModel& model,
                                    std::string_view text);

/// Writes config.json (format, versions and every number that makes the model), vocabulary.txt and
/// model.safetensors into `folder`, which is made if need be; each file appears whole or not at
/// all. Over another model's files they come one after another: a process that is killed between
/// them leaves files of both, which load_text_model refuses. Throws IoError.
PADLESS_API void save_text_model(const std::filesystem::path& folder, TextModel& model);
/// All but the parameters: config.json and vocabulary.txt.
PADLESS_API void save_description(const std::filesystem::path& folder, const TextModel& model);
/// The parameters alone, with their checksum and those of the model's config.json and
/// vocabulary.txt, whether these are written already or not. `more` is added to its metadata.
PADLESS_API void save_parameters(const std::filesystem::path& file, TextModel& model,
                                 const Metadata& more = {});

/// Reads what save_text_model wrote. Throws IoError where a file cannot be read, FormatError with
/// file, what was found and what was expected where one is damaged, hostile, of another version,
/// or not what model.safetensors was saved with. (A model.safetensors of another tool, which knows
/// nothing of the other files, need only fit them.)
PADLESS_API TextModel load_text_model(const std::filesystem::path& folder);

}  // namespace padless
