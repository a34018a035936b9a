// The small experiment that everybody tries first: two sentences of five words and a PAD between
// them and a rectangle. A small Transformer encoder reads each sentence alone, padded with a mask,
// and padded without one, and learns to say each word again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "padless/core/matrix.h"
#include "padless/core/runtime.h"

namespace padless::study {

/// The vocabulary by id; PAD is 0.
inline constexpr std::array<std::string_view, 6> kFiveWords = {"PAD", "кошка", "сидит",
                                                               "на",  "окне",  "дом"};
inline constexpr std::int32_t kPadId = 0;

/// How a model is trained: what attends to what, and which slots the loss counts.
enum class FiveWordTraining {
  masked,             ///< PADs are left out of both: padless
  unmasked,           ///< PADs are words like any other
  unmasked_real_loss  ///< PADs are attended to, the loss counts real slots
};
inline constexpr std::array kFiveWordTrainings = {
    FiveWordTraining::masked, FiveWordTraining::unmasked, FiveWordTraining::unmasked_real_loss};
/// "masked", "unmasked", "unmasked_real_loss": the name in study.json.
std::string_view training_name(FiveWordTraining training);

/// The amounts of padding behind a sentence at which models are asked.
inline constexpr std::array<std::size_t, 4> kAskedPads = {0, 1, 4, 16};

/// The sizes of the experiment.
struct FiveWordsOptions {
  std::vector<std::uint64_t> seeds;
  std::size_t steps = 200;
  std::size_t steps_between_points = 5;  ///< of the loss curves
  std::size_t batch_mates = 16;          ///< for the gradient noise
};

/// One model, trained. All over the five real slots of the batch.
struct FiveWordsRun {
  FiveWordTraining training = FiveWordTraining::masked;
  std::uint64_t seed = 0;
  /// Before training, and every steps_between_points: the loss, the share of words said right and
  /// the share of PADs said.
  std::vector<double> losses, accuracies, pads_predicted;
  std::array<double, kAskedPads.size()> loss_by_pads{};  ///< with so many PADs behind each sentence

  double loss() const { return losses.back(); }
  double accuracy() const { return accuracies.back(); }
  double pad_predicted() const { return pads_predicted.back(); }
  /// Means over the points after the first: how soon it learns, and what it says meanwhile.
  double mean_accuracy() const;
  double mean_pad_predicted() const;
};

/// How far the gradient of one sentence varies over the sentences it is batched with: the mean
/// squared distance from the mean gradient, as a share of the mean gradient's square.
struct GradientNoise {
  std::uint64_t seed = 0;
  double masked = 0, unmasked = 0;
};

/// The vector of "дом" with so many PADs behind it.
struct VectorChange {
  std::size_t pads = 0;
  double masked = 0, unmasked = 0;  ///< distance from the vector alone, as a share of its length
  bool masked_same_bits = false;
};

/// An attention matrix of the first layer's first head, over a sentence's slots.
struct SlotAttention {
  std::vector<std::string> slots;
  std::vector<float> before, after;  ///< [N, N]; NaN where padless computes nothing
};

/// The experiment: what its models said, and every run.
struct FiveWords {
  FiveWordsOptions options;
  std::size_t parameters = 0, width = 0, heads = 0, layers = 0;
  /// The vector of "дом" by the first seed's masked model: alone, out of the batch through a mask,
  /// and in the batch without one (4 PADs).
  std::vector<float> alone, masked, unmasked;
  bool masked_equals_alone = false;  ///< by bits
  std::vector<VectorChange> changes;
  std::vector<SlotAttention> attention;  ///< of the two sentences, by the same model
  std::vector<FiveWordsRun> runs;
  std::vector<GradientNoise> noise;  ///< by seed, before training

  /// The step of each point of the curves.
  std::vector<std::size_t> curve_steps() const;
  /// One number a seed of the runs of one training.
  std::vector<double> of(FiveWordTraining training,
                         const std::function<double(const FiveWordsRun&)>& number) const;
};

/// A pure function of its options. Throws ValueError for no seeds, steps or batch mates.
FiveWords run_five_words(Runtime& runtime, const FiveWordsOptions& options,
                         const std::function<void(double share)>& progress);

}  // namespace padless::study
