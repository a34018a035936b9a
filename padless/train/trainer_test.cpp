#include "padless/train/trainer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "padless/core/error.h"

namespace padless {
namespace {

// Scores are one parameter row for each first word: what a class is can be learnt at once.
class FirstWord final : public Trainee {
 public:
  static constexpr std::size_t kWords = 4, kClasses = 2;

  std::size_t outputs() const override { return kClasses; }
  std::vector<NamedParameter> parameters() override { return {{"table", &table_}}; }
  void forward(Runtime&, const NestedPass& pass, std::span<const std::int32_t> ids,
               MatrixView<float> out) override {
    for (std::size_t d = 0; d < out.rows(); ++d) {
      std::ranges::copy(table_.value.row(word(pass, ids, d)), out.row(d).begin());
    }
  }
  void backward(Runtime&, const NestedPass& pass, MatrixView<const float> d_out,
                std::span<const std::int32_t> ids) override {
    for (std::size_t d = 0; d < d_out.rows(); ++d) {
      for (std::size_t c = 0; c < kClasses; ++c) {
        table_.gradient(word(pass, ids, d), c) += d_out(d, c) * slope;
      }
    }
  }

  float slope = 1;

 private:
  static std::size_t word(const NestedPass& pass, std::span<const std::int32_t> ids,
                          std::size_t d) {
    return static_cast<std::size_t>(ids[pass.kept().words()[d].begin]);
  }
  Parameter table_{kWords, kClasses};
};

Examples examples(std::size_t count) {
  Examples made;
  for (std::size_t i = 0; i < count; ++i) {
    const auto word = static_cast<std::int32_t>(i % FirstWord::kWords);
    made.documents.push_back(
        {.words = std::vector<std::int32_t>(1 + i % 5, word), .sentence_lengths = {1 + i % 5}});
    made.labels.push_back(word % 2);
    made.numbers.push_back(i);
  }
  return made;
}

TrainOptions options() {
  return {.epochs = 6, .batch_tokens = 20, .batch_documents = 4, .learning_rate = 0.1f};
}

TEST(Trainer, LearnsWhatCanBeLearnt) {
  Runtime runtime;
  FirstWord trainee;
  const Examples train = examples(40), validation = examples(8);
  Trainer trainer(runtime, trainee, train, validation, options());
  std::vector<double> losses;
  while (!trainer.finished()) {
    trainer.advance();
    if (trainer.epoch_ended()) losses.push_back(trainer.last_epoch().loss);
  }
  EXPECT_EQ(trainer.last_epoch().classes.accuracy, 1);
  EXPECT_LT(losses.back(), losses.front() / 2);
}

TEST(Trainer, StopsEarlyWhenTheValidationNoLongerImproves) {
  Runtime runtime;
  FirstWord trainee;
  const Examples train = examples(40), validation = examples(8);
  TrainOptions patient = options();
  patient.epochs = 50;
  patient.patience = 2;
  Trainer trainer(runtime, trainee, train, validation, patient);
  while (!trainer.finished()) trainer.advance();
  EXPECT_EQ(trainer.position().epoch, trainer.position().best_epoch + 2);
  EXPECT_LT(trainer.position().epoch, 50u);
}

TEST(Trainer, AStepWithoutAFiniteGradientIsLeftOutAndCounted) {
  Runtime runtime;
  FirstWord trainee;
  trainee.slope = std::numeric_limits<float>::quiet_NaN();
  const Examples train = examples(8);
  Trainer trainer(runtime, trainee, train, {}, options());
  trainer.advance();
  EXPECT_EQ(trainer.position().skipped, 1u);
  for (const float cell : trainee.parameters()[0].second->value.cells()) EXPECT_EQ(cell, 0);
}

TEST(Trainer, RefusesWhatDoesNotFit) {
  Runtime runtime;
  FirstWord trainee;
  const Examples none, some = examples(4);
  EXPECT_THROW(Trainer(runtime, trainee, none, none, options()), ValueError);
  Examples unlabelled = examples(4);
  unlabelled.labels.clear();
  EXPECT_THROW(Trainer(runtime, trainee, unlabelled, none, options()), ValueError);
  TrainOptions wrong = options();
  wrong.shards = 3;
  EXPECT_THROW(Trainer(runtime, trainee, some, none, wrong), ValueError);
  wrong = options();
  wrong.epochs = 0;
  EXPECT_THROW(Trainer(runtime, trainee, some, none, wrong), ValueError);
  wrong = options();
  wrong.window = 0;
  EXPECT_THROW(Trainer(runtime, trainee, some, none, wrong), ValueError);
}

TEST(Trainer, SortsByLengthWithinAWindowOfTexts) {
  Runtime runtime;
  FirstWord trainee;
  const Examples train = examples(40);
  TrainOptions wide = options(), narrow = options();
  wide.window = 40;
  narrow.window = narrow.batch_documents;
  // Texts of one length share a batch where all are sorted together.
  const Padding sorted = Trainer(runtime, trainee, train, {}, wide).padding();
  const Padding unsorted = Trainer(runtime, trainee, train, {}, narrow).padding();
  EXPECT_EQ(sorted.real, unsorted.real);
  EXPECT_LT(sorted.slots, unsorted.slots);
}

TEST(BestClasses, OfEqualScoresTheFirst) {
  const std::vector<float> scores = {1, 3, 3, 2, 2, 1};
  EXPECT_EQ(best_classes({scores.data(), 2, 3}), (std::vector<std::int32_t>{1, 0}));
}

}  // namespace
}  // namespace padless
