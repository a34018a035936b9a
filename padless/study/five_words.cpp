#include "padless/study/five_words.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "padless/batch/pack.h"
#include "padless/core/error.h"
#include "padless/core/rng.h"
#include "padless/study/five_word_model.h"
#include "padless/train/scores.h"

namespace padless::study {
namespace {

using Ids = std::vector<std::int32_t>;

const Ids kCat = {1, 2, 3, 4};  // кошка сидит на окне
const Ids kHouse = {5};         // дом
constexpr std::size_t kSlots = 5;

/// Sentences end to end: what an encoder reads. With `pads` PADs behind each, which are then words.
struct Batch {
  Segments segs;
  Ids ids;
};

Segments segments(const std::vector<std::size_t>& lengths) {
  return Segments::from_lengths(std::span<const std::size_t>(lengths));
}

Batch batch_of(const std::vector<Ids>& sentences) {
  Batch batch;
  std::vector<std::size_t> lengths;
  for (const Ids& sentence : sentences) {
    lengths.push_back(sentence.size());
    batch.ids.insert(batch.ids.end(), sentence.begin(), sentence.end());
  }
  batch.segs = segments(lengths);
  return batch;
}

// A sentence in so many slots, PADs in those behind it.
Ids padded(Ids sentence, std::size_t slots) {
  sentence.resize(slots, kPadId);
  return sentence;
}

// The rectangle [[1,2,3,4,0],[5,0,0,0,0]] as somebody's padded ids, taken apart by a mask, 1 = PAD.
Batch masked_rectangle(const std::vector<Ids>& sentences, std::size_t slots) {
  Ids ids;
  for (const Ids& sentence : sentences) {
    const Ids row = padded(sentence, slots);
    ids.insert(ids.end(), row.begin(), row.end());
  }
  std::vector<float> is_pad;
  is_pad.reserve(ids.size());
  for (const std::int32_t id : ids) is_pad.push_back(id == kPadId ? 1.0f : 0.0f);
  const AttentionSizes sizes = {.batch = sentences.size(), .queries = slots, .keys = slots};
  const KeepMask mask = KeepMask::from_tf_tutorial(
      MaskArray(std::span<const float>(is_pad), {sentences.size(), 1, 1, slots}), sizes);
  const Packing packing(mask);
  Batch batch{packing.segments(), Ids(packing.segments().total())};
  pack(std::span<const std::int32_t>(ids), packing, batch.ids);
  return batch;
}

// The same rectangle without a mask: every slot is a word.
Batch unmasked_rectangle(const std::vector<Ids>& sentences, std::size_t slots) {
  std::vector<Ids> rows;
  rows.reserve(sentences.size());
  for (const Ids& sentence : sentences) rows.push_back(padded(sentence, slots));
  return batch_of(rows);
}

// What each row has to say: its own word; nothing where it is a PAD that the loss does not count.
Ids labels_of(const Batch& batch, FiveWordTraining training) {
  Ids labels = batch.ids;
  if (training != FiveWordTraining::unmasked) {
    std::ranges::replace(labels, kPadId, kIgnored);
  }
  return labels;
}

// How a model says the real words of a batch.
struct Answers {
  double loss = 0, accuracy = 0, pad_predicted = 0;
};

Answers ask(Runtime& runtime, const FiveWordModel& model, const Batch& batch) {
  const Matrix<float> scores = model.scores(runtime, batch.segs, batch.ids);
  const Ids best = best_classes(scores.view());
  Answers answers;
  double real = 0;
  for (std::size_t t = 0; t < batch.ids.size(); ++t) {
    if (batch.ids[t] == kPadId) continue;
    double top = -std::numeric_limits<double>::infinity(), sum = 0;
    for (const float score : scores.row(t)) top = std::max(top, static_cast<double>(score));
    for (const float score : scores.row(t)) sum += std::exp(static_cast<double>(score) - top);
    const auto own = static_cast<std::size_t>(batch.ids[t]);
    answers.loss += top + std::log(sum) - static_cast<double>(scores(t, own));
    answers.accuracy += best[t] == batch.ids[t] ? 1 : 0;
    answers.pad_predicted += best[t] == kPadId ? 1 : 0;
    ++real;
  }
  return {answers.loss / real, answers.accuracy / real, answers.pad_predicted / real};
}

Batch rectangle(FiveWordTraining training, std::size_t slots) {
  return training == FiveWordTraining::masked ? masked_rectangle({kCat, kHouse}, slots)
                                              : unmasked_rectangle({kCat, kHouse}, slots);
}

bool is_point(std::size_t step, const FiveWordsOptions& options) {
  return step % options.steps_between_points == 0 || step == options.steps;
}

FiveWordsRun train(Runtime& runtime, FiveWordModel& model, FiveWordTraining training,
                   std::uint64_t seed, const FiveWordsOptions& options) {
  const Batch batch = rectangle(training, kSlots);
  const Ids labels = labels_of(batch, training);
  FiveWordsRun run{.training = training, .seed = seed};
  const auto note = [&] {
    const Answers answers = ask(runtime, model, batch);
    run.losses.push_back(answers.loss);
    run.accuracies.push_back(answers.accuracy);
    run.pads_predicted.push_back(answers.pad_predicted);
  };
  note();
  for (std::size_t step = 1; step <= options.steps; ++step) {
    model.add_gradient(runtime, batch.segs, batch.ids, labels);
    model.step(runtime);
    if (is_point(step, options)) note();
  }
  for (std::size_t i = 0; i < kAskedPads.size(); ++i) {
    // So many PADs behind each sentence, whatever its length.
    const auto asked = [&](const Ids& sentence) {
      const std::size_t slots = sentence.size() + kAskedPads[i];
      return training == FiveWordTraining::masked ? masked_rectangle({sentence}, slots)
                                                  : unmasked_rectangle({sentence}, slots);
    };
    const double cat = ask(runtime, model, asked(kCat)).loss;
    const double house = ask(runtime, model, asked(kHouse)).loss;
    const auto words = static_cast<double>(kCat.size() + kHouse.size());
    run.loss_by_pads[i] = (cat * static_cast<double>(kCat.size()) + house) / words;
  }
  return run;
}

// The vector of the first row of sequence `sentence`.
std::vector<float> vector_in(Runtime& runtime, const FiveWordModel& model, const Batch& batch,
                             std::size_t sentence) {
  const Matrix<float> vectors = model.vectors(runtime, batch.segs, batch.ids);
  const std::span<const float> row = vectors.row(batch.segs[sentence].begin);
  return {row.begin(), row.end()};
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return std::ranges::equal(a, b, [](float x, float y) {
    return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
  });
}

double squared_distance(std::span<const float> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = static_cast<double>(a[i]) - b[i];
    sum += difference * difference;
  }
  return sum;
}

double relative_distance(const std::vector<float>& a, const std::vector<float>& from) {
  const std::vector<double> centre(from.begin(), from.end()), zero(from.size(), 0.0);
  return std::sqrt(squared_distance(a, centre) / squared_distance(from, zero));
}

void look_at_vectors(Runtime& runtime, const FiveWordModel& model, FiveWords& result) {
  const Batch alone = batch_of({kHouse});
  result.alone = vector_in(runtime, model, alone, 0);
  result.masked = vector_in(runtime, model, masked_rectangle({kCat, kHouse}, kSlots), 1);
  result.unmasked = vector_in(runtime, model, unmasked_rectangle({kCat, kHouse}, kSlots), 1);
  result.masked_equals_alone = same_bits(result.masked, result.alone);
  for (const std::size_t pads : kAskedPads) {
    const std::size_t slots = kHouse.size() + pads;
    const std::vector<float> masked =
        vector_in(runtime, model, masked_rectangle({kHouse}, slots), 0);
    const std::vector<float> unmasked =
        vector_in(runtime, model, unmasked_rectangle({kHouse}, slots), 0);
    result.changes.push_back({pads, relative_distance(masked, result.alone),
                              relative_distance(unmasked, result.alone),
                              same_bits(masked, result.alone)});
  }
}

SlotAttention look_at_attention(Runtime& runtime, const FiveWordModel& model, const Ids& sentence) {
  const Ids slots = padded(sentence, kSlots);
  SlotAttention seen;
  for (const std::int32_t id : slots) {
    seen.slots.emplace_back(kFiveWords.at(static_cast<std::size_t>(id)));
  }
  const Matrix<float> before = model.attention(runtime, slots);
  seen.before.assign(before.cells().begin(), before.cells().end());
  const Matrix<float> after = model.attention(runtime, masked_rectangle({sentence}, kSlots).ids);
  seen.after.assign(kSlots * kSlots, std::numeric_limits<float>::quiet_NaN());
  for (std::size_t q = 0; q < after.rows(); ++q) {
    std::ranges::copy(after.row(q), seen.after.begin() + static_cast<std::ptrdiff_t>(q * kSlots));
  }
  return seen;
}

// Sentences of 1 to 16 of the five words, to be batched with.
std::vector<Ids> batch_mates(std::uint64_t seed, std::size_t count) {
  constexpr std::uint64_t kLongest = 16;
  constexpr std::uint32_t kStream = 1;
  Rng rng(seed, kStream);
  std::vector<Ids> mates;
  mates.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    Ids mate(1 + rng.below(kLongest));
    for (std::int32_t& id : mate) {
      id = 1 + static_cast<std::int32_t>(rng.below(kFiveWords.size() - 1));
    }
    mates.push_back(std::move(mate));
  }
  return mates;
}

// Of the first sentence alone, in a batch.
std::vector<float> gradient_in(Runtime& runtime, FiveWordModel& model, const Batch& batch) {
  Ids labels(batch.ids.size(), kIgnored);
  for (std::size_t t = batch.segs[0].begin; t < batch.segs[0].end; ++t) {
    if (batch.ids[t] != kPadId) labels[t] = batch.ids[t];
  }
  model.add_gradient(runtime, batch.segs, batch.ids, labels);
  return model.take_gradient();
}

double noise_of(const std::vector<std::vector<float>>& gradients) {
  const auto count = static_cast<double>(gradients.size());
  std::vector<double> mean(gradients[0].size(), 0.0);
  // The first stands for the mean's size, so that equal gradients have their own value as mean.
  for (const std::vector<float>& gradient : gradients) {
    for (std::size_t i = 0; i < mean.size(); ++i) {
      mean[i] += (static_cast<double>(gradient[i]) - static_cast<double>(gradients[0][i])) / count;
    }
  }
  double length = 0;
  for (std::size_t i = 0; i < mean.size(); ++i) {
    mean[i] += static_cast<double>(gradients[0][i]);
    length += mean[i] * mean[i];
  }
  double variance = 0;
  for (const std::vector<float>& gradient : gradients) {
    variance += squared_distance(gradient, mean) / count;
  }
  return variance / length;
}

double mean_after_the_first(const std::vector<double>& values) {
  const double sum = std::accumulate(values.begin() + 1, values.end(), 0.0);
  return sum / static_cast<double>(values.size() - 1);
}

GradientNoise measure_noise(Runtime& runtime, FiveWordModel& model, std::uint64_t seed,
                            std::size_t mates) {
  std::vector<std::vector<float>> masked, unmasked;
  for (const Ids& mate : batch_mates(seed, mates)) {
    const std::size_t slots = std::max(kCat.size(), mate.size());
    masked.push_back(gradient_in(runtime, model, masked_rectangle({kCat, mate}, slots)));
    unmasked.push_back(gradient_in(runtime, model, unmasked_rectangle({kCat, mate}, slots)));
  }
  return {seed, noise_of(masked), noise_of(unmasked)};
}

}  // namespace

std::string_view training_name(FiveWordTraining training) {
  switch (training) {
    case FiveWordTraining::masked:
      return "masked";
    case FiveWordTraining::unmasked:
      return "unmasked";
    case FiveWordTraining::unmasked_real_loss:
      return "unmasked_real_loss";
  }
  return "";
}

double FiveWordsRun::mean_accuracy() const { return mean_after_the_first(accuracies); }
double FiveWordsRun::mean_pad_predicted() const { return mean_after_the_first(pads_predicted); }

std::vector<std::size_t> FiveWords::curve_steps() const {
  std::vector<std::size_t> steps = {0};
  for (std::size_t step = 1; step <= options.steps; ++step) {
    if (is_point(step, options)) steps.push_back(step);
  }
  return steps;
}

std::vector<double> FiveWords::of(FiveWordTraining training,
                                  const std::function<double(const FiveWordsRun&)>& number) const {
  std::vector<double> out;
  for (const FiveWordsRun& run : runs) {
    if (run.training == training) out.push_back(number(run));
  }
  return out;
}

FiveWords run_five_words(Runtime& runtime, const FiveWordsOptions& options,
                         const std::function<void(double share)>& progress) {
  require_value(!options.seeds.empty() && options.steps > 0 && options.steps_between_points > 0 &&
                    options.batch_mates > 0,
                "five words: there are ", options.seeds.size(), " seeds, ", options.steps,
                " steps with a point every ", options.steps_between_points, " and ",
                options.batch_mates, " batch mates, expected at least 1 of each");
  FiveWords result{.options = options};
  for (const std::uint64_t seed : options.seeds) {
    FiveWordModel start(seed);
    if (seed == options.seeds.front()) {
      result.parameters = static_cast<std::size_t>(start.config().parameters());
      result.width = start.config().width;
      result.heads = start.config().heads;
      result.layers = start.config().layers;
    }
    result.noise.push_back(measure_noise(runtime, start, seed, options.batch_mates));
    for (const FiveWordTraining training : kFiveWordTrainings) {
      FiveWordModel model(seed);
      result.runs.push_back(train(runtime, model, training, seed, options));
      if (seed == options.seeds.front() && training == FiveWordTraining::masked) {
        look_at_vectors(runtime, model, result);
        result.attention = {look_at_attention(runtime, model, kCat),
                            look_at_attention(runtime, model, kHouse)};
      }
      progress(static_cast<double>(result.runs.size()) /
               static_cast<double>(options.seeds.size() * kFiveWordTrainings.size()));
    }
  }
  return result;
}

}  // namespace padless::study
