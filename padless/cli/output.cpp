#include "padless/cli/output.h"

#include <cerrno>
#include <cstring>
#include <ostream>

namespace padless::cli {

void require_written(std::ostream& standard_output) {
  if (standard_output.flush()) return;
  const std::string what = message("standard output: cannot write",
                                   errno == 0 ? "" : message(": ", std::strerror(errno)));
  if (errno == EPIPE) throw ClosedPipe(what);
  throw IoError(what);
}

void remove_abandoned(const std::filesystem::path& file) {
  try {
    remove_temporaries_of(file);
  } catch (const IoError&) {
    // A folder may be written and not read; a file system may lack what it takes.
  }
}

Output::Output(const Console& console, const std::optional<std::string>& name)
    : standard_output_(console.out) {
  if (!name || *name == kStandardOutputName) return;
  remove_abandoned(*name);
  file_.emplace(*name);
}

std::ostream& Output::stream() { return file_ ? file_->stream() : standard_output_; }

void Output::require_written() {
  // The file's stream throws by itself.
  if (!file_) cli::require_written(standard_output_);
}

void Output::finish() {
  require_written();
  if (file_) file_->commit();
}

}  // namespace padless::cli
