// The parameters of a training's best epoch: model.safetensors, which its checkpoint has not.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "padless/io/safetensors.h"
#include "padless/train/trainer.h"

namespace padless {

/// The metadata that say whose parameters a file holds: of the run called `name`, behind `epoch`
/// epochs.
Metadata origin_of(const std::string& name, std::size_t epoch);

/// Before the run called `name` goes on at `position`, which has a best epoch. Throws ValueError
/// where the file is gone or holds other parameters than that epoch's, FormatError where it is
/// damaged, IoError where it cannot be read.
void require_best_parameters(const std::filesystem::path& file, const std::string& name,
                             const Trainer::Position& position);

}  // namespace padless
