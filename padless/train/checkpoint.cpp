#include "padless/train/checkpoint.h"

#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "padless/core/error.h"
#include "padless/io/sealed_safetensors.h"

namespace padless {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFormat = "padless checkpoint 5";

constexpr std::string_view kModel = "model.";

std::string_view name_of(const Optimizer& optimizer) {
  return std::visit([](const auto& of) { return of.kName; }, optimizer);
}

/// Every matrix of a run and its name in the file: values, then the optimiser's state.
template <class Visit>
void for_each_matrix(Trainee& trainee, Trainer& trainer, Visit visit) {
  const std::vector<NamedParameter> parameters = trainee.parameters();
  for (const auto& [name, parameter] : parameters) {
    visit(std::string(kModel) + name, parameter->value);
  }
  const std::string prefix = std::string(name_of(trainer.optimizer())) + ".";
  const auto visit_state = [&](const std::string& name, Matrix<float>& matrix) {
    visit(prefix + name, matrix);
  };
  std::visit([&](auto& optimizer) { optimizer.for_each_state(visit_state); }, trainer.optimizer());
}

Json position_of(Trainer& trainer) {
  const Trainer::Position& at = trainer.position();
  Json position = Json::object();
  position.set("epoch", at.epoch)
      .set("batch", at.batch)
      .set("step", at.step)
      .set("loss_sum", at.loss_sum)
      .set("loss_weight", at.loss_weight)
      // Before the first validation the best is minus infinity, which JSON has not.
      .set("best", std::isfinite(at.best) ? Json(at.best) : Json())
      .set("best_epoch", at.best_epoch)
      .set("skipped", at.skipped)
      .set("finished", at.finished)
      .set("optimizer", name_of(trainer.optimizer()));
  if (const auto* adamw = std::get_if<AdamW>(&trainer.optimizer())) {
    const AdamW::Progress& progress = adamw->progress();
    position.set("optimizer_steps", progress.steps)
        .set("beta1_power", progress.beta1_power)
        .set("beta2_power", progress.beta2_power);
  }
  return position;
}

AdamW::Progress read_progress(const JsonView& place) {
  return {.steps = place.at("optimizer_steps").as_uint64(),
          .beta1_power = place.at("beta1_power").as_double(),
          .beta2_power = place.at("beta2_power").as_double()};
}

Trainer::Position read_position(const JsonView& place) {
  Trainer::Position at;
  at.epoch = place.at("epoch").as_size();
  at.batch = place.at("batch").as_size();
  at.step = static_cast<std::uint32_t>(place.at("step").as_size(0, 0xffffffffu));
  at.loss_sum = place.at("loss_sum").as_double();
  at.loss_weight = place.at("loss_weight").as_double();
  if (at.loss_weight < 0) place.at("loss_weight").fail("0 or more");
  if (!place.at("best").value().is_null()) at.best = place.at("best").as_double();
  at.best_epoch = place.at("best_epoch").as_size();
  at.skipped = place.at("skipped").as_size();
  at.finished = place.at("finished").as_bool();
  return at;
}

const std::string& metadata_of(const SafetensorsFile& tensors, const fs::path& file,
                               std::string_view key) {
  if (const std::string* value = tensors.find_metadata(key)) return *value;
  throw FormatError(
      message(file.string(), ": its metadata lack '", key, "', expected a checkpoint of padless"));
}

// Adds what differs between two settings, each with its place: "'seed' was 0 and is 1".
void list_differences(const JsonView& was, const JsonView& is, std::string& list) {
  const auto add = [&list](const std::string& place, std::string_view from, std::string_view to) {
    list += message(list.empty() ? "" : ", ", place, " was ", from, " and is ", to);
  };
  if (!was.value().is_object() || !is.value().is_object()) {
    const std::string from = was.value().compact(), to = is.value().compact();
    if (from != to) add(is.place(), from, to);
    return;
  }
  for (const auto& [key, value] : is.members()) {
    if (const auto before = was.find(key)) {
      list_differences(*before, value, list);
    } else {
      add(value.place(), "not there", value.value().compact());
    }
  }
  for (const auto& [key, value] : was.members()) {
    if (!is.find(key)) add(value.place(), value.value().compact(), "not there");
  }
}

void require_same_run(const fs::path& file, const std::string& begun, const Json& run) {
  const JsonDocument was = JsonDocument::parse(begun, file.string());
  const JsonDocument is = JsonDocument::parse(run.compact(), file.string());
  std::string differences;
  list_differences(was.root(), is.root(), differences);
  require_value(differences.empty(), file.string(),
                ": the run was begun with other settings: ", differences,
                "; expected the same (give those again, or another folder)");
}

// A second moment is a mean of squares.
void require_state(const fs::path& file, const std::string& name, std::span<const float> cells) {
  const bool squares = name.find("second_moment") != std::string::npos;
  for (const float cell : cells) {
    if (std::isfinite(cell) && (!squares || cell >= 0)) continue;
    throw FormatError(message(file.string(), ": '", name, "' holds ", cell,
                              ", expected finite numbers", squares ? ", none below 0" : ""));
  }
}

}  // namespace

void save_checkpoint(const fs::path& file, Trainee& trainee, Trainer& trainer, const Json& run) {
  std::vector<TensorToWrite> tensors;
  for_each_matrix(trainee, trainer, [&tensors](const std::string& name, Matrix<float>& matrix) {
    tensors.emplace_back(name, std::vector<std::size_t>{matrix.rows(), matrix.cols()},
                         std::as_const(matrix).cells());
  });
  write_sealed_safetensors(file, tensors,
                           {{"format", std::string(kFormat)},
                            {"run", run.compact()},
                            {"position", position_of(trainer).compact()}});
}

void load_checkpoint(const fs::path& file, Trainee& trainee, Trainer& trainer, const Json& run) {
  const SafetensorsFile tensors(file);
  if (metadata_of(tensors, file, "format") != kFormat) {
    throw FormatError(message(file.string(), ": its format is '",
                              metadata_of(tensors, file, "format"), "', expected '", kFormat, "'"));
  }
  if (!check_seal(tensors, file)) {
    throw FormatError(file.string() + ": has no checksum, expected a checkpoint of padless");
  }
  require_same_run(file, metadata_of(tensors, file, "run"), run);

  // Everything is read and looked at before anything is changed.
  const JsonDocument document =
      JsonDocument::parse(metadata_of(tensors, file, "position"), file.string());
  const Trainer::Position position = read_position(document.root());
  const std::string& optimizer = document.root().at("optimizer").as_string();
  require_value(optimizer == name_of(trainer.optimizer()), file.string(),
                ": the checkpoint is of a run with the optimizer ", optimizer, ", expected ",
                name_of(trainer.optimizer()), " (train with ", optimizer,
                ", or in another folder)");
  auto* const adamw = std::get_if<AdamW>(&trainer.optimizer());
  const AdamW::Progress progress = adamw ? read_progress(document.root()) : AdamW::Progress();
  std::vector<std::pair<Matrix<float>*, Matrix<float>>> read;
  for_each_matrix(trainee, trainer, [&](const std::string& name, Matrix<float>& matrix) {
    const TensorInfo& tensor = tensors.at(name);
    if (tensor.count != matrix.cells().size()) {
      throw FormatError(message(file.string(), ": '", name, "' holds ", tensor.count,
                                " numbers, expected ", matrix.cells().size()));
    }
    Matrix<float> values(matrix.rows(), matrix.cols());
    tensors.read(tensor, values.cells());
    if (!name.starts_with(kModel)) require_state(file, name, values.cells());
    read.emplace_back(&matrix, std::move(values));
  });

  try {
    progress.check();
    trainer.resume(position);  // the last that can refuse, and the first that changes something
  } catch (const ValueError& error) {
    throw FormatError(message(file.string(), ": ", error.what()));
  }
  if (adamw) adamw->set_progress(progress);
  for (auto& [to, values] : read) *to = std::move(values);
  for (const auto& [name, parameter] : trainee.parameters()) ++parameter->version;
}

}  // namespace padless
