#include "padless/train/best_parameters.h"

#include "padless/core/error.h"
#include "padless/io/sealed_safetensors.h"

namespace padless {
namespace {

constexpr const char* kRunKey = "training_run";
constexpr const char* kEpochKey = "training_epoch";

}  // namespace

Metadata origin_of(const std::string& name, std::size_t epoch) {
  return {{kRunKey, name}, {kEpochKey, std::to_string(epoch)}};
}

void require_best_parameters(const std::filesystem::path& file, const std::string& name,
                             const Trainer::Position& position) {
  require_value(std::filesystem::exists(file), file.string(),
                ": is gone with the best epoch in it, expected it beside the checkpoint; train in "
                "a new folder");
  const SafetensorsFile found(file);
  check_seal(found, file);
  const std::string* run = found.find_metadata(kRunKey);
  const std::string* epoch = found.find_metadata(kEpochKey);
  // A process that was killed behind an epoch may have left later parameters than its checkpoint
  // knows of; the same epoch makes the same again.
  const auto is_best = [&position](const std::string& written) {
    return written == std::to_string(position.best_epoch) ||
           written == std::to_string(position.epoch + 1);
  };
  require_value(run != nullptr && *run == name && epoch != nullptr && is_best(*epoch),
                file.string(), ": holds other parameters than those of this training's epoch ",
                position.best_epoch,
                ", its best, expected the file that this training wrote; train in a "
                "new folder");
}

}  // namespace padless
