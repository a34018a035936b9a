// Cutting rows into items for the runtime's threads.
#pragma once

#include <algorithm>
#include <cstddef>

#include "padless/core/runtime.h"

namespace padless {

/// Calls work(first, end) for runs of `rows_an_item` rows, the last perhaps shorter, that make up
/// [0, rows): by shapes alone, each on any thread.
template <class Work>
void for_row_items(Runtime& runtime, std::size_t rows, std::size_t rows_an_item, Work work) {
  runtime.parallel_for((rows + rows_an_item - 1) / rows_an_item, [&](std::size_t item) {
    const std::size_t first = item * rows_an_item;
    work(first, std::min(rows, first + rows_an_item));
  });
}

}  // namespace padless
