#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "padless/core/export.h"
#include "padless/data/package_texts.h"

namespace padless {

/// Rows that belong together, so that a model is not tested on what it has all but seen: for each
/// row the smallest index of its family. Two rows are of one family when
///   - the names of their sources differ in version or kind only (gcc-11 and gcc-12; 0ad and
///     0ad-data),
///   - they share a paragraph of eight words or more, or
///   - the same are 60 % of their words or more, or half of their word triples (Jaccard
///   similarity),
/// and so are all that a chain of such pairs connects.
///
/// The similar pairs are found exactly, not by sampling: prefix filtering as in Bayardo, Ma and
/// Srikant, "Scaling up all pairs similarity search" (WWW 2007).
PADLESS_API std::vector<std::size_t> find_families(std::span<const PackageText> rows);

/// The source's name without version and kind: "boost1.81" -> "boost", "0ad-data" -> "0ad".
PADLESS_API std::string source_stem(std::string_view source);

}  // namespace padless
