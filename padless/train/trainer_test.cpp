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
      if (has_overflowed) out(d, 0) = std::numeric_limits<float>::infinity();
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
  bool has_overflowed = false;

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

/// The first label where the first word is odd, the second where it is 2 or 3.
Examples labelled(std::size_t count) {
  Examples made = examples(count);
  made.labels.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t word = i % FirstWord::kWords;
    std::vector<std::int32_t>& labels = made.label_sets.emplace_back();
    if (word % 2 == 1) labels.push_back(0);
    if (word > 1) labels.push_back(1);
  }
  return made;
}

TEST(Trainer, LearnsSeveralLabels) {
  Runtime runtime;
  FirstWord trainee;
  const Examples train = labelled(40), validation = labelled(8);
  Trainer trainer(runtime, trainee, train, validation, options());
  std::vector<double> losses;
  while (!trainer.finished()) {
    trainer.advance();
    if (trainer.epoch_ended()) losses.push_back(trainer.last_epoch().loss);
  }
  EXPECT_EQ(trainer.last_epoch().labels.micro_f1, 1);
  EXPECT_EQ(trainer.last_epoch().labels.subset_accuracy, 1);
  EXPECT_EQ(trainer.last_epoch().score, 1);
  EXPECT_LT(losses.back(), losses.front() / 2);
}

// Where few texts have a label, the first epochs say none, however well they rank: a run on its way
// is not stopped, and its last epoch is the best.
TEST(Trainer, IsPatientWhileNoLabelIsSaidYet) {
  Runtime runtime;
  FirstWord trainee;
  const Examples train = labelled(40), validation = labelled(8);
  for (float& score : trainee.parameters()[0].second->value.cells()) score = -3;
  TrainOptions patient = options();
  patient.epochs = 50;
  patient.patience = 2;
  std::vector<double> scores, f1;
  Trainer trainer(runtime, trainee, train, validation, patient);
  while (!trainer.finished()) {
    trainer.advance();
    if (!trainer.epoch_ended()) continue;
    scores.push_back(trainer.last_epoch().score);
    f1.push_back(trainer.last_epoch().labels.micro_f1);
  }
  EXPECT_EQ(f1.front(), 0);
  EXPECT_EQ(scores.front(), 1);
  EXPECT_EQ(f1.back(), 1);
  EXPECT_EQ(trainer.position().best_epoch, 50u);
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

TEST(Trainer, AnEpochWhoseScoresAreNotFiniteIsNeverTheBest) {
  Runtime runtime;
  FirstWord trainee;
  const Examples train = examples(40), validation = examples(8);
  TrainOptions long_run = options();
  long_run.patience = 0;
  Trainer trainer(runtime, trainee, train, validation, long_run);
  const auto end_epoch = [&trainer] {
    do {
      trainer.advance();
    } while (!trainer.epoch_ended());
  };
  // All 8 are of class 0 or infinitely so: the accuracy of such scores would be a half.
  trainee.has_overflowed = true;
  end_epoch();
  EXPECT_TRUE(std::isnan(trainer.last_epoch().score));
  EXPECT_FALSE(trainer.last_epoch().improved);
  EXPECT_EQ(trainer.position().best_epoch, 0u);
  trainee.has_overflowed = false;
  end_epoch();
  EXPECT_TRUE(trainer.last_epoch().improved);
  EXPECT_EQ(trainer.position().best_epoch, 2u);
  trainee.has_overflowed = true;
  end_epoch();
  EXPECT_FALSE(trainer.last_epoch().improved);
  EXPECT_EQ(trainer.position().best_epoch, 2u);
  EXPECT_FALSE(trainer.finished());
}

TEST(Trainer, AStepWithoutAFiniteGradientIsLeftOutAndCounted) {
  Runtime runtime;
  FirstWord trainee;
  trainee.slope = std::numeric_limits<float>::quiet_NaN();
  const Examples train = examples(8), none;
  Trainer trainer(runtime, trainee, train, none, options());
  trainer.advance();
  EXPECT_EQ(trainer.position().skipped, 1u);
  for (const float cell : trainee.parameters()[0].second->value.cells()) EXPECT_EQ(cell, 0);
}

// A checkpoint knows no NaN: a run that went on from one would take another epoch for the best.
TEST(Trainer, AnEpochWithoutALossIsNeverTheBest) {
  Runtime runtime;
  FirstWord trainee;
  trainee.slope = std::numeric_limits<float>::quiet_NaN();
  const Examples train = examples(8), none;
  Trainer trainer(runtime, trainee, train, none, options());
  while (!trainer.epoch_ended()) trainer.advance();
  EXPECT_TRUE(std::isnan(trainer.last_epoch().loss));
  EXPECT_EQ(trainer.position().best, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(trainer.position().best_epoch, 0u);
  trainee.slope = 1;
  while (!trainer.finished()) trainer.advance();
  EXPECT_EQ(trainer.position().best_epoch, options().epochs);
}

/// Texts of one word: word 0 and 2 are of class 0, word 1 is of class 1.
Examples texts_of(const std::vector<std::int32_t>& words) {
  Examples made;
  for (const std::int32_t word : words) {
    made.numbers.push_back(made.documents.size());
    made.documents.push_back({.words = {word}, .sentence_lengths = {1}});
    made.labels.push_back(word % 2);
  }
  return made;
}

/// An epoch of plain descent with the rate 1: the table behind it, and the epoch's loss.
struct Descent {
  Matrix<float> table;
  double loss = 0;
};
Descent descend(const Examples& train, ClassWeights class_weights,
                std::size_t batch_documents = 64) {
  Runtime runtime;
  FirstWord trainee;
  const Examples none;
  Trainer trainer(runtime, trainee, train, none,
                  {.epochs = 1,
                   .batch_documents = batch_documents,
                   .learning_rate = 1,
                   .schedule = {.shape = ScheduleShape::constant, .warmup = 0},
                   .optimizer = OptimizerKind::sgd,
                   .momentum = 0,
                   .decay = 0,
                   .clip_norm = 100,
                   .class_weights = class_weights});
  while (!trainer.finished()) trainer.advance();
  return {trainee.parameters()[0].second->value, trainer.last_epoch().loss};
}

// Scores are 0 at first: a label's gradient is half its share of all texts' labels.
TEST(Trainer, WeighsEveryLabelOfEveryTextTheSame) {
  Examples train = texts_of({0, 1, 2, 3});
  train.labels.clear();
  train.label_sets = {{0}, {}, {0, 1}, {1}};
  const Descent plain = descend(train, ClassWeights::none);
  const float sign[4][2] = {{1, -1}, {-1, -1}, {1, 1}, {-1, 1}};
  for (std::size_t word = 0; word < 4; ++word) {
    for (const std::size_t label : {0u, 1u}) {
      EXPECT_EQ(plain.table(word, label), sign[word][label] * 0.5f / 8) << word << ' ' << label;
    }
  }
  EXPECT_NEAR(plain.loss, std::log(2), 1e-7);
}

// Scores are 0 at first, and so a text's gradient is half its share of the batch's weight.
TEST(Trainer, ABalancedClassWeighsTheSameHoweverManyTextsItHas) {
  const Examples train = texts_of({0, 0, 2, 1});
  const Descent plain = descend(train, ClassWeights::none);
  EXPECT_EQ(plain.table(0, 0), 0.25f);
  EXPECT_EQ(plain.table(2, 0), 0.125f);
  EXPECT_EQ(plain.table(1, 1), 0.125f);
  // Class 0 has half the weight for its three texts, class 1 for its one.
  const Descent balanced = descend(train, ClassWeights::balanced);
  EXPECT_NEAR(balanced.table(0, 0), 0.5 * 2 / 6, 1e-7);
  EXPECT_NEAR(balanced.table(2, 0), 0.5 / 6, 1e-7);
  EXPECT_NEAR(balanced.table(1, 1), 0.5 / 2, 1e-7);
  EXPECT_NEAR(balanced.loss, std::log(2), 1e-7);
}

// In a batch of one text that text is all, whatever it weighs: 2/3 or 2.
TEST(Trainer, DividesABatchByTheWeightOfItsTexts) {
  const Descent balanced = descend(texts_of({0, 0, 2, 1}), ClassWeights::balanced, 1);
  EXPECT_NEAR(balanced.table(2, 0), 0.5, 1e-7);
  EXPECT_NEAR(balanced.table(1, 1), 0.5, 1e-7);
}

TEST(Trainer, DividesAnEpochsLossByTheWeightOfItsTexts) {
  const Examples train = texts_of({0, 0, 0, 1}), none;
  Runtime runtime;
  FirstWord trainee;
  trainee.parameters()[0].second->value(1, 0) = 1;  // against the class of word 1
  TrainOptions still = {.epochs = 2, .batch_documents = 1, .learning_rate = 1e-30f, .decay = 0};
  still.class_weights = ClassWeights::balanced;
  Trainer trainer(runtime, trainee, train, none, still);
  EXPECT_EQ(trainer.class_weights()[0], 2.0f / 3);
  EXPECT_EQ(trainer.class_weights()[1], 2);
  const double rare = std::log(1 + std::exp(1.0));
  // Behind the first text the mean is that text's loss, whatever it weighs.
  trainer.advance();
  const Trainer::Position& at = trainer.position();
  const bool is_rare = at.loss_weight == 2;
  EXPECT_EQ(at.loss_weight, is_rare ? 2 : 2.0f / 3);
  EXPECT_NEAR(at.loss_sum / at.loss_weight, is_rare ? rare : std::log(2), 1e-6);
  while (!trainer.epoch_ended()) trainer.advance();
  EXPECT_NEAR(trainer.last_epoch().loss, (std::log(2) + rare) / 2, 1e-6);
}

TEST(Trainer, WithSgdLearnsWhatCanBeLearnt) {
  Runtime runtime;
  FirstWord trainee;
  const Examples train = examples(40), validation = examples(8);
  TrainOptions sgd = options();
  sgd.optimizer = OptimizerKind::sgd;
  sgd.schedule.shape = ScheduleShape::linear;
  sgd.learning_rate = 0.5f;
  Trainer trainer(runtime, trainee, train, validation, sgd);
  std::vector<double> losses;
  while (!trainer.finished()) {
    trainer.advance();
    if (trainer.epoch_ended()) losses.push_back(trainer.last_epoch().loss);
  }
  EXPECT_EQ(trainer.last_epoch().classes.accuracy, 1);
  EXPECT_LT(losses.back(), losses.front() / 2);
}

TEST(Trainer, RefusesWhatDoesNotFit) {
  Runtime runtime;
  FirstWord trainee;
  const Examples none, some = examples(4);
  EXPECT_THROW(Trainer(runtime, trainee, none, none, options()), ValueError);
  Examples unlabelled = examples(4);
  unlabelled.labels.clear();
  EXPECT_THROW(Trainer(runtime, trainee, unlabelled, none, options()), ValueError);
  Examples twice = labelled(4);
  twice.labels = examples(4).labels;
  EXPECT_THROW(Trainer(runtime, trainee, twice, none, options()), ValueError);
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

TEST(TrainOptions, RefuseAMomentumThatTrainsNothingAndNesterovWithoutOne) {
  const auto refusal = [](TrainOptions wrong) -> std::string {
    try {
      wrong.check();
    } catch (const ValueError& error) {
      return error.what();
    }
    return "accepted";
  };
  const TrainOptions sgd = {.optimizer = OptimizerKind::sgd, .nesterov = true};
  EXPECT_EQ(refusal(sgd), "accepted");
  TrainOptions wrong = sgd;
  wrong.momentum = 1;
  EXPECT_EQ(refusal(wrong), "TrainOptions: momentum is 1, expected at least 0 and less than 1");
  wrong.momentum = 0;
  EXPECT_EQ(refusal(wrong),
            "TrainOptions: nesterov is true with the optimizer sgd and a momentum of 0, expected "
            "sgd and a momentum above 0");
  wrong = sgd;
  wrong.optimizer = OptimizerKind::adamw;
  EXPECT_EQ(refusal(wrong),
            "TrainOptions: nesterov is true with the optimizer adamw and a momentum of 0.9, "
            "expected sgd and a momentum above 0");
}

TEST(Trainer, SortsByLengthWithinAWindowOfTexts) {
  Runtime runtime;
  FirstWord trainee;
  const Examples train = examples(40), none;
  TrainOptions wide = options(), narrow = options();
  wide.window = 40;
  narrow.window = narrow.batch_documents;
  // Texts of one length share a batch where all are sorted together.
  const Padding sorted = Trainer(runtime, trainee, train, none, wide).padding();
  const Padding unsorted = Trainer(runtime, trainee, train, none, narrow).padding();
  EXPECT_EQ(sorted.real, unsorted.real);
  EXPECT_LT(sorted.slots, unsorted.slots);
}

TEST(BestClasses, OfEqualScoresTheFirst) {
  const std::vector<float> scores = {1, 3, 3, 2, 2, 1};
  EXPECT_EQ(best_classes({scores.data(), 2, 3}), (std::vector<std::int32_t>{1, 0}));
}

}  // namespace
}  // namespace padless
