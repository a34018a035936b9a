#pragma once

#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "padless/core/export.h"

namespace padless {

/// The fields of one line of tab-separated text. In a field \n, \r, \t and \\ stand for a line
/// break, a carriage return, a tab and a backslash; any other backslash is itself.
PADLESS_API std::vector<std::string> split_tsv(std::string_view line);

/// Writes one line that split_tsv reads back to the same fields.
PADLESS_API void write_tsv(std::ostream& out, std::span<const std::string> fields);

}  // namespace padless
