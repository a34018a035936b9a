// The experiments of the study: what people say about padding and masks, put to the test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "padless/core/runtime.h"
#include "padless/study/classification.h"
#include "padless/study/encoder_classification.h"
#include "padless/study/finding.h"
#include "padless/study/five_words.h"
#include "padless/study/machine.h"
#include "padless/study/regression.h"
#include "padless/study/study_data.h"

namespace padless::study {

/// How much time a study takes.
enum class Effort {
  quick,   ///< a part of the texts, two seeds, few epochs: about a minute (made-up texts: all)
  normal,  ///< all texts, three seeds: some minutes
  full,    ///< more epochs and five seeds
};
/// "quick", "normal", "full".
std::string_view effort_name(Effort effort);

/// What a study is asked for.
struct StudyOptions {
  Effort effort = Effort::normal;
  std::uint64_t seed = 0;                          ///< the first; the others follow it
  std::optional<std::filesystem::path> file = {};  ///< texts of one's own
  LabelledColumns columns = DataRequest().columns;
};

/// The effort whose number of epochs models are trained for: the one asked for, but no quick one on
/// made-up texts, after which a model is still at chance.
Effort training_effort(const StudyOptions& options, const StudyData& data);

/// The experiments' sizes for an effort; their epochs are those of `training`.
ClassificationOptions classification_options(const StudyOptions& options, Effort training);
RegressionOptions regression_options(const StudyOptions& options, Effort training);
EncoderOptions encoder_options(const StudyOptions& options, Effort training);
FiveWordsOptions five_words_options(const StudyOptions& options);

/// A study that is done: what study.json and the report are made of.
struct StudyResult {
  StudyOptions options;
  StudyData data;  ///< without the texts themselves
  ClassificationOptions settings;
  Classification classification;
  EncoderClassification encoder;
  FiveWords five_words;
  std::optional<Regression> regression;  ///< none where the texts have no numbers
  std::vector<Finding> findings;
  Machine machine;
  double seconds = 0;
};

/// What is going on, the share that is done, and the seconds since the beginning.
using StudyProgress = std::function<void(std::string_view doing, double done, double seconds)>;

/// Runs all experiments. Throws as load_study_data, run_classification and run_regression.
StudyResult run_study(Runtime& runtime, const StudyOptions& options, const StudyProgress& progress);

/// The main findings, in sentences that the run's numbers decide, one an experiment.
std::vector<std::string> headlines(const StudyResult& result);

/// What write_study writes.
inline constexpr const char* kReportFile = "report.html";
inline constexpr const char* kNumbersFile = "study.json";

/// Writes kNumbersFile and kReportFile into `folder`, which is made if need be; each appears whole
/// or not at all. Throws IoError.
void write_study(const std::filesystem::path& folder, const StudyResult& result);

}  // namespace padless::study
