#pragma once

#include <cstddef>
#include <span>

#include "padless/core/arena.h"

namespace padless {

/// Calls extend(first), where first[b] is how many rows sequence b of the cache has. If it throws,
/// the cache has as many again: what was appended is forgotten. Cache: a KeyValueCache, or what is
/// made of several. `first` is in the arena, within the caller's scope.
template <class Cache, class Extend>
void extend_or_undo(Arena& arena, Cache& cache, Extend extend) {
  const std::span<std::size_t> first = arena.take<std::size_t>(cache.count());
  for (std::size_t b = 0; b < first.size(); ++b) first[b] = cache.length(b);
  try {
    extend(std::span<const std::size_t>(first));
  } catch (...) {
    cache.shorten(first);
    throw;
  }
}

}  // namespace padless
