#pragma once

#include <string>

#include "padless/cli/console.h"
#include "padless/cli/options.h"
#include "padless/data/labelled_set.h"
#include "padless/data/table.h"

namespace padless::cli {

/// The table that the options name; "-" is console.in.
TableReader open_table(const Console& console, const DataOptions& data);

/// The columns of a training or an evaluation.
LabelledColumns columns_of(const DataOptions& data, const LearntOptions& learnt);

}  // namespace padless::cli
