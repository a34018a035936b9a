#include "padless/batch/mask.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "padless/core/error.h"

namespace padless {
namespace {

using Cells = AttentionArray<std::uint8_t>;

// The size that two masks have in common where one entry stands for all.
std::size_t common(const char* what, std::size_t a, std::size_t b) {
  require_shape(a == b || a == 1 || b == 1, "KeepMask: & of ", a, " and ", b, ' ', what,
                ", expected equal numbers, or 1 for all");
  return a == 1 ? b : a;
}

template <class T>
std::vector<T> export_cells(const KeepMask& mask, T kept, T dropped) {
  const AttentionSizes& sizes = mask.sizes();
  std::vector<T> cells;
  cells.reserve(sizes.batch * sizes.heads * sizes.queries * sizes.keys);
  for (std::size_t b = 0; b < sizes.batch; ++b) {
    for (std::size_t h = 0; h < sizes.heads; ++h) {
      for (std::size_t q = 0; q < sizes.queries; ++q) {
        for (const std::uint8_t keep : mask.row(b, h, q)) cells.push_back(keep ? kept : dropped);
      }
    }
  }
  return cells;
}

void require_key_mask(const KeepMask& mask, const char* where) {
  require_shape(mask.is_key_mask(), where, ": the mask is [", mask.sizes().batch, ", ",
                mask.sizes().heads, ", ", mask.sizes().queries, ", ", mask.sizes().keys,
                "], expected [B, 1, 1, S] (padding: the same for every head and query)");
}

}  // namespace

KeepMask KeepMask::from_segments(const Segments& segs, std::size_t slots) {
  Cells cells({.batch = segs.count(), .keys = slots}, false, 0);
  for (std::size_t b = 0; b < segs.count(); ++b) {
    require_value(segs.length(b) <= slots, "KeepMask: length ", b, " is ", segs.length(b),
                  ", expected at most ", slots, " (the number of slots)");
    std::ranges::fill(cells.row(b, 0, 0).first(segs.length(b)), std::uint8_t{1});
  }
  return KeepMask(std::move(cells));
}

Segments KeepMask::key_lengths() const {
  require_key_mask(*this, "KeepMask::key_lengths");
  std::vector<std::size_t> lengths(sizes().batch);
  for (std::size_t b = 0; b < lengths.size(); ++b) {
    lengths[b] = static_cast<std::size_t>(std::ranges::count(row(b, 0, 0), 1));
  }
  return Segments::from_lengths(std::span<const std::size_t>(lengths));
}

std::optional<Segments> KeepMask::as_lengths() const {
  if (!is_key_mask()) return std::nullopt;
  for (std::size_t b = 0; b < sizes().batch; ++b) {
    if (!std::ranges::is_sorted(row(b, 0, 0), std::greater())) return std::nullopt;
  }
  return key_lengths();
}

DropMask KeepMask::to_drop() const { return DropMask(*this); }

std::vector<std::int64_t> KeepMask::to_hf() const {
  require_key_mask(*this, "KeepMask::to_hf");
  return export_cells<std::int64_t>(*this, 1, 0);
}
std::vector<std::uint8_t> KeepMask::to_keras() const {
  require_key_mask(*this, "KeepMask::to_keras");
  return export_cells<std::uint8_t>(*this, 1, 0);
}
std::vector<std::uint8_t> KeepMask::to_torch_padding() const {
  require_key_mask(*this, "KeepMask::to_torch_padding");
  return export_cells<std::uint8_t>(*this, 0, 1);
}
std::vector<std::uint8_t> KeepMask::to_sdpa() const {
  return export_cells<std::uint8_t>(*this, 1, 0);
}
std::vector<float> KeepMask::to_additive(float fill) const {
  return export_cells<float>(*this, 0, fill);
}

KeepMask KeepMask::operator&(const KeepMask& other) const {
  const AttentionSizes &ours = sizes(), &theirs = other.sizes();
  require_shape(ours.batch == theirs.batch && ours.keys == theirs.keys, "KeepMask: & of ",
                ours.batch, " sequences by ", ours.keys, " keys and ", theirs.batch, " by ",
                theirs.keys, ", expected the same");
  const AttentionSizes both = {.batch = ours.batch,
                               .heads = common("heads", ours.heads, theirs.heads),
                               .queries = common("queries", ours.queries, theirs.queries),
                               .keys = ours.keys};
  Cells cells(both, cells_.one_for_all() && other.cells_.one_for_all(), 0);
  cells.for_each_row([&](std::size_t b, std::size_t h, std::size_t q) {
    std::ranges::transform(row(b, h, q), other.row(b, h, q), cells.row(b, h, q).begin(),
                           std::bit_and());
  });
  return KeepMask(std::move(cells));
}

}  // namespace padless
