#include "padless/train/checkpoint.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "padless/core/error.h"
#include "padless/io/sealed_safetensors.h"
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

  /// Every matrix that a checkpoint brings back.
  static std::vector<float> cells_of(Run& run) {
    std::vector<float> cells;
    const auto add = [&cells](const std::string&, const Matrix<float>& matrix) {
      cells.insert(cells.end(), matrix.cells().begin(), matrix.cells().end());
    };
    for (const auto& [name, parameter] : run.trainee.parameters()) add(name, parameter->value);
    std::visit([&add](auto& optimizer) { optimizer.for_each_state(add); }, run.trainer.optimizer());
    return cells;
  }

  /// With the position, and with the versions of the parameters.
  static std::vector<double> state_of(Run& run) {
    const std::vector<float> cells = cells_of(run);
    std::vector<double> state(cells.begin(), cells.end());
    const auto add = [&state](auto... numbers) {
      (state.push_back(static_cast<double>(numbers)), ...);
    };
    const Trainer::Position& at = run.trainer.position();
    add(at.epoch, at.batch, at.step, at.loss_sum, at.loss_weight, at.best, at.best_epoch,
        at.skipped, at.finished);
    for (const auto& [name, parameter] : run.trainee.parameters()) add(parameter->version);
    if (const auto* adamw = std::get_if<AdamW>(&run.trainer.optimizer())) {
      add(adamw->progress().steps, adamw->progress().beta1_power, adamw->progress().beta2_power);
    }
    return state;
  }

  /// The file with another number in its position and a checksum that is right.
  void seal_with(std::string_view key, const Json& value) const {
    std::vector<TensorToWrite> tensors;
    std::vector<std::vector<float>> cells;
    Metadata metadata;
    const SafetensorsFile file(file_);
    for (const TensorInfo& tensor : file.tensors()) {
      file.read(tensor, cells.emplace_back(tensor.count));
      tensors.emplace_back(tensor.name, tensor.shape, cells.back());
    }
    for (const auto& [name, text] : file.metadata()) {
      if (name == kSealKey) continue;
      if (name != "position") {
        metadata.emplace_back(name, text);
        continue;
      }
      Json position = JsonDocument::parse(text, "position").root().value();
      metadata.emplace_back(name, position.set(key, value).compact());
    }
    write_sealed_safetensors(file_, tensors, metadata);
  }

  /// The refusal of a checkpoint with that number in each matrix of the name.
  std::string refusal_of(float number, const std::string& of) {
    adamw_of(run_).for_each_state([&](const std::string& name, Matrix<float>& matrix) {
      if (name == of) matrix.cells()[0] = number;
    });
    save_checkpoint(file_, run_.trainee, run_.trainer, settings_);
    Run other(texts_);
    const std::vector<double> before = state_of(other);
    try {
      load_checkpoint(file_, other.trainee, other.trainer, settings_);
    } catch (const FormatError& error) {
      EXPECT_TRUE(state_of(other) == before) << "something was restored before the refusal";
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
  EXPECT_TRUE(cells_of(other) == cells_of(run_));
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
    const std::vector<double> before = state_of(other);
    try {
      load_checkpoint(file_, other.trainee, other.trainer, settings_);
    } catch (const ValueError& error) {
      EXPECT_TRUE(state_of(other) == before) << "something was restored before the refusal";
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

// As of a file that another program wrote, or this one by a mistake: its checksum is right.
TEST_F(Checkpoint, APositionThatNoRunCanBeAtIsRefusedBeforeAnythingIsChanged) {
  struct Case {
    std::string key;
    Json value;
    std::string refusal;
  };
  const std::vector<Case> cases = {
      {"epoch", 10, "Trainer: 10 epochs are done, expected at most 9"},
      {"epoch", 9,
       "Trainer: the run is not finished behind epoch 9 of 9, the best of them 2, expected it "
       "finished"},
      {"epoch", 1, "Trainer: the best epoch is 2 where 1 are done, expected at most as many"},
      {"epoch", 0, "Trainer: the best epoch is 2 where 0 are done, expected at most as many"},
      {"best_epoch", 3, "Trainer: the best epoch is 3 where 2 are done, expected at most as many"},
      {"finished", true,
       "Trainer: the run is finished behind epoch 2 of 9, the best of them 2, expected it not "
       "finished"},
      {"batch", 1, "Trainer: 1 batches of an epoch are done, expected less than 1, which it has"},
      {"skipped", 3, "Trainer: of 2 steps 3 were left out, expected at most all"},
      {"loss_weight", -1, "'loss_weight' is -1, expected 0 or more"},
      {"beta1_power", 1,
       "AdamW: a power of a beta is 1 after 2 steps, expected a number in [0, 1)"},
  };
  for (const Case& one : cases) {
    save_checkpoint(file_, run_.trainee, run_.trainer, settings_);
    seal_with(one.key, one.value);
    Run other(texts_);
    const std::vector<double> before = state_of(other);
    try {
      load_checkpoint(file_, other.trainee, other.trainer, settings_);
      ADD_FAILURE() << one.key << " was taken";
    } catch (const FormatError& error) {
      EXPECT_EQ(error.what(), file_.string() + ": " + one.refusal);
    } catch (const ValueError& error) {
      ADD_FAILURE() << one.key << ": no error of the format: " << error.what();
    }
    EXPECT_TRUE(state_of(other) == before) << one.key << ": something was restored";
  }
  // A run can be there.
  save_checkpoint(file_, run_.trainee, run_.trainer, settings_);
  seal_with("best_epoch", 1);
  Run other(texts_);
  EXPECT_NO_THROW(load_checkpoint(file_, other.trainee, other.trainer, settings_));
  EXPECT_EQ(other.trainer.position().best_epoch, 1u);
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
