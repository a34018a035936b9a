// The models of the real experiment, one a way of treating pads.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "padless/core/matrix.h"
#include "padless/core/runtime.h"
#include "padless/models/han.h"
#include "padless/study/attention_scorer.h"
#include "padless/train/examples.h"
#include "padless/train/trainee.h"

namespace padless::study {

/// How pads are treated.
enum class Setting {
  exact,    ///< the library's way: there are none
  no_mask,  ///< zero rows join the softmax
};
inline constexpr std::array kSettings = {Setting::exact, Setting::no_mask};

/// "exact", "no_mask": the name in study.json.
std::string_view setting_name(Setting setting);

/// Where a model looks in a batch, and what its pads take.
struct BatchAttention {
  std::vector<float> word_weights;         ///< [T], one a word
  std::vector<float> sentence_weights;     ///< [S], one a sentence that has words
  std::vector<std::size_t> word_pads;      ///< [S]
  std::vector<double> word_mass_lost;      ///< [S], to the pads of its words
  std::vector<std::size_t> sentence_pads;  ///< [D]
  std::vector<double> sentence_mass_lost;  ///< [D], to the pads of its sentences
  /// Rows that the two attentions ran over, pads and all.
  std::size_t word_rows = 0, sentence_rows = 0;
};

/// What a model pools: the rows that its attention scores.
struct PooledRows {
  Matrix<float> words;      ///< [T, C]
  Matrix<float> sentences;  ///< [S, C']
};

/// A HAN that treats pads in one of the ways.
class Contestant {
 public:
  /// With the values of `start`.
  static std::unique_ptr<Contestant> make(Setting setting, Han& start);

  Contestant() = default;
  Contestant(const Contestant&) = delete;
  Contestant& operator=(const Contestant&) = delete;
  virtual ~Contestant();

  virtual Setting setting() const = 0;
  virtual Trainee& trainee() = 0;
  virtual BatchAttention attention(Runtime& runtime, const ExampleBatch& batch) = 0;
  virtual PooledRows pooled_rows(Runtime& runtime, const ExampleBatch& batch) = 0;

  /// "word_attention" or "sentence_attention" as it is now.
  AttentionScorer scorer(const std::string& prefix);
};

}  // namespace padless::study
