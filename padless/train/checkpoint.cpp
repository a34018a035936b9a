#include "padless/train/checkpoint.h"

#include <cmath>
#include <utility>
#include <vector>

#include "padless/core/error.h"
#include "padless/io/json.h"
#include "padless/io/safetensors.h"

namespace padless {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFormat = "padless checkpoint 1";

/// Every matrix of a run and its name in the file: values, then the optimiser's moments.
template <class Visit>
void for_each_matrix(Trainee& trainee, Trainer& trainer, Visit visit) {
  const std::vector<NamedParameter> parameters = trainee.parameters();
  for (const auto& [name, parameter] : parameters) visit("model." + name, parameter->value);
  trainer.optimizer().for_each_state(
      [&visit](const std::string& name, Matrix<float>& matrix) { visit("adamw." + name, matrix); });
}

Json position_of(Trainer& trainer) {
  const Trainer::Position& at = trainer.position();
  const AdamW::Progress& progress = trainer.optimizer().progress();
  return Json::object()
      .set("epoch", at.epoch)
      .set("batch", at.batch)
      .set("step", at.step)
      .set("loss_sum", at.loss_sum)
      .set("loss_count", at.loss_count)
      // Before the first validation the best is minus infinity, which JSON has not.
      .set("best", std::isfinite(at.best) ? Json(at.best) : Json())
      .set("best_epoch", at.best_epoch)
      .set("skipped", at.skipped)
      .set("finished", at.finished)
      .set("optimizer_steps", progress.steps)
      .set("beta1_power", progress.beta1_power)
      .set("beta2_power", progress.beta2_power);
}

Trainer::Position read_position(const JsonView& place) {
  Trainer::Position at;
  at.epoch = place.at("epoch").as_size();
  at.batch = place.at("batch").as_size();
  at.step = static_cast<std::uint32_t>(place.at("step").as_size(0, 0xffffffffu));
  at.loss_sum = place.at("loss_sum").as_double();
  at.loss_count = place.at("loss_count").as_size();
  if (!place.at("best").value().is_null()) at.best = place.at("best").as_double();
  at.best_epoch = place.at("best_epoch").as_size();
  at.skipped = place.at("skipped").as_size();
  at.finished = place.at("finished").as_bool();
  return at;
}

const std::string& metadata_of(const SafetensorsFile& tensors, const fs::path& file,
                               std::string_view key) {
  for (const auto& [name, value] : tensors.metadata()) {
    if (name == key) return value;
  }
  throw FormatError(
      message(file.string(), ": its metadata lack '", key, "', expected a checkpoint of padless"));
}

}  // namespace

void save_checkpoint(const fs::path& file, Trainee& trainee, Trainer& trainer,
                     const std::string& run) {
  std::vector<TensorToWrite> tensors;
  for_each_matrix(trainee, trainer, [&tensors](const std::string& name, Matrix<float>& matrix) {
    tensors.emplace_back(name, std::vector<std::size_t>{matrix.rows(), matrix.cols()},
                         std::as_const(matrix).cells());
  });
  write_safetensors(file, tensors,
                    {{"format", std::string(kFormat)},
                     {"run", run},
                     {"position", position_of(trainer).compact()}});
}

void load_checkpoint(const fs::path& file, Trainee& trainee, Trainer& trainer,
                     const std::string& run) {
  const SafetensorsFile tensors(file);
  if (metadata_of(tensors, file, "format") != kFormat) {
    throw FormatError(message(file.string(), ": its format is '",
                              metadata_of(tensors, file, "format"), "', expected '", kFormat, "'"));
  }
  const std::string& begun = metadata_of(tensors, file, "run");
  require_value(begun == run, file.string(), ": the run was begun with ", begun, ", expected ", run,
                " (other data or settings: give those again, or another folder)");

  // Everything is read before anything is changed.
  const JsonDocument document =
      JsonDocument::parse(metadata_of(tensors, file, "position"), file.string());
  const Trainer::Position position = read_position(document.root());
  const AdamW::Progress progress{.steps = document.root().at("optimizer_steps").as_uint64(),
                                 .beta1_power = document.root().at("beta1_power").as_double(),
                                 .beta2_power = document.root().at("beta2_power").as_double()};
  std::vector<std::pair<Matrix<float>*, Matrix<float>>> read;
  for_each_matrix(trainee, trainer, [&](const std::string& name, Matrix<float>& matrix) {
    const TensorInfo& tensor = tensors.at(name);
    if (tensor.count != matrix.cells().size()) {
      throw FormatError(message(file.string(), ": '", name, "' holds ", tensor.count,
                                " numbers, expected ", matrix.cells().size()));
    }
    Matrix<float> values(matrix.rows(), matrix.cols());
    tensors.read(tensor, values.cells());
    read.emplace_back(&matrix, std::move(values));
  });

  for (auto& [to, values] : read) *to = std::move(values);
  for (const auto& [name, parameter] : trainee.parameters()) ++parameter->version;
  trainer.optimizer().set_progress(progress);
  trainer.resume(position);
}

}  // namespace padless
