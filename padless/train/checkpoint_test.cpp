#include "padless/train/checkpoint.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <variant>

#include "padless/core/error.h"
#include "padless/models/han.h"
#include "padless/testing/bits.h"
#include "padless/testing/temporary_folder.h"

namespace padless {
namespace {

Examples two_texts() {
  return {.documents = {{.words = {1, 2}, .sentence_lengths = {2}},
                        {.words = {0}, .sentence_lengths = {1}}},
          .labels = {0, 1},
          .targets = {},
          .numbers = {0, 1}};
}

constexpr TrainOptions kSgd = {.epochs = 9, .optimizer = OptimizerKind::sgd};

/// A run of a small HAN that has taken two steps.
class Checkpoint : public ::testing::Test {
 protected:
  struct Run {
    explicit Run(const Examples& train, const TrainOptions& options = {.epochs = 9})
        : han({.vocabulary = 3, .outputs = 2, .embedding = 2}, rng),
          trainee(han),
          trainer(runtime, trainee, train, none, options) {}
    const Examples none;
    Rng rng{1};
    Runtime runtime;
    Han han;
    TraineeOf<Han> trainee;
    Trainer trainer;
  };

  Checkpoint() : run_(texts_), sgd_(texts_, kSgd) {
    for (Run* run : {&run_, &sgd_}) {
      run->trainer.advance();
      run->trainer.advance();
    }
  }
  static AdamW& adamw_of(Run& run) { return std::get<AdamW>(run.trainer.optimizer()); }

  /// The refusal of a checkpoint with that number in each matrix of the name.
  std::string refusal_of(float number, const std::string& of) {
    adamw_of(run_).for_each_state([&](const std::string& name, Matrix<float>& matrix) {
      if (name == of) matrix.cells()[0] = number;
    });
    save_checkpoint(file_, run_.trainee, run_.trainer, settings_);
    Run other(texts_);
    try {
      load_checkpoint(file_, other.trainee, other.trainer, settings_);
    } catch (const FormatError& error) {
      EXPECT_EQ(other.trainer.position().step, 0u) << "something was restored before the refusal";
      return error.what();
    }
    return "accepted";
  }

  const Examples texts_ = two_texts();
  Run run_, sgd_;
  const TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_ / "last.safetensors";
  const Json settings_ = Json::object().set("seed", 1);
};

TEST_F(Checkpoint, BringsBackTheRun) {
  save_checkpoint(file_, run_.trainee, run_.trainer, settings_);
  Run other(texts_);
  load_checkpoint(file_, other.trainee, other.trainer, settings_);
  EXPECT_EQ(other.trainer.position().step, 2u);
  EXPECT_EQ(adamw_of(other).progress().steps, 2u);
}

TEST_F(Checkpoint, BringsBackTheVelocity) {
  save_checkpoint(file_, sgd_.trainee, sgd_.trainer, settings_);
  Run other(texts_, kSgd);
  load_checkpoint(file_, other.trainee, other.trainer, settings_);
  EXPECT_EQ(other.trainer.position().step, 2u);
  std::map<std::string, Matrix<float>> saved;
  std::get<Sgd>(sgd_.trainer.optimizer())
      .for_each_state([&](const std::string& name, Matrix<float>& m) { saved[name] = m; });
  double squares = 0;
  std::get<Sgd>(other.trainer.optimizer())
      .for_each_state([&](const std::string& name, Matrix<float>& matrix) {
        testing::expect_same_bits(matrix.cells(), saved.at(name).cells(), name);
        for (const float cell : matrix.cells()) squares += double{cell} * cell;
      });
  EXPECT_GT(squares, 0);
}

TEST_F(Checkpoint, OfOneOptimizerIsRefusedByTheOther) {
  const auto refusal = [this](Run& saved, const TrainOptions& options) -> std::string {
    save_checkpoint(file_, saved.trainee, saved.trainer, settings_);
    Run other(texts_, options);
    try {
      load_checkpoint(file_, other.trainee, other.trainer, settings_);
    } catch (const ValueError& error) {
      EXPECT_EQ(other.trainer.position().step, 0u) << "something was restored before the refusal";
      return error.what();
    }
    return "accepted";
  };
  const std::string in = file_.string() + ": the checkpoint is of a run with the optimizer ";
  EXPECT_EQ(refusal(run_, kSgd),
            in + "adamw, expected sgd (train with adamw, or in another folder)");
  EXPECT_EQ(refusal(sgd_, {.epochs = 9}),
            in + "sgd, expected adamw (train with sgd, or in another folder)");
}

TEST_F(Checkpoint, AVelocityThatIsNoNumberIsRefused) {
  std::get<Sgd>(sgd_.trainer.optimizer())
      .for_each_state([](const std::string& name, Matrix<float>& matrix) {
        if (name == "velocity.1") matrix.cells()[0] = NAN;
      });
  save_checkpoint(file_, sgd_.trainee, sgd_.trainer, settings_);
  Run other(texts_, kSgd);
  try {
    load_checkpoint(file_, other.trainee, other.trainer, settings_);
    ADD_FAILURE() << "accepted";
  } catch (const FormatError& error) {
    EXPECT_EQ(error.what(),
              file_.string() + ": 'sgd.velocity.1' holds nan, expected finite numbers");
  }
}

TEST_F(Checkpoint, AMomentThatIsNoMeanOfSquaresIsRefused) {
  const std::string in = file_.string() + ": 'adamw.";
  EXPECT_EQ(refusal_of(-1, "second_moment.3"),
            in + "second_moment.3' holds -1, expected finite numbers, none below 0");
  EXPECT_EQ(refusal_of(NAN, "second_moment.3"),
            in + "second_moment.3' holds nan, expected finite numbers, none below 0");
  EXPECT_EQ(refusal_of(0, "second_moment.3"), "accepted");
  EXPECT_EQ(refusal_of(INFINITY, "first_moment.0"),
            in + "first_moment.0' holds inf, expected finite numbers");
  EXPECT_EQ(refusal_of(-1, "first_moment.0"), "accepted");
}

TEST_F(Checkpoint, ARunWithOtherSettingsIsToldWhichDiffer) {
  save_checkpoint(file_, run_.trainee, run_.trainer,
                  Json::object()
                      .set("seed", 1)
                      .set("rate", 0.5f)
                      .set("gone", true)
                      .set("network", Json::object().set("model", "han").set("hidden", 3)));
  Run other(texts_);
  try {
    load_checkpoint(file_, other.trainee, other.trainer,
                    Json::object()
                        .set("seed", 1)
                        .set("rate", 0.25f)
                        .set("network", Json::object().set("model", "han").set("hidden", 4))
                        .set("new", "x"));
    ADD_FAILURE() << "accepted";
  } catch (const ValueError& error) {
    EXPECT_EQ(error.what(),
              file_.string() +
                  ": the run was begun with other settings: 'rate' was 0.5 and is 0.25, "
                  "'network.hidden' was 3 and is 4, 'new' was not there and is \"x\", 'gone' was "
                  "true and is not there; expected the same (give those again, or another folder)");
  }
}

}  // namespace
}  // namespace padless
