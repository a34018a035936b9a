// The sum of a step's losses, in double.
#pragma once

#include <cstddef>

#include "padless/reference/shard_tree.h"

namespace padless::reference {

/// The sum of loss(r) over rows r, each widened to double: a chain in each shard, the shards in
/// their tree. `bounds` holds shards + 1 row numbers.
template <class Loss>
double sum_losses(Loss loss, const std::size_t* bounds, std::size_t shards) {
  return sum_over_shards<double>(bounds, shards, [&](double sum, std::size_t r) {
    return sum + static_cast<double>(loss(r));
  });
}

}  // namespace padless::reference
