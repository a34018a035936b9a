// What the inner loops of attention are handed: some queries of one head of one sequence.
#pragma once

#include <cstddef>
#include <cstdint>

namespace padless {

/// Queries that are computed together, at most.
inline constexpr std::size_t kQueriesAnItem = 48;
/// Keys between two looks at the maximum: part of the bits, counted from the sequence's first key.
inline constexpr std::size_t kKeysABlock = 128;

/// One item of attention: `queries` <= kQueriesAnItem rows of one head of one sequence against all
/// keys of that sequence. Rows of q, out and their gradients begin at the item's first query, those
/// of k and v at the sequence's first key; every pointer is at the head's first column.
///
/// What depends on a query and a key, [keys, kQueriesAnItem], has a row for a key.
template <class Real>
struct AttentionItem {
  std::size_t queries = 0, keys = 0;
  std::size_t width = 0;        ///< D of q and k
  std::size_t value_width = 0;  ///< of v and out
  const Real* q = nullptr;
  const Real* k = nullptr;
  const Real* v = nullptr;
  std::size_t q_stride = 0, k_stride = 0, v_stride = 0;

  Real scale = 1;
  Real soft_cap = 0;  ///< 0: none
  /// The keys that each query may see, [begin, end), by position.
  const std::int32_t* begin = nullptr;
  const std::int32_t* end = nullptr;
  const std::uint8_t* keep = nullptr;  ///< [keys, kQueriesAnItem], 0 = may not; or null
  const Real* bias = nullptr;          ///< [keys, kQueriesAnItem] added to scores; or null
  const Real* dropped = nullptr;       ///< [keys, kQueriesAnItem] times the weights; or null
  bool alibi = false;                  ///< whether -slope * |place - key| is added
  Real slope = 0;
  const std::int32_t* place = nullptr;  ///< [queries], the key on which each query stands

  Real* out = nullptr;  ///< [queries, value_width]
  std::size_t out_stride = 0;
  Real* top = nullptr;  ///< the largest score of each query; stats_stride from one to the next
  Real* sum = nullptr;  ///< the sum of exponentials
  std::size_t stats_stride = 1;
};

/// What the backward pass has beside an AttentionItem, whose top and sum it reads.
template <class Real>
struct AttentionItemGradient {
  const Real* out = nullptr;  ///< as forward left it
  std::size_t out_stride = 0;
  const Real* d_out = nullptr;  ///< [queries, value_width]
  std::size_t d_out_stride = 0;
  Real* d_q = nullptr;  ///< [queries, width], written
  Real* d_k = nullptr;  ///< [keys, width]: added to, not yet scaled
  Real* d_v = nullptr;  ///< [keys, value_width]: added to
  std::size_t d_q_stride = 0, d_k_stride = 0, d_v_stride = 0;
  Real* d_scores =
      nullptr;  ///< [keys, kQueriesAnItem], written: of what is added to scores; or null
};

}  // namespace padless
