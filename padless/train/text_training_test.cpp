#include "padless/train/text_training.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "padless/core/error.h"
#include "padless/data/synthetic.h"
#include "padless/io/atomic_file.h"
#include "padless/testing/contract.h"
#include "padless/testing/temporary_folder.h"

namespace padless {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMost = std::size_t{1} << 26;

LabelledSet small_set(Answer answer) {
  LabelledSet set = make_synthetic_set(
      {.texts = 60, .classes = 3, .seed = 5, .several_labels = answer == Answer::several_labels});
  if (answer != Answer::number) set.targets.clear();
  if (answer != Answer::one_class) set.labels.clear();
  return set;
}

TextTraining small_training() {
  TextTraining training;
  training.tokenizer.max_words = 60;
  training.vocabulary.min_count = 1;
  training.model = HanConfig{.embedding = 8,
                             .word_hidden = 5,
                             .word_attention = 6,
                             .sentence_hidden = 4,
                             .sentence_attention = 6,
                             .dropout = 0.2f};
  training.options.epochs = 3;
  training.options.batch_tokens = 400;
  training.options.batch_documents = 8;
  training.options.shards = 4;
  training.options.patience = 0;
  return training;
}

std::string bytes(const fs::path& file) { return read_file(file, kMost); }

/// Everything that is a choice is not the default.
TextTraining other_choices() {
  TextTraining training = small_training();
  training.options.optimizer = OptimizerKind::sgd;
  training.options.momentum = 0.75f;
  training.options.nesterov = true;
  training.options.learning_rate = 0.05f;
  training.options.schedule.shape = ScheduleShape::linear;
  training.options.class_weights = ClassWeights::balanced;
  return training;
}

TrainingOutcome train(const fs::path& folder, const LabelledSet& set, bool resume, Runtime& runtime,
                      const std::function<void(const TrainingProgress&)>& progress = {},
                      const TextTraining& training = small_training()) {
  return train_text_model(
      runtime, set, training,
      {.folder = folder, .resume = resume, .checkpoint_steps = 3, .progress = progress});
}

TEST(TextTraining, GivesTheSameFileForAnyThreadsAndInstructionSet) {
  for (const auto& [answer, name] : answer_names()) {
    SCOPED_TRACE(name);
    const LabelledSet set = small_set(answer);
    const TemporaryFolder folder;
    Runtime scalar({.threads = 1, .isa = Isa::scalar});
    train(folder.path() / "scalar", set, false, scalar);
    const std::string expected = bytes(folder.path() / "scalar" / "model.safetensors");
    int run = 0;
    testing::for_each_runtime([&](Runtime& runtime) {
      const fs::path to = folder.path() / std::to_string(run++);
      train(to, set, false, runtime);
      EXPECT_TRUE(bytes(to / "model.safetensors") == expected);
    });
  }
}

void expect_the_same_bits_resumed(const TextTraining& training,
                                  const LabelledSet& set = small_set(Answer::one_class)) {
  struct Interruption {};
  const TemporaryFolder folder;
  Runtime runtime;
  const fs::path whole = folder.path() / "whole";
  std::size_t steps = 0;
  const TrainingOutcome expected = train(
      whole, set, false, runtime, [&steps](const TrainingProgress&) { ++steps; }, training);
  for (std::size_t stop = 1; stop < steps; stop += 4) {
    const fs::path parts = folder.path() / std::to_string(stop);
    std::size_t step = 0;
    const auto interrupt = [&](const TrainingProgress&) {
      if (++step == stop) throw Interruption();
    };
    EXPECT_THROW(train(parts, set, true, runtime, interrupt, training), Interruption);
    const TrainingOutcome resumed = train(parts, set, true, runtime, {}, training);
    EXPECT_FALSE(resumed.was_finished);
    EXPECT_EQ(resumed.best, expected.best);
    EXPECT_EQ(resumed.epochs, expected.epochs);
    for (const char* file : {"model.safetensors", "last.safetensors", "config.json"}) {
      EXPECT_TRUE(bytes(parts / file) == bytes(whole / file)) << file << " after step " << stop;
    }
    const std::string log = bytes(parts / "log.jsonl");
    EXPECT_EQ(std::ranges::count(log, '\n'), 5) << log;  // the start, three epochs, the end
  }
}

TEST(TextTraining, ResumesToTheSameBitsWhereverItWasInterrupted) {
  expect_the_same_bits_resumed(small_training());
}

TEST(TextTraining, ResumesToTheSameBitsWithSgdALinearScheduleAndBalancedClasses) {
  expect_the_same_bits_resumed(other_choices());
}

TEST(TextTraining, ResumesToTheSameBitsWhereSeveralLabelsAreLearnt) {
  expect_the_same_bits_resumed(small_training(), small_set(Answer::several_labels));
}

TEST(TextTraining, EveryChoiceDecidesBitsAndIsToldInTheLog) {
  const LabelledSet set = small_set(Answer::one_class);
  const TemporaryFolder folder;
  Runtime runtime;
  std::vector<TextTraining> trainings(6, small_training());
  trainings[1].options.optimizer = OptimizerKind::sgd;
  trainings[2].options.schedule.shape = ScheduleShape::linear;
  trainings[3].options.schedule.shape = ScheduleShape::constant;
  trainings[4].options.class_weights = ClassWeights::balanced;
  trainings[5] = other_choices();
  std::set<std::string> models;
  std::vector<std::string> starts;
  for (std::size_t i = 0; i < trainings.size(); ++i) {
    const fs::path run = folder.path() / std::to_string(i);
    train(run, set, false, runtime, {}, trainings[i]);
    models.insert(bytes(run / "model.safetensors"));
    const std::string log = bytes(run / "log.jsonl");
    starts.push_back(log.substr(0, log.find('\n')));
  }
  EXPECT_EQ(models.size(), trainings.size());
  const auto expect_told = [&starts](std::size_t run, const std::string& part) {
    EXPECT_NE(starts[run].find(part), std::string::npos) << starts[run];
  };
  expect_told(0, R"("optimizer":"adamw","schedule":"cosine","class_weights":"none"})");
  expect_told(1, R"("optimizer":"sgd","momentum":0.9,"nesterov":false,"schedule":"cosine")");
  expect_told(3, R"("schedule":"constant")");
  expect_told(4, R"("class_weights":"balanced","weights_of_classes":[)");
  expect_told(5, R"("optimizer":"sgd","momentum":0.75,"nesterov":true,"schedule":"linear")");
}

void expect_refused(const LabelledSet& set, const TextTraining& training,
                    const std::string& expected) {
  const TemporaryFolder folder;
  Runtime runtime;
  try {
    train(folder.path() / "run", set, false, runtime, {}, training);
    ADD_FAILURE() << "accepted";
  } catch (const ValueError& error) {
    EXPECT_EQ(error.what(), expected);
  }
  EXPECT_FALSE(fs::exists(folder.path() / "run"));
}

TEST(TextTraining, RefusesToBalanceWhereNoClassesAreLearnt) {
  TextTraining training = small_training();
  training.options.class_weights = ClassWeights::balanced;
  for (const Answer answer : {Answer::number, Answer::several_labels}) {
    expect_refused(small_set(answer), training,
                   "Trainer: class_weights is balanced, and the training examples have no classes, "
                   "expected none");
  }
}

TEST(TextTraining, RefusesToSmoothWhereSeveralLabelsAreLearnt) {
  TextTraining training = small_training();
  training.options.label_smoothing = 0.25f;
  expect_refused(small_set(Answer::several_labels), training,
                 "Trainer: label_smoothing is 0.25, and the training examples have any number of "
                 "labels, expected 0");
}

TEST(TextTraining, AFinishedRunHasNothingLeftToDo) {
  const LabelledSet set = small_set(Answer::one_class);
  const TemporaryFolder folder;
  Runtime runtime;
  train(folder.path() / "run", set, true, runtime);
  const std::string before = bytes(folder.path() / "run" / "log.jsonl");
  EXPECT_TRUE(train(folder.path() / "run", set, true, runtime).was_finished);
  EXPECT_EQ(bytes(folder.path() / "run" / "log.jsonl"), before);
}

TEST(TextTraining, TheLogOfAFinishedRunIsMended) {
  const LabelledSet set = small_set(Answer::one_class);
  const TemporaryFolder folder;
  Runtime runtime;
  const fs::path run = folder.path() / "run", log = run / "log.jsonl";
  train(run, set, true, runtime);
  const std::string whole = bytes(log);
  const std::string left = whole.substr(0, whole.rfind("{\"event\":\"end\""));
  const auto mended = [&](const std::string& found) {
    write_file(log, found);
    EXPECT_TRUE(train(run, set, true, runtime).was_finished);
    return bytes(log);
  };
  EXPECT_EQ(mended(whole + "{\"event\":\"e"), whole);
  EXPECT_EQ(mended(whole + "\n"), whole);
  // Of an end that is torn nothing is lost but the seconds.
  std::string without_seconds = whole;
  without_seconds.replace(without_seconds.rfind("\"seconds\":"), std::string::npos,
                          "\"seconds\":null}\n");
  EXPECT_EQ(mended(whole.substr(0, left.size() + 10)), without_seconds);
  EXPECT_EQ(mended(left), without_seconds);
  const std::string begun_anew = mended("");
  EXPECT_TRUE(begun_anew.starts_with("{\"event\":\"start\",\"texts\":")) << begun_anew;
  EXPECT_EQ(std::ranges::count(begun_anew, '\n'), 2) << begun_anew;
}

TEST(TextTraining, RefusesAUsedFolderAndAnotherRunsCheckpoint) {
  const LabelledSet set = small_set(Answer::one_class);
  const TemporaryFolder folder;
  Runtime runtime;
  train(folder.path() / "run", set, false, runtime);
  try {
    train(folder.path() / "run", set, false, runtime);
    ADD_FAILURE() << "a used folder was taken";
  } catch (const ValueError& error) {
    EXPECT_EQ(error.what(), (folder.path() / "run").string() +
                                ": the folder is not empty, expected a new one (or resume, to go "
                                "on with the training in it)");
  }

  TextTraining other = small_training();
  other.options.seed = 1;
  std::get<HanConfig>(other.model).dropout = 0.25f;
  const TrainingRun resumed = {.folder = folder.path() / "run", .resume = true};
  try {
    train_text_model(runtime, set, other, resumed);
    ADD_FAILURE() << "a run of another seed was resumed";
  } catch (const ValueError& error) {
    EXPECT_EQ(error.what(),
              (resumed.folder / "last.safetensors").string() +
                  ": the run was begun with other settings: 'network.dropout' was 0.2 and is 0.25, "
                  "'seed' was 0 and is 1; expected the same (give those again, or another folder)");
  }
}

TEST(TextTraining, RefusesAFolderThatAnotherTrainingWritesInto) {
  const LabelledSet set = small_set(Answer::one_class);
  const TemporaryFolder folder;
  Runtime runtime, other;
  const fs::path run = folder.path() / "run", alone = folder.path() / "alone";
  std::size_t batches = 0;
  const auto begin_another = [&](const TrainingProgress&) {
    if (++batches != 2) return;
    for (const bool resume : {false, true}) {
      try {
        train(run, set, resume, other);
        ADD_FAILURE() << "two trainings at once";
      } catch (const ValueError& error) {
        EXPECT_EQ(error.what(), run.string() +
                                    ": another training writes into it, expected one at a time "
                                    "(wait for its end, or take another folder)");
      }
    }
    train(alone, set, false, other);
  };
  train(run, set, false, runtime, begin_another);
  EXPECT_GT(batches, 2u);
  EXPECT_TRUE(train(run, set, true, other).was_finished);
  for (const char* file : {"model.safetensors", "last.safetensors"}) {
    EXPECT_TRUE(bytes(run / file) == bytes(alone / file)) << file;
  }
}

TEST(TextTraining, SaysWhyAFolderCannotBeRead) {
  Runtime runtime;
  const TemporaryFolder folder;
  const std::filesystem::path name = folder / std::string(300, 'x');
  try {
    train_text_model(runtime, make_synthetic_set({.texts = 10, .classes = 3}), TextTraining(),
                     {.folder = name});
    FAIL() << "trained";
  } catch (const IoError& error) {
    EXPECT_EQ(error.what(), name.string() + ": cannot read the folder: File name too long");
  }
}

TEST(TextTraining, SaysThatAFileIsNoFolder) {
  const LabelledSet set = small_set(Answer::one_class);
  const TemporaryFolder folder;
  Runtime runtime;
  const fs::path notes = folder.path() / "notes";
  write_file(notes, "not ours");
  for (const bool resume : {false, true}) {
    try {
      train(notes, set, resume, runtime);
      ADD_FAILURE() << "accepted";
    } catch (const ValueError& error) {
      EXPECT_EQ(error.what(),
                notes.string() + ": is a file, expected a folder or the name of a new one");
    }
  }
  EXPECT_EQ(bytes(notes), "not ours");
}

// Texts that are read alike either way make the same batches: only the model in use would differ.
TEST(TextTraining, RefusesToGoOnWithAnotherWayToReadTexts) {
  const LabelledSet set = small_set(Answer::one_class);
  const TemporaryFolder folder;
  Runtime runtime;
  const TrainingRun resumed = {.folder = folder.path() / "run", .resume = true};
  TextTraining begun = small_training();
  begun.tokenizer.max_words = std::nullopt;
  train_text_model(runtime, set, begun, {.folder = resumed.folder});
  const auto difference = [&](const LabelledSet& texts, const TextTraining& training) {
    try {
      train_text_model(runtime, texts, training, resumed);
    } catch (const ValueError& error) {
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  TextTraining other = begun;
  other.tokenizer.max_words = 1000000;
  EXPECT_NE(difference(set, other).find("'max_words' was null and is 1000000"), std::string::npos)
      << difference(set, other);
  other = begun;
  other.vocabulary.min_count = 0;
  other.vocabulary.max_size = 40000;
  EXPECT_NE(difference(set, other)
                .find(": 'min_count' was 1 and is 0, 'max_vocabulary' was 50000 "
                      "and is 40000; expected"),
            std::string::npos)
      << difference(set, other);
  LabelledSet renamed = set;
  for (std::string& label : renamed.labels) label += '!';
  EXPECT_NE(difference(renamed, begun).find("'hash of the words and labels' was"),
            std::string::npos)
      << difference(renamed, begun);
}

TEST(TextTraining, RefusesToGoOnWithOtherLabelsOfTheTexts) {
  LabelledSet set = small_set(Answer::several_labels);
  const TemporaryFolder folder;
  Runtime runtime;
  train(folder.path() / "run", set, false, runtime);
  const auto labels =
      std::ranges::find_if(set.label_sets, [](const auto& of) { return !of.empty(); });
  labels->pop_back();
  try {
    train(folder.path() / "run", set, true, runtime);
    ADD_FAILURE() << "a run of other labels was resumed";
  } catch (const ValueError& error) {
    EXPECT_NE(std::string(error.what()).find("texts' was"), std::string::npos) << error.what();
  }
}

TEST(TextTraining, RefusesACheckpointOfOtherChoicesByTheirNames) {
  const LabelledSet set = small_set(Answer::one_class);
  const TemporaryFolder folder;
  Runtime runtime;
  const fs::path run = folder.path() / "run";
  train(run, set, false, runtime);
  const auto refusal = [&](const TextTraining& other) -> std::string {
    try {
      train(run, set, true, runtime, {}, other);
    } catch (const ValueError& error) {
      return error.what();
    }
    return "accepted";
  };
  const auto other_settings = [&run](const std::string& differences) {
    return (run / "last.safetensors").string() +
           ": the run was begun with other settings: " + differences +
           "; expected the same (give those again, or another folder)";
  };
  TextTraining other = other_choices();
  other.options.learning_rate = small_training().options.learning_rate;
  EXPECT_EQ(refusal(other),
            other_settings(R"('optimizer' was "adamw" and is "sgd", 'momentum' was not there and )"
                           R"(is 0.75, 'nesterov' was not there and is true, 'schedule' was )"
                           R"("cosine" and is "linear", 'class_weights' was "none" and is )"
                           R"("balanced")"));

  fs::remove_all(run);
  train(run, set, false, runtime, {}, other_choices());
  other = other_choices();
  other.options.momentum = 0.5f;
  other.options.nesterov = false;
  EXPECT_EQ(refusal(other), other_settings("'momentum' was 0.75 and is 0.5, 'nesterov' was true "
                                           "and is false"));
}

TEST(TextTraining, ATemporaryFileOfAnInterruptedWriteIsInNobodysWay) {
  const LabelledSet set = small_set(Answer::one_class);
  const TemporaryFolder folder;
  Runtime runtime;
  fs::create_directory(folder.path() / "run");
  write_file(folder.path() / "run" / ".last.safetensors.1.0.tmp", "half");
  EXPECT_NO_THROW(train(folder.path() / "run", set, true, runtime));
}

TEST(TextTraining, AFinishedRunWhoseModelIsDamagedSaysSo) {
  const LabelledSet set = small_set(Answer::one_class);
  const TemporaryFolder folder;
  Runtime runtime;
  train(folder.path() / "run", set, false, runtime);
  fs::remove(folder.path() / "run" / "vocabulary.txt");
  EXPECT_THROW(train(folder.path() / "run", set, true, runtime), IoError);
}

// The parameters of the best epoch are in no checkpoint: whoever goes on looks at them.
TEST(TextTraining, GoesOnBesideNoOtherParametersThanItsOwn) {
  const LabelledSet set = small_set(Answer::one_class);
  const TemporaryFolder folder;
  Runtime runtime;
  const fs::path begun = folder.path() / "begun";
  const auto begin = [&] {
    fs::remove_all(begun);
    std::size_t epochs = 0;
    const TrainingOutcome outcome = train_text_model(
        runtime, set, small_training(),
        {.folder = begun,
         .progress = [&](const TrainingProgress& at) { epochs += at.ended ? 1 : 0; },
         .stop = [&] { return epochs == 1; }});
    ASSERT_TRUE(outcome.was_stopped);
    ASSERT_EQ(outcome.best_epoch, 1u);
  };
  const auto refusal = [&] {
    try {
      train(begun, set, true, runtime);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("gone on with");
  };
  TextTraining other = small_training();
  other.options.seed = 7;
  train(folder.path() / "other", set, false, runtime, {}, other);
  const fs::path parameters = begun / "model.safetensors";
  const std::string place = parameters.string() + ": ";

  begin();
  fs::copy_file(folder.path() / "other" / "model.safetensors", parameters,
                fs::copy_options::overwrite_existing);
  EXPECT_EQ(refusal(),
            place +
                "holds other parameters than those of this training's epoch 1, its "
                "best, expected the file that this training wrote; train in a new folder");
  begin();
  std::string flipped = bytes(parameters);
  flipped.back() = static_cast<char>(flipped.back() ^ 1);
  write_file(parameters, flipped);
  EXPECT_TRUE(refusal().starts_with(place)) << refusal();
  begin();
  fs::remove(parameters);
  EXPECT_TRUE(refusal().starts_with(place + "is gone with the best epoch in it")) << refusal();
  begin();
  EXPECT_EQ(refusal(), "gone on with");
}

TEST(TextTraining, OneThatDivergesIsAnErrorHoweverOftenItIsAsked) {
  for (const auto& [answer, name] : answer_names()) {
    SCOPED_TRACE(name);
    const LabelledSet set = small_set(answer);
    const TemporaryFolder folder;
    Runtime runtime;
    TextTraining training = small_training();
    training.options.optimizer = OptimizerKind::sgd;
    training.options.learning_rate = 3e38f;
    // No gate bounds what is in it.
    training.model = TransformerEncoderConfig{
        .width = 8, .layers = 1, .heads = 2, .feed_forward = 12, .max_length = 60};
    const fs::path run = folder.path() / "run";
    for (int times = 0; times < 2; ++times) {
      try {
        train(run, set, true, runtime, {}, training);
        ADD_FAILURE() << "it has " << bytes(run / "log.jsonl");
      } catch (const ValueError& error) {
        EXPECT_TRUE(std::string(error.what())
                        .starts_with(run.string() + ": the training has diverged: in none of "))
            << error.what();
      }
    }
    EXPECT_NE(bytes(run / "log.jsonl").find("\"best_epoch\":0,\"best\":null"), std::string::npos);
    EXPECT_EQ(bytes(run / "log.jsonl").find("\"best\":true"), std::string::npos);
  }
}

TEST(TextTraining, RefusesACheckpointEveryNoSteps) {
  const LabelledSet set = small_set(Answer::one_class);
  const TemporaryFolder folder;
  Runtime runtime;
  EXPECT_THROW(train_text_model(runtime, set, small_training(),
                                {.folder = folder.path() / "run", .checkpoint_steps = 0}),
               ValueError);
}

TEST(TextTraining, WhatAKilledRunLeftIsRemovedWhenItIsResumed) {
  const LabelledSet set = small_set(Answer::one_class);
  const TemporaryFolder folder;
  Runtime runtime;
  const fs::path run = folder.path() / "run";
  std::size_t batches = 0;
  const TrainingOutcome stopped =
      train_text_model(runtime, set, small_training(),
                       {.folder = run, .stop = [&batches] { return ++batches == 4; }});
  EXPECT_TRUE(stopped.was_stopped);
  // Beyond any process: Linux numbers them up to 2^22.
  const std::vector<std::string> left = {".last.safetensors.99999999.0.tmp",
                                         ".model.safetensors.99999999.12.tmp"};
  const std::vector<std::string> not_ours = {".last.safetensors.x.tmp", ".notes.99999999.0.tmp"};
  for (const std::string& name : left) write_file(run / name, "half");
  for (const std::string& name : not_ours) write_file(run / name, "whole");
  train(run, set, true, runtime);
  for (const std::string& name : left) EXPECT_FALSE(fs::exists(run / name)) << name;
  for (const std::string& name : not_ours) EXPECT_TRUE(fs::exists(run / name)) << name;
}

TEST(TextTraining, StoppedAfterAnyBatchItGoesOnFromThere) {
  const LabelledSet set = small_set(Answer::one_class);
  const TemporaryFolder folder;
  Runtime runtime;
  const fs::path whole = folder.path() / "whole", parts = folder.path() / "parts";
  train_text_model(runtime, set, small_training(), {.folder = whole});
  std::size_t runs = 0;
  // No checkpoint but those of the stops and the epochs.
  const TrainingRun one_batch = {
      .folder = parts, .resume = true, .checkpoint_steps = 1000, .stop = [] { return true; }};
  for (bool stopped = true; stopped; ++runs) {
    ASSERT_LT(runs, 1000u);
    stopped = train_text_model(runtime, set, small_training(), one_batch).was_stopped;
  }
  EXPECT_GT(runs, 10u);
  for (const char* file : {"model.safetensors", "last.safetensors", "config.json"}) {
    EXPECT_TRUE(bytes(parts / file) == bytes(whole / file)) << file;
  }
}

TEST(TextTraining, AHalfWrittenLineOfTheLogIsCutOff) {
  struct Killed {};
  const LabelledSet set = small_set(Answer::one_class);
  const TemporaryFolder folder;
  Runtime runtime;
  const fs::path run = folder.path() / "run", log = run / "log.jsonl";
  EXPECT_THROW(train(run, set, true, runtime,
                     [](const TrainingProgress& progress) {
                       if (progress.epoch == 2 && progress.ended == nullptr) throw Killed();
                     }),
               Killed);
  const std::string before = bytes(log);
  const std::vector<std::string> lefts = {R"({"event":"epoch","ep)", "{\"event\":\"epoch\"\n",
                                          "{\"event\":\"epoch\",\"epoch\":2}\n",
                                          std::string(3, '\0') + "\n"};
  for (const std::string& left : lefts) {
    write_file(log, before + left);
    EXPECT_THROW(train(run, set, true, runtime, [](const TrainingProgress&) { throw Killed(); }),
                 Killed);
    EXPECT_EQ(bytes(log), before) << left;
  }
  train(run, set, true, runtime);
  const std::string whole = bytes(log);
  EXPECT_TRUE(whole.starts_with(before));
  EXPECT_EQ(std::ranges::count(whole, '\n'), 5) << whole;
}

// A process can be killed at any time: after every batch the folder is a whole model.
TEST(TextTraining, TheFolderIsAModelAfterEveryBatchAndAfterAKillBetweenItsFiles) {
  const LabelledSet set = small_set(Answer::one_class);
  const TemporaryFolder folder;
  Runtime runtime;
  const fs::path run = folder.path() / "run";
  std::size_t batches = 0;
  train(run, set, false, runtime, [&](const TrainingProgress&) {
    EXPECT_NO_THROW(load_text_model(run)) << "behind batch " << ++batches;
  });
  // The files of a first start in their order; a process was killed before each.
  const std::vector<std::string> files = {"last.safetensors", "model.safetensors", "vocabulary.txt",
                                          "config.json"};
  for (std::size_t written = 0; written <= files.size(); ++written) {
    const fs::path killed = folder.path() / std::to_string(written);
    train_text_model(runtime, set, small_training(),
                     {.folder = killed, .stop = [] { return true; }});
    for (std::size_t i = written; i < files.size(); ++i) fs::remove(killed / files[i]);
    fs::remove(killed / "log.jsonl");
    train(killed, set, true, runtime);
    EXPECT_NO_THROW(load_text_model(killed)) << written;
    EXPECT_TRUE(bytes(killed / "model.safetensors") == bytes(run / "model.safetensors")) << written;
  }
}

// Read or opened for writing, a pipe would wait for its other end.
TEST(TextTraining, GoesOnWithNoPipeInPlaceOfAFile) {
  const LabelledSet set = small_set(Answer::one_class);
  const TemporaryFolder folder;
  Runtime runtime;
  const fs::path run = folder.path() / "run";
  std::size_t batches = 0;
  train_text_model(runtime, set, small_training(),
                   {.folder = run, .stop = [&batches] { return ++batches == 4; }});
  for (const char* name :
       {"config.json", "vocabulary.txt", "model.safetensors", "last.safetensors", "log.jsonl"}) {
    const std::string whole = bytes(run / name);
    fs::remove(run / name);
    ASSERT_EQ(::mkfifo((run / name).c_str(), 0600), 0);
    try {
      train(run, set, true, runtime);
      ADD_FAILURE() << name << " was taken";
    } catch (const IoError& error) {
      EXPECT_EQ(error.what(), (run / name).string() + ": is a pipe, expected a regular file");
    }
    fs::remove(run / name);
    write_file(run / name, whole);
  }
  EXPECT_FALSE(train(run, set, true, runtime).was_finished);
}

TEST(TextTraining, AFlippedBitOfACheckpointOrAModelIsFound) {
  const LabelledSet set = small_set(Answer::one_class);
  const TemporaryFolder folder;
  Runtime runtime;
  const fs::path run = folder.path() / "run";
  train(run, set, false, runtime);
  for (const char* file : {"last.safetensors", "model.safetensors"}) {
    const std::string whole = bytes(run / file);
    std::string changed = whole;
    changed[whole.size() - 3] = static_cast<char>(changed[whole.size() - 3] ^ 1);
    write_file(run / file, changed);
    EXPECT_THROW(train(run, set, true, runtime), FormatError) << file;
    write_file(run / file, whole);
  }
  EXPECT_TRUE(train(run, set, true, runtime).was_finished);
}

TEST(TextTraining, ADamagedCheckpointIsAnError) {
  const LabelledSet set = small_set(Answer::one_class);
  const TemporaryFolder folder;
  Runtime runtime;
  train(folder.path() / "run", set, false, runtime);
  const fs::path checkpoint = folder.path() / "run" / "last.safetensors";
  const std::string whole = bytes(checkpoint);
  for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 20) {
    write_file(checkpoint, whole.substr(0, size));
    EXPECT_THROW(train(folder.path() / "run", set, true, runtime), FormatError);
  }
}

TEST(TextTraining, LearnsTheSyntheticClasses) {
  LabelledSet set = make_synthetic_set({.texts = 400, .classes = 3, .seed = 6});
  set.targets.clear();
  TextTraining training = small_training();
  training.tokenizer.max_words = 500;
  training.options.epochs = 12;
  training.options.learning_rate = 1e-2f;
  const TemporaryFolder folder;
  Runtime runtime;
  const TrainingOutcome outcome =
      train_text_model(runtime, set, training, {.folder = folder.path() / "run"});
  // A guess would be right for one text in three; twice that is no chance with 40 texts.
  EXPECT_GT(outcome.best, 2.0 / 3);
}

TEST(Prepare, CutsOverlongTextsAndCountsTheWords) {
  LabelledSet set{.texts = {"one two three", "four five", "six seven eight nine"},
                  .labels = {"a", "b", "a"},
                  .targets = {},
                  .splits = {},
                  .rows = {1, 2, 3}};
  TextTraining training = small_training();
  training.tokenizer.max_words = 2;
  training.validation_share = 0;
  const PreparedTraining prepared = prepare(set, training);
  EXPECT_EQ(prepared.words_cut, 3u);
  EXPECT_EQ(prepared.train.size(), 3u);
  EXPECT_EQ(prepared.train.labels, (std::vector<std::int32_t>{0, 1, 0}));
}

TEST(Prepare, UsesTheSplitAndCountsUnseenLabels) {
  LabelledSet set{.texts = {"one", "two", "three", "four"},
                  .labels = {"a", "b", "c", "a"},
                  .targets = {},
                  .splits = {Split::train, Split::train, Split::dev, Split::test},
                  .rows = {1, 2, 3, 4}};
  const PreparedTraining prepared = prepare(set, small_training());
  EXPECT_EQ(prepared.train.size(), 2u);
  EXPECT_EQ(prepared.validation.labels, (std::vector<std::int32_t>{-1}));
  EXPECT_EQ(prepared.validation_unseen, 1u);
  EXPECT_EQ(prepared.model.vocabulary.size(), 3u);  // two words and the unknown one
}

using LabelSets = std::vector<std::vector<std::string>>;
using Ids = std::vector<std::vector<std::int32_t>>;

LabelledSet tagged(const LabelSets& label_sets, const std::vector<Split>& splits = {}) {
  LabelledSet set;
  for (const std::vector<std::string>& labels : label_sets) {
    set.rows.push_back(set.texts.size() + 1);
    set.texts.push_back("text " + std::to_string(set.texts.size()));
    set.label_sets.push_back(labels);
  }
  set.splits = splits;
  return set;
}

TEST(Prepare, NumbersTheLabelsOfTheTrainingTextsAndPutsUnseenOnesInFront) {
  const PreparedTraining prepared = prepare(
      tagged({{"b", "c"}, {}, {"a"}, {"a", "aa", "c", "d"}, {}, {"d"}},
             {Split::train, Split::train, Split::train, Split::dev, Split::dev, Split::test}),
      small_training());
  EXPECT_EQ(prepared.model.answer, Answer::several_labels);
  EXPECT_EQ(prepared.model.labels, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(outputs_of(prepared.model.network.config()), 3u);
  EXPECT_EQ(prepared.train.label_sets, (Ids{{1, 2}, {}, {0}}));
  EXPECT_EQ(prepared.validation.label_sets, (Ids{{-1, -1, 0, 2}, {}}));
  EXPECT_EQ(prepared.validation_unseen, 1u);
  EXPECT_TRUE(prepared.train.labels.empty() && prepared.train.targets.empty());
}

TEST(Prepare, OneLabelIsEnoughWhereSeveralAreLearntAndNoneIsRefused) {
  TextTraining training = small_training();
  training.validation_share = 0;
  EXPECT_EQ(prepare(tagged({{"a"}, {}}), training).model.labels, std::vector<std::string>{"a"});
  try {
    prepare(tagged({{}, {}, {"a"}}, {Split::train, Split::train, Split::dev}), training);
    ADD_FAILURE() << "accepted";
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(), "none of the 2 texts has a label, expected some");
  }
}

// Each text keeps the labels it has, not a place for each there is.
TEST(TextTraining, LearnsTenThousandLabels) {
  LabelSets label_sets;
  for (std::size_t label = 0; label < 10'000; ++label) {
    const std::string name = std::to_string(label);
    if (label % 100 == 0) label_sets.emplace_back();
    label_sets.back().push_back(name);
  }
  for (std::vector<std::string>& labels : label_sets) std::ranges::sort(labels);
  TextTraining training = small_training();
  training.options.epochs = 1;
  training.validation_share = 0;
  const TemporaryFolder folder;
  Runtime runtime;
  train(folder.path() / "run", tagged(label_sets), false, runtime, {}, training);
  const TextModel model = load_text_model(folder.path() / "run");
  EXPECT_EQ(model.labels.size(), 10'000u);
  const std::vector<std::string> text = {"text 1"};
  EXPECT_EQ(predict(runtime, model, text)[0].scores.size(), 10'000u);
}

TEST(Prepare, RefusesATargetThatNoFloatHoldsInTheModelsUnits) {
  LabelledSet set = small_set(Answer::number);
  set.splits.assign(set.texts.size(), Split::train);
  set.splits.back() = Split::dev;
  set.targets.back() = 1e100;
  try {
    prepare(set, small_training());
    ADD_FAILURE() << "1e100 was taken";
  } catch (const ValueError& error) {
    const std::string text = error.what();
    EXPECT_TRUE(text.starts_with("prepare: the target of row 60 is 1e+100, which is ")) << text;
  }
}

TEST(Prepare, SaysWhyNoTextIsLeftToTrain) {
  LabelledSet set = make_synthetic_set({.texts = 10, .classes = 3, .seed = 6});
  set.splits.clear();
  TextTraining training;
  training.validation_share = 0.99999;
  const auto refusal = [&] {
    try {
      prepare(set, training);
    } catch (const ValueError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(refusal(),
            "prepare: all 10 texts validate, by a validation share of 0.99999, expected some that "
            "train: more texts or a smaller share");
  set.splits.assign(10, Split::test);
  EXPECT_EQ(refusal(),
            "prepare: of 10 texts none is for training, expected some whose split is train");
}

TEST(Prepare, RefusesOneClassOnly) {
  const LabelledSet set{
      .texts = {"one", "two"}, .labels = {"a", "a"}, .targets = {}, .splits = {}, .rows = {1, 2}};
  EXPECT_THROW(prepare(set, small_training()), ValueError);
}

}  // namespace
}  // namespace padless
