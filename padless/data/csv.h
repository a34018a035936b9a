#pragma once

#include <string>
#include <vector>

#include "padless/io/text_reader.h"

namespace padless {

/// The fields of the CSV record (RFC 4180) that begins with `line`, which `lines` gave last; the
/// lines that a quoted field goes on over are taken from `lines`.
/// Throws FormatError with file:line for a quote out of place or never closed.
std::vector<std::string> read_csv_record(TextReader& lines, std::string line);

}  // namespace padless
