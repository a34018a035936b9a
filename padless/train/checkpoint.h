#pragma once

#include <filesystem>
#include <string>

#include "padless/core/export.h"
#include "padless/train/trainer.h"

namespace padless {

/// Writes all that a run needs to go on to the same bits (parameters, the optimiser's state, the
/// position) into one file, which appears whole or not at all. `run` says which run it is: what
/// it was begun with. Throws IoError.
PADLESS_API void save_checkpoint(const std::filesystem::path& file, Trainee& trainee,
                                 Trainer& trainer, const std::string& run);

/// Puts trainee and trainer where save_checkpoint found them. Throws IoError, FormatError for a
/// damaged file, ValueError when it belongs to another run.
PADLESS_API void load_checkpoint(const std::filesystem::path& file, Trainee& trainee,
                                 Trainer& trainer, const std::string& run);

}  // namespace padless
