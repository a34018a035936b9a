#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "padless/core/export.h"

namespace padless {

/// What a text is for: to learn from, to choose the best epoch by, or to judge the model by.
enum class Split { train, dev, test };

/// "train", "dev" or "test".
PADLESS_API std::string_view split_name(Split split);
/// The split that a column's value names (train; dev, validation, valid or val; test), or nothing.
PADLESS_API std::optional<Split> parse_split(std::string_view value);

/// A number in [0, 1) that is a pure function of its two arguments.
PADLESS_API double split_draw(std::uint64_t seed, std::uint64_t row);

/// Whether a row belongs to a random share of all rows: a pure function of its three arguments, so
/// that neither the other rows nor their order move it. Of many rows, about `share` of them do.
/// Throws ValueError unless share is in [0, 1].
PADLESS_API bool in_share(std::uint64_t seed, std::uint64_t row, double share);

}  // namespace padless
