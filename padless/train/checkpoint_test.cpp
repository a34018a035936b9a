#include "padless/train/checkpoint.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "padless/core/error.h"
#include "padless/models/han.h"
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

/// A run of a small HAN that has taken two steps.
class Checkpoint : public testing::Test {
 protected:
  struct Run {
    explicit Run(const Examples& train)
        : han({.vocabulary = 3, .outputs = 2, .embedding = 2}, rng),
          trainee(han),
          trainer(runtime, trainee, train, none, {.epochs = 9}) {}
    const Examples none;
    Rng rng{1};
    Runtime runtime;
    Han han;
    TraineeOf<Han> trainee;
    Trainer trainer;
  };

  Checkpoint() : run_(texts_) {
    run_.trainer.advance();
    run_.trainer.advance();
  }

  /// The refusal of a checkpoint with that number in each matrix of the name.
  std::string refusal_of(float number, const std::string& of) {
    run_.trainer.optimizer().for_each_state([&](const std::string& name, Matrix<float>& matrix) {
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
  Run run_;
  const TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_ / "last.safetensors";
  const Json settings_ = Json::object().set("seed", 1);
};

TEST_F(Checkpoint, BringsBackTheRun) {
  save_checkpoint(file_, run_.trainee, run_.trainer, settings_);
  Run other(texts_);
  load_checkpoint(file_, other.trainee, other.trainer, settings_);
  EXPECT_EQ(other.trainer.position().step, 2u);
  EXPECT_EQ(other.trainer.optimizer().progress().steps, 2u);
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
