#include "padless/train/trainer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include "padless/core/error.h"
#include "padless/core/fp.h"
#include "padless/ops/binary_cross_entropy.h"
#include "padless/ops/mean_squared_error.h"
#include "padless/ops/softmax_cross_entropy.h"
#include "padless/train/class_weights.h"

namespace padless {
namespace {

Optimizer optimizer_of(const TrainOptions& options, std::span<Parameter* const> parameters) {
  options.check();
  if (options.optimizer == OptimizerKind::adamw) return AdamW({.decay = options.decay}, parameters);
  return Sgd({.momentum = options.momentum, .decay = options.decay, .nesterov = options.nesterov},
             parameters);
}

std::vector<float> class_weights_of(const TrainOptions& options, const Examples& train,
                                    std::size_t outputs) {
  if (options.class_weights == ClassWeights::none) return {};
  require_value(!train.labels.empty(),
                "Trainer: class_weights is balanced, and the training examples have no classes, "
                "expected none");
  return balanced_class_weights(train.labels, outputs);
}

std::vector<Parameter*> bare(const std::vector<NamedParameter>& named) {
  std::vector<Parameter*> parameters;
  parameters.reserve(named.size());
  for (const auto& [name, parameter] : named) parameters.push_back(parameter);
  return parameters;
}

bool all_finite(std::span<const float> numbers) {
  return std::ranges::all_of(numbers, [](float number) { return std::isfinite(number); });
}

void require_learnable(const char* which, const Examples& examples, std::size_t outputs) {
  if (examples.size() == 0) return;
  const bool numbers = examples.targets.size() == examples.size();
  const int kinds = (examples.labels.size() == examples.size() ? 1 : 0) + (numbers ? 1 : 0) +
                    (examples.label_sets.size() == examples.size() ? 1 : 0);
  require_value(kinds == 1, "Trainer: the ", which, " examples are ", examples.size(), " with ",
                examples.labels.size(), " labels, ", examples.label_sets.size(), " label sets and ",
                examples.targets.size(), " targets, expected one for each");
  require_value(outputs == 1 || !numbers, "Trainer: the model gives ", outputs,
                " scores, expected 1 to learn a number");
}

}  // namespace

Trainee::~Trainee() = default;

Trainer::Trainer(Runtime& runtime, Trainee& trainee, const Examples& train,
                 const Examples& validation, const TrainOptions& options)
    : runtime_(runtime),
      trainee_(trainee),
      train_(train),
      validation_(validation),
      options_(options),
      structure_(structure(train)),
      parameters_(bare(trainee.trained_parameters())),
      optimizer_(optimizer_of(options, parameters_)) {
  require_value(train.size() > 0, "Trainer: there are no training examples");
  require_learnable("training", train, trainee.outputs());
  require_learnable("validation", validation, trainee.outputs());
  require_value(train.label_sets.empty() || options_.label_smoothing == 0,
                "Trainer: label_smoothing is ", options_.label_smoothing,
                ", and the training examples have any number of labels, expected 0");
  class_weights_ = class_weights_of(options_, train, trainee.outputs());
  resume(position_);
}

void Trainer::resume(const Position& position) {
  require_reachable(position);
  const BucketOptions options{.seed = options_.seed,
                              .batch_tokens = options_.batch_tokens,
                              .batch_items = options_.batch_documents,
                              .window = options_.window};
  Batches batches = bucket(structure_.words(), options, static_cast<std::uint32_t>(position.epoch));
  require_value(position.batch < batches.count(), "Trainer: ", position.batch,
                " batches of an epoch are done, expected less than ", batches.count(),
                ", which it has");
  batches_ = std::move(batches);
  position_ = position;
}

void Trainer::require_reachable(const Position& at) const {
  require_value(at.epoch <= options_.epochs, "Trainer: ", at.epoch,
                " epochs are done, expected at most ", options_.epochs);
  require_value(at.best_epoch <= at.epoch, "Trainer: the best epoch is ", at.best_epoch, " where ",
                at.epoch, " are done, expected at most as many");
  const auto word = [](bool finished) { return finished ? "finished" : "not finished"; };
  require_value(at.finished == is_over(at), "Trainer: the run is ", word(at.finished),
                " behind epoch ", at.epoch, " of ", options_.epochs, ", the best of them ",
                at.best_epoch, ", expected it ", word(!at.finished));
  require_value(at.skipped <= at.step, "Trainer: of ", at.step, " steps ", at.skipped,
                " were left out, expected at most all");
}

bool Trainer::is_over(const Position& at) const {
  const bool stale = options_.patience > 0 && at.epoch - at.best_epoch >= options_.patience;
  return at.epoch >= options_.epochs || stale;
}

Padding Trainer::padding() const { return padless::padding(structure_, batches_); }

void Trainer::advance() {
  epoch_ended_ = false;
  if (position_.finished) return;
  const FpEnvironment environment;  // also of what is computed between the ops
  const ExampleBatch batch = gather(train_, batches_[position_.batch]);
  last_words_ = batch.ids.size();
  train_on(batch);
  ++position_.step;
  if (++position_.batch == batches_.count()) end_epoch();
}

void Trainer::train_on(const ExampleBatch& batch) {
  const NestedPass pass(batch.nested, options_.seed, position_.step, options_.shards,
                        batch.numbers);
  const Arena::Scope scope(runtime_.arena());
  const std::size_t documents = batch.nested.documents().count();
  const MatrixView<float> scores = runtime_.arena().matrix(documents, trainee_.outputs());
  const MatrixView<float> d_scores = runtime_.arena().matrix(documents, trainee_.outputs());
  trainee_.forward(runtime_, pass, batch.ids, scores);

  LossSum loss;
  // A batch's loss is a mean: it is divided by what its texts weigh together.
  const auto scale = [&loss] { return 1.0f / static_cast<float>(loss.weight); };
  if (!batch.labels.empty()) {
    const CrossEntropyOptions options = {.label_smoothing = options_.label_smoothing,
                                         .class_weights = class_weights_};
    const MatrixView<float> probabilities = runtime_.arena().matrix(documents, trainee_.outputs());
    loss = softmax_cross_entropy_forward(runtime_, pass.documents(), scores, batch.labels, options,
                                         probabilities);
    softmax_cross_entropy_backward(runtime_, pass.documents(), probabilities, batch.labels, options,
                                   scale(), d_scores);
  } else if (!batch.label_sets.empty()) {
    const Matrix<std::int32_t> targets = label_targets(batch.label_sets, trainee_.outputs());
    loss = binary_cross_entropy_forward(runtime_, pass.documents(), scores, targets.view(), {});
    binary_cross_entropy_backward(runtime_, pass.documents(), scores, targets.view(), {}, scale(),
                                  d_scores);
  } else {
    const std::span<const float> predictions(scores.data(), documents);
    loss = mean_squared_error_forward(runtime_, pass.documents(), predictions, batch.targets);
    mean_squared_error_backward(runtime_, pass.documents(), predictions, batch.targets, scale(),
                                {d_scores.data(), documents});
  }
  trainee_.backward(runtime_, pass, d_scores, batch.ids);

  const double done = static_cast<double>(position_.batch) / static_cast<double>(batches_.count());
  const double progress =
      (static_cast<double>(position_.epoch) + done) / static_cast<double>(options_.epochs);
  const auto rate = static_cast<float>(options_.learning_rate * options_.schedule.at(progress));
  const OptimizerStep step = std::visit(
      [&](auto& optimizer) {
        return optimizer.step(runtime_, parameters_, rate, options_.clip_norm);
      },
      optimizer_);
  if (step.taken) {
    position_.loss_sum += loss.sum;
    position_.loss_weight += loss.weight;
  } else {
    ++position_.skipped;
  }
}

void Trainer::validate(EpochResult& result) {
  const auto forward = [this](Runtime& runtime, const NestedPass& pass,
                              std::span<const std::int32_t> ids,
                              MatrixView<float> out) { trainee_.forward(runtime, pass, ids, out); };
  const Matrix<float> scores =
      scores_of(runtime_, forward, trainee_.outputs(), validation_, options_.batch_tokens);
  if (!validation_.labels.empty()) {
    const std::vector<std::int32_t> classes = best_classes(scores.view());
    result.classes = classification_metrics(classes, validation_.labels, trainee_.outputs());
    result.score = result.classes.accuracy;
  } else if (!validation_.label_sets.empty()) {
    const Matrix<float> probabilities = label_probabilities(runtime_, scores.view());
    result.labels = label_metrics(probabilities.view(), validation_.label_sets, kLabelThreshold);
    result.score = result.labels.mean_average_precision;
  } else {
    const std::vector<double> predicted(scores.cells().begin(), scores.cells().end());
    const std::vector<double> targets(validation_.targets.begin(), validation_.targets.end());
    result.numbers = regression_metrics(predicted, targets);
    double squares = 0;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      squares += (predicted[i] - targets[i]) * (predicted[i] - targets[i]);
    }
    result.score = -squares / static_cast<double>(targets.size());
  }
  // Classes and ranks can be told of numbers that are not finite too, and mean nothing.
  if (!all_finite(scores.cells())) result.score = std::numeric_limits<double>::quiet_NaN();
}

void Trainer::end_epoch() {
  EpochResult result;
  result.loss = position_.loss_weight == 0 ? std::numeric_limits<double>::quiet_NaN()
                                           : position_.loss_sum / position_.loss_weight;
  result.score = -result.loss;
  if (validation_.size() > 0) validate(result);
  ++position_.epoch;
  position_.batch = 0;
  position_.loss_sum = 0;
  position_.loss_weight = 0;
  // Texts that are ranked as well as before may be further from the threshold, on the right side.
  const bool takes_equals = !validation_.label_sets.empty();
  const bool finite = std::isfinite(result.score);
  result.improved =
      finite && (result.score > position_.best || (takes_equals && result.score == position_.best));
  if (result.improved) {
    position_.best = result.score;
    position_.best_epoch = position_.epoch;
  }
  position_.finished = is_over(position_);
  last_epoch_ = std::move(result);
  epoch_ended_ = true;
  if (!position_.finished) resume(position_);
}

}  // namespace padless
