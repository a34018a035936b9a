// The named constructors: one per dialect, each with its own shapes, element types and side.
#include <algorithm>
#include <cmath>
#include <utility>

#include "padless/batch/mask.h"
#include "padless/batch/mask_shapes.h"
#include "padless/core/error.h"

namespace padless {
namespace {

using Cells = AttentionArray<std::uint8_t>;

// Whether a 1 in the array keeps or drops.
enum class One { keeps, drops };

constexpr const char* kFloatHint =
    " (given [B, H, L, S], or 1 in place of any of them, a float mask that is added to scores goes "
    "to AdditiveMask::from_additive, one of 0 and 1 to KeepMask::of, 1 = may attend, or "
    "DropMask::of, 1 = may not)";
constexpr const char* kTorchFloatHint =
    " (a float attn_mask that is added to scores goes to AdditiveMask::from_additive with a "
    "HeadOrder; one of 0 and 1, given [B, H, L, S] or 1 in place of any of them, to KeepMask::of, "
    "1 = may attend, or DropMask::of, 1 = may not)";
constexpr const char* kIntegerKeysHint =
    " (integers of 0 and 1 with 1 = real token go to from_hf or from_bert)";

// `integer_hint`: where integers go.
void require_boolean(const char* where, const MaskArray& array, const char* integer_hint,
                     const char* float_hint = kFloatHint) {
  require_value(array.is_boolean(), where, ": the mask is ", array.text(), ", expected bool",
                array.is_float() ? float_hint : integer_hint);
}
void require_boolean_keys(const char* where, const MaskArray& array) {
  require_boolean(where, array, array.rank() == 2 ? kIntegerKeysHint : kOfHint);
}

// A 0/1 array placed over the sizes.
Cells read(const char* where, const MaskArray& array, const PlacedDims& dims,
           const AttentionSizes& sizes, One one) {
  const bool kept = one == One::keeps;
  return spread<std::uint8_t>(dims, sizes, [&](std::size_t i) {
    return static_cast<std::uint8_t>(array.yes(i, where) == kept);
  });
}

// A 0/1 array spread over [leading..., L, S].
Cells spread_as_numpy(const char* where, const MaskArray& array,
                      std::span<const std::size_t> leading, std::size_t queries, std::size_t keys,
                      One one) {
  const SpreadDims dims(where, array, leading, queries, keys);
  Cells cells(dims.sizes(), false, 0);
  cells.for_each_row([&](std::size_t b, std::size_t h, std::size_t q) {
    const auto row = cells.row(b, h, q);
    for (std::size_t k = 0; k < row.size(); ++k) {
      row[k] = array.yes(dims.cell(b, h, q, k), where) == (one == One::keeps) ? 1 : 0;
    }
  });
  return cells;
}

// A 0/1 array [B, S].
Cells read_keys(const char* where, const MaskArray& array, One one, const char* hint) {
  require_shape(array.rank() == 2, where, ": the mask is ", array.text(), ", expected [B, S]",
                hint);
  const AttentionSizes sizes = {.batch = array.dim(0), .keys = array.dim(1)};
  return read(where, array, {sizes.batch, 1, 1, sizes.keys}, sizes, one);
}

// Integers [B] or [B + 1].
template <class Make>
Segments read_segments(const char* where, const MaskArray& array, Make&& make) {
  require_shape(array.rank() == 1, where, ": the array is ", array.text(),
                ", expected one dimension (a mask goes to the constructor of its dialect)");
  require_value(array.is_integer(), where, ": the array is ", array.text(),
                ", expected int32 or int64");
  std::vector<std::int64_t> values(array.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = array.whole(i);
  return make(std::span<const std::int64_t>(values));
}

}  // namespace

KeepMask KeepMask::from_lengths(const MaskArray& lengths, std::size_t slots) {
  return from_segments(read_segments("KeepMask::from_lengths", lengths,
                                     [](auto values) { return Segments::from_lengths(values); }),
                       slots);
}

KeepMask KeepMask::from_cu_seqlens(const MaskArray& offsets, std::size_t slots) {
  return from_segments(
      read_segments("KeepMask::from_cu_seqlens", offsets,
                    [](auto values) {
                      const std::int64_t total = values.empty() ? 0 : values.back();
                      require_value(total >= 0, "KeepMask::from_cu_seqlens: the last offset is ",
                                    total, ", expected 0 or more");
                      return Segments::from_offsets(values, static_cast<std::size_t>(total));
                    }),
      slots);
}

KeepMask KeepMask::of(const MaskArray& array, const AttentionSizes& sizes) {
  constexpr const char* kWhere = "KeepMask::of";
  const PlacedDims dims = place(kWhere, array, sizes, RankTwo::either);
  return KeepMask(read(kWhere, array, dims, sizes, One::keeps));
}

DropMask DropMask::of(const MaskArray& array, const AttentionSizes& sizes) {
  constexpr const char* kWhere = "DropMask::of";
  const PlacedDims dims = place(kWhere, array, sizes, RankTwo::either);
  return DropMask(KeepMask(read(kWhere, array, dims, sizes, One::drops)));
}

KeepMask KeepMask::broadcast(const MaskArray& array, std::span<const std::size_t> leading,
                             std::size_t queries, std::size_t keys) {
  return KeepMask(
      spread_as_numpy("KeepMask::broadcast", array, leading, queries, keys, One::keeps));
}

DropMask DropMask::broadcast(const MaskArray& array, std::span<const std::size_t> leading,
                             std::size_t queries, std::size_t keys) {
  return DropMask(
      KeepMask(spread_as_numpy("DropMask::broadcast", array, leading, queries, keys, One::drops)));
}

KeepMask KeepMask::from_bert(const MaskArray& array) {
  constexpr const char* kWhere = "KeepMask::from_bert";
  require_value(array.is_integer(), kWhere, ": the mask is ", array.text(), ", expected int32",
                array.is_float()    ? kFloatHint
                : array.rank() == 2 ? " (bool with True = keep goes to from_keras)"
                                    : kOfHint);
  return KeepMask(read_keys(kWhere, array, One::keeps, " (to_mask, before it is spread)"));
}

KeepMask KeepMask::from_hf(const MaskArray& array) {
  constexpr const char* kWhere = "KeepMask::from_hf";
  require_value(!array.is_float(), kWhere, ": the mask is ", array.text(), ", expected int64",
                kFloatHint);
  const char* hint = "";
  if (array.rank() == 4) {
    hint = array.is_boolean() ? " (a four-dimensional bool mask goes to from_sdpa)" : kOfHint;
  }
  return KeepMask(read_keys(kWhere, array, One::keeps, hint));
}

KeepMask KeepMask::from_keras(const MaskArray& array) {
  constexpr const char* kWhere = "KeepMask::from_keras";
  require_boolean_keys(kWhere, array);
  if (array.rank() == 3) {
    const AttentionSizes sizes = {
        .batch = array.dim(0), .queries = array.dim(1), .keys = array.dim(2)};
    return KeepMask(
        read(kWhere, array, {sizes.batch, 1, sizes.queries, sizes.keys}, sizes, One::keeps));
  }
  return KeepMask(read_keys(kWhere, array, One::keeps, ", or [B, L, S] for a MultiHeadAttention"));
}

KeepMask KeepMask::from_keras_masking(MatrixView<const float> x, std::size_t batch,
                                      float mask_value) {
  require_value(!std::isnan(mask_value),
                "KeepMask::from_keras_masking: mask_value is NaN, which "
                "equals nothing, expected a number");
  require_shape(batch == 0 ? x.rows() == 0 : x.rows() % batch == 0,
                "KeepMask::from_keras_masking: x has ", x.rows(), " rows, expected a multiple of ",
                batch, " (the batch)");
  const std::size_t slots = batch == 0 ? 0 : x.rows() / batch;
  Cells cells({.batch = batch, .keys = slots}, false, 0);
  for (std::size_t b = 0; b < batch; ++b) {
    const auto row = cells.row(b, 0, 0);
    for (std::size_t k = 0; k < slots; ++k) {
      row[k] = std::ranges::any_of(x.row(b * slots + k),
                                   [&](float number) { return number != mask_value; });
    }
  }
  return KeepMask(std::move(cells));
}

KeepMask KeepMask::from_torch_padding(const MaskArray& array) {
  constexpr const char* kWhere = "KeepMask::from_torch_padding";
  require_boolean_keys(kWhere, array);
  const char* hint = "";
  if (array.rank() == 3) {
    hint =
        " (attn_mask [B * H, L, S] goes to from_torch_attention; [B, L, S], given [B, 1, L, S], "
        "to DropMask::of)";
  }
  if (array.rank() == 4) hint = kOfHint;
  return KeepMask(read_keys(kWhere, array, One::drops, hint));
}

KeepMask KeepMask::from_torch_attention(const MaskArray& array, const AttentionSizes& sizes,
                                        std::optional<HeadOrder> order) {
  constexpr const char* kWhere = "KeepMask::from_torch_attention";
  require_boolean(kWhere, array, kOfHint,
                  TorchDims::fit(array, sizes) ? kTorchFloatHint : kFloatHint);
  const TorchDims torch(kWhere, array, sizes, order);
  return KeepMask(spread<std::uint8_t>(torch.dims(), sizes, [&](std::size_t i) {
    return static_cast<std::uint8_t>(!array.yes(torch.cell(i), kWhere));
  }));
}

KeepMask KeepMask::from_sdpa(const MaskArray& array, const AttentionSizes& sizes) {
  constexpr const char* kWhere = "KeepMask::from_sdpa";
  require_boolean(kWhere, array, kOfHint);
  const PlacedDims dims = place(kWhere, array, sizes, RankTwo::queries_by_keys);
  return KeepMask(read(kWhere, array, dims, sizes, One::keeps));
}

KeepMask KeepMask::from_tf_tutorial(const MaskArray& array, const AttentionSizes& sizes) {
  constexpr const char* kWhere = "KeepMask::from_tf_tutorial";
  const auto is = [&](std::size_t i, std::size_t size) { return array.dim(i) == size; };
  const bool look_ahead = array.rank() == 2 && is(0, sizes.queries) && is(1, sizes.keys);
  const bool spread_out = array.rank() == 4 && is(0, sizes.batch) && is(1, 1) &&
                          (is(2, 1) || is(2, sizes.queries)) && is(3, sizes.keys);
  require_shape(look_ahead || spread_out, kWhere, ": the mask is ", array.text(),
                ", expected [B, 1, 1, S], [B, 1, L, S] or [L, S] of [B, H, L, S] = ", text(sizes),
                array.rank() == 2 ? " (a padding mask has its [B, S] spread to [B, 1, 1, S])" : "");
  PlacedDims dims = {1, 1, sizes.queries, sizes.keys};
  if (spread_out) dims = {sizes.batch, 1, array.dim(2), sizes.keys};
  return KeepMask(read(kWhere, array, dims, sizes, One::drops));
}

namespace {

constexpr const char* kMaskIndex = "KeepMask::from_mask_index";

// Keeps the slots [start, end) of each sequence.
Cells keep_between(const MaskArray& array, const AttentionSizes& sizes, bool starts_given) {
  const std::size_t batch = sizes.batch;
  const auto slots = static_cast<std::int64_t>(sizes.keys);
  Cells cells({.batch = batch, .keys = sizes.keys}, false, 0);
  for (std::size_t b = 0; b < batch; ++b) {
    const std::int64_t end = array.whole(b), start = starts_given ? array.whole(batch + b) : 0;
    require_value(0 <= start && end <= slots, kMaskIndex, ": sequence ", b, " is [", start, ", ",
                  end, "), expected within [0, ", slots, ") (the keys)");
    require_value(start <= end, kMaskIndex, ": sequence ", b, " starts at ", start, " and ends at ",
                  end, ", expected the B ",
                  starts_given ? "ends first, then the B starts" : "lengths, 0 or more");
    const auto length = static_cast<std::size_t>(end - start);
    std::ranges::fill(cells.row(b, 0, 0).subspan(static_cast<std::size_t>(start), length),
                      std::uint8_t{1});
  }
  return cells;
}

// The starts of B padded sequences of `size` slots each, and the end of the last.
void require_starts(const MaskArray& array, std::size_t first, std::size_t batch, std::size_t size,
                    const char* whose) {
  for (std::size_t b = 0; b <= batch; ++b) {
    require_value(std::cmp_equal(array.whole(first + b), b * size), kMaskIndex, ": the start of ",
                  whose, ' ', b, " is ", array.whole(first + b), ", expected ", b * size,
                  " (starts of padded sequences; packed rows need no mask but Segments)");
  }
}

}  // namespace

KeepMask KeepMask::from_mask_index(const MaskArray& array, const AttentionSizes& sizes) {
  const std::size_t batch = sizes.batch, keys = sizes.keys;
  require_value(array.element() == MaskArray::Element::i32, kMaskIndex, ": the array is ",
                array.text(), ", expected int32");
  if (array.rank() == 1) {
    if (array.dim(0) == batch) return KeepMask(keep_between(array, sizes, false));
    if (array.dim(0) == 2 * batch) return KeepMask(keep_between(array, sizes, true));
    if (array.dim(0) == 3 * batch + 2) {
      require_starts(array, batch, batch, sizes.queries, "query");
      require_starts(array, 2 * batch + 1, batch, keys, "key");
      return KeepMask(keep_between(array, sizes, false));
    }
  }
  const bool all_keys = array.rank() > 1 && array.dim(0) == batch;
  if (array.rank() == 2 && all_keys && array.dim(1) == keys) {
    return KeepMask(read(kMaskIndex, array, {batch, 1, 1, keys}, sizes, One::keeps));
  }
  if (array.rank() == 3 && all_keys && array.dim(1) == sizes.queries && array.dim(2) == keys) {
    return KeepMask(read(kMaskIndex, array, {batch, 1, sizes.queries, keys}, sizes, One::keeps));
  }
  throw ShapeError(message(
      kMaskIndex, ": the array is ", array.text(), ", expected [", batch, ", ", keys, "] or [",
      batch, ", ", sizes.queries, ", ", keys, "] of 0 and 1, [", batch, "] lengths, [", 2 * batch,
      "] ends and starts, or [", 3 * batch + 2, "] lengths and starts",
      array.rank() == 2 && array.dim(1) == 1 ? " (a dummy of one column means no mask: give none)"
                                             : ""));
}

}  // namespace padless
