#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>

#include "padless/cli/console.h"
#include "padless/core/error.h"
#include "padless/io/atomic_file.h"

namespace padless::cli {

/// Whoever read our standard output has closed it.
class ClosedPipe : public IoError {
 public:
  using IoError::IoError;
};

/// Sends what standard output holds on its way. Throws IoError where that fails, as on a full disk.
void require_written(std::ostream& standard_output);

/// The --out that is standard output.
inline constexpr const char* kStandardOutputName = "-";

/// Removes, where that can be done, what commands that were killed have left beside a result's
/// file.
void remove_abandoned(const std::filesystem::path& file);

/// Where a command's result goes: a file, which appears whole or not at all, or standard output.
class Output {
 public:
  /// No name, or "-": standard output. Throws IoError.
  Output(const Console& console, const std::optional<std::string>& name);

  std::ostream& stream();
  /// Now and then, so that a command does not go on in vain. Throws IoError.
  void require_written();
  /// The result is complete. Throws IoError.
  void finish();

 private:
  std::ostream& standard_output_;
  std::optional<AtomicFile> file_;
};

}  // namespace padless::cli
