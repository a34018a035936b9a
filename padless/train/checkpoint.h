#pragma once

#include <filesystem>

#include "padless/core/export.h"
#include "padless/io/json.h"
#include "padless/train/trainer.h"

namespace padless {

/// Writes all that a run needs to go on to the same bits (parameters, the optimiser's state, the
/// position) into one file with a checksum, which appears whole or not at all. `run`, an object,
/// says which run it is: what it was begun with. Throws IoError.
PADLESS_API void save_checkpoint(const std::filesystem::path& file, Trainee& trainee,
                                 Trainer& trainer, const Json& run);

/// Puts trainee and trainer where save_checkpoint found them. Throws, before anything is changed,
/// IoError, FormatError for a damaged file or one of numbers where no run can be, ValueError when
/// it belongs to another run: the message names what differs.
PADLESS_API void load_checkpoint(const std::filesystem::path& file, Trainee& trainee,
                                 Trainer& trainer, const Json& run);

}  // namespace padless
